import { describe, expect, test } from 'vitest'
import { createMemory, ProlepsisError, type RetainItem, type RetainManyResult } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { codeOf, collect, useTestMemory } from '../support/test-memory.ts'

const { bank, embedder } = useTestMemory()

const notes = (count: number): RetainItem[] =>
  Array.from({ length: count }, (_, at) => ({
    content: `Note ${at} speaks of topic ${at * 7919}.`,
    source: `n/${at}`,
  }))

describe('retainMany', () => {
  test('gives one result an item, in order, each committed when it is given', async () => {
    const memory = bank()
    const results: RetainManyResult[] = []
    for await (const result of memory.retainMany(notes(150))) {
      results.push(result)
      if (result.status !== 'failed' && results.length % 50 === 0) {
        expect((await memory.document(result.document.source))?.document.documentId).toBe(
          result.document.documentId,
        )
      }
    }
    const sources = results.map((result) => (result.status === 'failed' ? null : result.document.source))
    expect(sources).toEqual(notes(150).map((item) => item.source))
    expect(new Set(results.map((result) => result.status))).toEqual(new Set(['created']))
    expect((await memory.recall(`topic ${77 * 7919}`)).passages[0]?.source).toBe('n/77')
  })

  test('embeds many small notes in few calls', async () => {
    const before = embedder.calls.length
    await collect(bank().retainMany(notes(200)))
    expect(embedder.calls.length - before).toBeLessThan(20)
  })

  test('an item that cannot be retained fails alone, with its error', async () => {
    const memory = bank()
    // a caller without types may hand over anything
    const odd = { content: 'x', sorce: 'typo' } as unknown as RetainItem
    const items: RetainItem[] = [...notes(3), { content: ' ', source: 'blank' }, odd, ...notes(5).slice(3)]
    const results = await collect(memory.retainMany(items))
    expect(results.map((result) => result.status)).toEqual([
      ...['created', 'created', 'created', 'failed', 'failed', 'created', 'created'],
    ])
    const failed = results.filter((result) => result.status === 'failed')
    expect(failed.map(({ error, source }) => [error.code, source])).toEqual([
      ['EMPTY_TEXT', 'blank'],
      ['UNKNOWN_OPTION', null],
    ])
    expect(failed[1]?.error.hint).toBe('Did you mean "source"?')
    expect((await memory.stats()).documents.current).toBe(5)
  })

  test('an embedder that fails on one text fails that item alone', async () => {
    const model = createFakeEmbedder()
    const memory = await createMemory({
      inMemory: true,
      embedder: {
        ...model,
        async embed(texts, options) {
          if (texts.some((text) => text.includes('poison'))) throw new ProlepsisError('MODEL_FAILED', 'No.')
          return model.embed(texts, options)
        },
      },
    })
    const items = [...notes(4), { content: 'poison', source: 'p' }, ...notes(8).slice(4)]
    const results = await collect(memory.retainMany(items))
    expect(results.map((result) => result.status === 'failed')).toEqual(
      items.map((item) => item.source === 'p'),
    )
    expect((await memory.stats()).documents.current).toBe(8)
    await memory.close()
  })

  test('the same source twice makes two versions', async () => {
    const memory = bank()
    const results = await collect(
      memory.retainMany([
        { content: 'First edition.', source: 's' },
        { content: 'Second edition.', source: 's' },
        { content: 'Second edition.', source: 's' },
      ]),
    )
    expect(results.map((result) => result.status)).toEqual(['created', 'updated', 'unchanged'])
    expect((await memory.versions('s')).map(({ version, state }) => [version, state])).toEqual([
      [2, 'current'],
      [1, 'superseded'],
    ])
  })

  test('a slow source gets each result without waiting for the next item', async () => {
    let release = (): void => undefined
    async function* feed(): AsyncGenerator<RetainItem> {
      yield { content: 'The first of the feed.', source: 'f/1' }
      await new Promise<void>((resolve) => {
        release = resolve
      })
      yield { content: 'The second of the feed.', source: 'f/2' }
    }
    const statuses: string[] = []
    for await (const result of bank().retainMany(feed())) {
      statuses.push(result.status)
      release()
    }
    expect(statuses).toEqual(['created', 'created'])
  })

  test('a consumer that leaves early leaves whole documents behind', async () => {
    const memory = bank()
    for await (const result of memory.retainMany(notes(300))) {
      if (result.status === 'created') break
    }
    const { documents } = await memory.stats()
    expect(documents.current).toBeGreaterThan(0)
    expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
  })

  test('a fired signal ends the stream with CANCELLED, an error of the source with itself', async () => {
    const memory = bank()
    expect(await codeOf(collect(memory.retainMany(notes(3), { signal: AbortSignal.abort() })))).toBe(
      'CANCELLED',
    )
    async function* broken(): AsyncGenerator<RetainItem> {
      yield* notes(1)
      throw new Error('the source broke')
    }
    await expect(collect(memory.retainMany(broken()))).rejects.toThrow('the source broke')
  })

  test('what came before an error of the source is kept and told of, across batches', async () => {
    const memory = bank()
    async function* broken(): AsyncGenerator<RetainItem> {
      yield* notes(100)
      throw new Error('the source broke')
    }
    const told: RetainManyResult[] = []
    const all = async (): Promise<void> => {
      for await (const result of memory.retainMany(broken())) told.push(result)
    }
    await expect(all()).rejects.toThrow('the source broke')
    expect(told.map(({ status }) => status)).toEqual(notes(100).map(() => 'created'))
    expect((await memory.stats()).documents.current).toBe(100)
  })

  test('commits by texts to embed, so that a kill loses little, and no item is in a transaction with a far larger one', async () => {
    const memory = bank()
    const long = Array.from(
      { length: 300 },
      (_, at) => `# Part ${at}\n\n${`Part ${at} speaks of ${at * 7919} at length. `.repeat(12)}`,
    ).join('\n\n')
    const before = embedder.calls.length
    await collect(
      memory.retainMany([...notes(10), { content: long, source: 'long.md' }, ...notes(20).slice(10)]),
    )
    const sizes = embedder.calls.slice(before).map(({ texts }) => texts.length)
    // the ten before it, the long one in slices, the ten after it
    expect(sizes[0]).toBeLessThan(100)
    expect(sizes.slice(1, -1).some((size) => size > 256)).toBe(true)
    expect(sizes.at(-1)).toBeLessThan(100)
  })

  test('closing waits for the batch that is under way, and nothing is half there', async () => {
    const model = createFakeEmbedder()
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const order: string[] = []
    const memory = await createMemory({
      inMemory: true,
      embedder: {
        ...model,
        async embed(texts, options) {
          order.push('embedding')
          await held
          order.push('embedded')
          return model.embed(texts, options)
        },
      },
    })
    const first = codeOf(collect(memory.retainMany(notes(3))))
    while (order.length === 0) await new Promise(setImmediate)
    const closing = memory.close().then(() => order.push('closed'))
    // longer than a memory needs to close that waits for nothing
    await (await createMemory({ inMemory: true, embedder: model })).banks.create('other')
    release()
    await closing
    expect(await first).toBe('CLOSED')
    expect(order).toEqual(['embedding', 'embedded', 'closed'])
  })

  test('progress counts every item', async () => {
    const seen: string[] = []
    const onProgress = (progress: { done: number; source: string; status: string }) =>
      seen.push(`${progress.done} ${progress.source} ${progress.status}`)
    await collect(bank().retainMany([...notes(2), { content: '', source: 'e' }], { onProgress }))
    expect(seen).toEqual(['1 n/0 created', '2 n/1 created', '3 e failed'])
  })
})
