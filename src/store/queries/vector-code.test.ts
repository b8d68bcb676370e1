import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeLength, codeSigns, codeText, codeThresholds } from './vector-code.ts'

const vectors = fc
  .integer({ min: 1, max: 70 })
  .chain((length) =>
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length }),
  )
  .map((values) => Float32Array.from(values))

test('the text of a code is its signs in hexadecimal, four levels a component', () => {
  fc.assert(
    fc.property(vectors, (vector) => {
      const bits = [...codeText(vector).slice(1)]
        .map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0'))
        .join('')
      expect(bits).toHaveLength(codeLength(vector.length))
      expect(bits).toBe(Array.from(codeSigns(vector), (value) => (value > 0 ? '1' : '0')).join(''))
    }),
  )
})

test('a component counts as many ones as the levels below it', () => {
  const thresholds = codeThresholds(64)
  expect(thresholds).toEqual([...thresholds].sort((a, b) => a - b))
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (value) => {
      const vector = new Float32Array(64).fill(value)
      const ones = codeSigns(vector).filter((sign) => sign > 0).length
      expect(ones).toBe(64 * thresholds.filter((threshold) => Math.fround(value) > threshold).length)
    }),
  )
})

test('long vectors have fewer levels, never more bits than an index takes', () => {
  for (const dimension of [1, 384, 1_024, 1_025, 3_072, 4_096, 4_097, 16_000]) {
    expect(codeLength(dimension)).toBeLessThanOrEqual(64_000)
    expect(codeLength(dimension) % dimension).toBe(0)
  }
})
