import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeParameter, parseArray, parseTimestamp, quoteIdentifier } from './sql-values.ts'

it('reads back the arrays that it writes', () => {
  const texts = fc.array(
    fc.option(fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\ud800-\udfff]/u.test(text))),
  )
  fc.assert(
    fc.property(texts, (values) => {
      expect(parseArray(encodeParameter(values) ?? '', (text) => text)).toEqual(values)
    }),
    { seed: 3 },
  )
})

it.each([
  ['2024-05-01 10:00:00.123456+00', '2024-05-01T10:00:00.123Z'],
  ['2024-05-01 10:00:00+05:30', '2024-05-01T04:30:00.000Z'],
  ['2024-05-01 10:00:00.5-08', '2024-05-01T18:00:00.500Z'],
  ['0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00.000Z'],
  ['12024-01-01 00:00:00+00', '+012024-01-01T00:00:00.000Z'],
  ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
])('reads the time %s', (text, iso) => {
  expect(parseTimestamp(text).toISOString()).toBe(iso)
})

it('gives an invalid date for infinity', () => {
  expect(Number.isNaN(parseTimestamp('infinity').getTime())).toBe(true)
})

it('writes years before 1 and past 9999 as PostgreSQL reads them', () => {
  expect(encodeParameter(new Date('-000043-03-15T12:00:00.000Z'))).toBe('0044-03-15T12:00:00.000Z BC')
  expect(encodeParameter(new Date('+012024-01-01T00:00:00.000Z'))).toBe('12024-01-01T00:00:00.000Z')
})

it('quotes identifiers', () => {
  expect(quoteIdentifier('a"b')).toBe('"a""b"')
})
