import { describe, expect, test } from 'vitest'
import { encodeCopy } from './binary-copy.ts'
import type { CopyColumn, CopyValue } from './database.ts'

const HEADER_BYTES = 19

describe('encodeCopy', () => {
  // the buffer begins at 64 KiB and doubles: the one byte is put at, before and behind each such border
  test.each<[string, CopyColumn['type'], CopyValue, number, number]>([
    ['the version of jsonb', 'jsonb', '{}', 1, 0],
    ['a boolean', 'bool', true, 1, 0],
    ['signs', 'bit', new Float32Array(8).fill(1), 255, 4],
  ])('keeps %s where the buffer grows', (_name, type, value, wanted, offset) => {
    const columns: CopyColumn[] = [
      { name: 'text', type: 'text' },
      { name: 'value', type },
    ]
    for (const size of [65_536, 131_072]) {
      for (let length = size - 60; length <= size; length++) {
        const [piece] = [...encodeCopy(columns, [['x'.repeat(length), value]])]
        const at = HEADER_BYTES + 2 + 4 + length + 4 + offset
        expect(piece!.bytes[at], `text of ${length}`).toBe(wanted)
      }
    }
  })
})
