import { describe, expect, test } from 'vitest'
import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import type { EngineEvent } from '../domain/events.ts'
import { createFakeEmbedder, type FakeEmbedder } from '../providers/fake/fake-embedder.ts'
import type { SharedServices } from '../store/database.ts'
import { injectedEmbedder } from './embedder-source.ts'
import { createCallLine } from './engine.ts'
import { askingOwner, serveEmbedder } from './shared-embedder.ts'

/** The services of a folder as two processes see them: `owner` answers what `client` asks. */
function twoProcesses(): { readonly owner: SharedServices; readonly client: SharedServices } {
  const handlers = new Map<string, (payload: unknown) => Promise<unknown>>()
  const call = async (name: string, payload: unknown): Promise<unknown> => {
    const handler = handlers.get(name)
    if (handler === undefined) throw new ProlepsisError('NOT_FOUND', `No ${name}.`)
    return structuredClone(await handler(structuredClone(payload)))
  }
  const serve: SharedServices['serve'] = (name, handler) => void handlers.set(name, handler)
  return {
    owner: { isOwner: () => true, serve, call },
    client: { isOwner: () => false, serve: () => {}, call },
  }
}

/** A client beside an owner; each embeds with a model of its own that counts what it does. */
function clientBeside(ofOwner: FakeEmbedder | null): {
  readonly own: FakeEmbedder
  readonly events: EngineEvent[]
  readonly source: ReturnType<typeof askingOwner>
} {
  const { owner, client } = twoProcesses()
  if (ofOwner !== null) serveEmbedder(injectedEmbedder(ofOwner), owner, createCallLine())
  const own = createFakeEmbedder()
  const events: EngineEvent[] = []
  const source = askingOwner(injectedEmbedder(own), client, { emit: (event) => void events.push(event) })
  return { own, events, source }
}

describe('a process beside the owner of its data folder', () => {
  test('lets the owner embed, and is told of split texts', async () => {
    const ofOwner = createFakeEmbedder()
    const { own, events, source } = clientBeside(ofOwner)
    const model = await source.load()
    const splits: [number, number][] = []
    const texts = ['herons', 'word '.repeat(ofOwner.maxTokens + 10)]
    const onSplit = (index: number, parts: number): void => void splits.push([index, parts])
    const vectors = await model.embed(texts, { purpose: 'query', onSplit })
    expect(vectors).toEqual(await createFakeEmbedder().embed(texts, { purpose: 'query' }))
    expect(splits).toEqual([[1, 2]])
    expect(ofOwner.calls).toHaveLength(1)
    expect(own.calls).toHaveLength(0)
    expect(events).toEqual([])
    expect(model.countTokens('one two')).toBe(own.countTokens('one two'))
  })

  test.each([
    ['does not embed', null],
    ['has another model', createFakeEmbedder({ dimension: 8 })],
  ])('embeds by itself where the owner %s', async (_case, ofOwner) => {
    const { own, events, source } = clientBeside(ofOwner)
    expect(await (await source.load()).embed(['herons'], { purpose: 'symmetric' })).toHaveLength(1)
    expect(own.calls).toHaveLength(1)
    expect(events).toEqual([])
  })

  test('embeds by itself, visibly, when the owner fails', async () => {
    const failing = createFakeEmbedder()
    const broken = { ...failing, embed: () => Promise.reject(new Error('out of memory')) }
    const { own, events, source } = clientBeside(broken)
    expect(await (await source.load()).embed(['herons'], { purpose: 'query' })).toHaveLength(1)
    expect(own.calls).toHaveLength(1)
    expect(events).toMatchObject([{ type: 'warning', code: 'embedder-not-shared' }])
  })

  test('stops waiting for the owner when it is cancelled', async () => {
    const hanging = { ...createFakeEmbedder(), embed: () => new Promise<Float32Array[]>(() => undefined) }
    const { own, source } = clientBeside(hanging)
    const cancel = new AbortController()
    const call = (await source.load()).embed(['herons'], { purpose: 'query', signal: cancel.signal })
    cancel.abort()
    const error: unknown = await call.catch((reason: unknown) => reason)
    expect(isProlepsisError(error) && error.code).toBe('CANCELLED')
    expect(own.calls).toHaveLength(0)
  })
})

test('the owner itself asks nobody', async () => {
  const { owner } = twoProcesses()
  const own = createFakeEmbedder()
  const source = askingOwner(injectedEmbedder(own), owner, { emit: () => {} })
  await (await source.load()).embed(['herons'], { purpose: 'query' })
  expect(own.calls).toHaveLength(1)
})

test('the owner refuses what is no request', async () => {
  const { owner } = twoProcesses()
  serveEmbedder(injectedEmbedder(createFakeEmbedder()), owner, createCallLine())
  for (const payload of [null, 'x', {}, { modelId: 'm', dimension: 3, purpose: 'query', texts: [1] }]) {
    const error: unknown = await owner.call('embed', payload).catch((reason: unknown) => reason)
    expect(isProlepsisError(error) && error.code).toBe('NOT_FOUND')
  }
})
