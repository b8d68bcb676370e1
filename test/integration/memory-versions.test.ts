import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Memory } from '../../src/index.ts'
import { useTestMemory } from '../support/test-memory.ts'

const { bank, clock } = useTestMemory()
const DAY = 86_400_000
const START = Date.UTC(2024, 0, 1)

/** Versions at `o`, oldest first, with the text that recall and `document` find as of each one's beginning. */
async function seen(memory: Memory) {
  const versions = [...(await memory.versions('o'))].reverse()
  return Promise.all(
    versions.map(async ({ version, state, validFrom, validTo }) => {
      const { passages } = await memory.recall('colour', { asOf: validFrom, source: 'o' })
      const text = (await memory.document('o', { version }))?.text
      return { version, state, validFrom, validTo, text, recalled: passages.map((one) => one.text) }
    }),
  )
}

describe('versions', () => {
  test('a text that tells of an earlier time than the one before holds from when it was retained', async () => {
    clock.time = Date.UTC(2026, 2, 1)
    const memory = bank()
    await memory.retain('The colour is red.', { source: 'o', occurredAt: '2026-02-01' })
    await memory.retain('The colour is blue.', { source: 'o', occurredAt: '2024-01-01' })
    const asOf = async (time: string) =>
      (await memory.recall('colour', { asOf: time })).passages.map((one) => one.text)
    expect(await asOf('2026-02-10')).toEqual(['The colour is red.'])
    expect(await asOf('2026-03-02')).toEqual(['The colour is blue.'])
    expect(await asOf('2024-06-01')).toEqual([])
    expect((await memory.recall('colour')).passages.map((one) => one.text)).toEqual(['The colour is blue.'])
    expect((await memory.document('o'))?.document.occurredAt).toEqual(new Date('2024-01-01'))
    await memory.rebuildIndex()
    expect(await asOf('2026-02-10')).toEqual(['The colour is red.'])
  })

  test('the same text told of another time moves where it begins, and where the one before ends', async () => {
    clock.time = Date.UTC(2026, 2, 1)
    const memory = bank()
    await memory.retain('The colour is red.', { source: 'o', occurredAt: '2025-02-01' })
    await memory.retain('The colour is blue.', { source: 'o', occurredAt: '2025-04-01' })
    for (const [occurredAt, begins] of [
      ['2025-05-01', '2025-05-01'],
      ['2025-03-01', '2025-03-01'],
      ['2025-01-01', '2026-03-01'],
    ] as const) {
      await memory.retain('The colour is blue.', { source: 'o', occurredAt })
      const [red, blue] = await seen(memory)
      expect([red?.validTo, blue?.validFrom]).toEqual([new Date(begins), new Date(begins)])
      expect([red?.recalled, blue?.recalled]).toEqual([['The colour is red.'], ['The colour is blue.']])
    }
  })

  test('whatever the order of times, every version is found as of a time of its own', async () => {
    const step = fc.record({
      kind: fc.constantFrom('text', 'text', 'text', 'same', 'remove'),
      occurredDay: fc.option(fc.integer({ min: -400, max: 400 }), { nil: undefined }),
      passedDays: fc.constantFrom(0, 0, 1, 30),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
        clock.time = START
        const memory = bank()
        await memory.retain('The colour number 0 is nice.', { source: 'o' })
        let number = 0
        for (const { kind, occurredDay, passedDays } of steps) {
          clock.time += passedDays * DAY
          if (kind === 'remove') await memory.remove('o')
          else {
            if (kind === 'text') number++
            const occurredAt =
              occurredDay === undefined ? {} : { occurredAt: new Date(START + occurredDay * DAY) }
            await memory.retain(`The colour number ${number} is nice.`, { source: 'o', ...occurredAt })
          }
        }
        const versions = await seen(memory)
        for (const [at, one] of versions.entries()) {
          expect(one.recalled).toEqual([one.text])
          const next = versions[at + 1]
          if (one.state === 'superseded') expect(one.validTo).toEqual(next?.validFrom)
          if (next !== undefined)
            expect(next.validFrom.getTime()).toBeGreaterThanOrEqual(one.validTo!.getTime())
        }
        expect((await memory.doctor()).clean).toBe(true)
      }),
      { numRuns: 25 },
    )
  })
})
