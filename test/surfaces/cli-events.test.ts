import { describe, expect, test } from 'vitest'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()

const linesOf = (out: string): Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('events', () => {
  test('tail shows a line an event, as JSON lines too, by type', async () => {
    const bank = await store.bank()
    const memory = store.owner.bank(bank)
    await memory.retain('Oslo is a city.', { source: 'oslo\u001b[2J' })
    const found = await memory.recall('Which city is it?')
    await memory.events.tail()
    const shown = await store.run(['events', 'tail', '--bank', bank])
    expect([shown.code, shown.err]).toEqual([0, ''])
    expect(shown.out).toContain('created oslo\\u001b[2J: 1 chunk')
    expect(shown.out).toMatch(/^\d{4}-.*Z {2}recall {6}"Which city is it\?" → 1 passage/m)
    expect(shown.out).toContain(found.traceId)
    const json = await store.json(['events', 'tail', '--type', 'recall', '--bank', bank])
    expect(linesOf(json.out)).toEqual([
      expect.objectContaining({ type: 'recall', traceId: found.traceId, receiptId: found.receipt }),
    ])
    const wrong = await store.json(['events', 'tail', '--type', 'recal', '--bank', bank])
    expect([wrong.code, wrong.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
  })

  test('show gives an exchange by its trace or a receipt; what is not there is exit code 3', async () => {
    const bank = await store.bank()
    const memory = store.owner.bank(bank)
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    const found = await memory.recall('Which city is it?')
    await memory.events.tail()
    for (const id of [found.traceId, found.receipt!]) {
      const shown = await store.run(['events', 'show', id, '--bank', bank])
      expect(shown.out).toContain(`trace ${found.traceId}`)
      expect(shown.out).toContain('message   Which city is it?')
    }
    const json = await store.json(['events', 'show', found.receipt!, '--bank', bank])
    expect(json.json()).toMatchObject({ traceId: found.traceId })
    const missing = await store.json(['events', 'show', 'nothing', '--bank', bank])
    expect([missing.code, missing.errorCode()]).toEqual([3, 'NOT_FOUND'])
  })

  test('--follow goes on with what comes, and ends with 130 when interrupted', async () => {
    const bank = await store.bank()
    const memory = store.owner.bank(bank)
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    await memory.events.tail()
    const interrupt = new AbortController()
    let out = ''
    let asked = false
    const run = store.json(['events', 'tail', '--follow', '--bank', bank], {
      signal: interrupt.signal,
      onOut: (text) => {
        out += text
        if (out.includes('"type":"recall"')) interrupt.abort()
        if (asked) return
        asked = true
        void memory.recall('Which city is it?').then(() => memory.events.tail())
      },
    })
    const { code, errorCode } = await run
    expect([code, errorCode()]).toEqual([130, 'CANCELLED'])
    expect(linesOf(out).map((event) => event.type)).toContain('recall')
  })
})
