import { createHash } from 'node:crypto'
import { isProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { EmbeddingModel, EmbedOptions } from './embedding-model.ts'

export interface EmbeddingCacheOptions {
  /** Vectors kept in memory, the least recently used leaves first. At 384 dimensions 1,000 take about 1.7 MB. @default 2000 */
  readonly maxEntries?: number
  /**
   * A second place to look, asked once a call for what memory does not have: vectors by text, of this model and purpose. What it
   * throws fails the call.
   */
  readonly lookup?: (
    texts: readonly string[],
    purpose: EmbedOptions['purpose'],
  ) => Promise<ReadonlyMap<string, Float32Array>>
}

interface Entry {
  readonly vector: Float32Array
  /** Parts that the text was split into; told again at every hit. */
  readonly parts: number
}

/**
 * The same model with a memory: a text is embedded once, also when several calls ask for it at the same time or one call
 * names it twice. Vectors are copies: callers may change them.
 */
export function withCache(model: EmbeddingModel, options: EmbeddingCacheOptions = {}): EmbeddingModel {
  const { maxEntries = 2000, lookup } = options
  const kept = new Map<string, Entry>()
  const underWay = new Map<string, Promise<Entry>>()

  const recall = (key: string): Entry | undefined => {
    const entry = kept.get(key)
    if (entry !== undefined) keep(key, entry)
    return entry
  }
  /** A Map holds its keys in the order of insertion: the first is the one that was not used for longest. */
  const keep = (key: string, entry: Entry): void => {
    kept.delete(key)
    kept.set(key, entry)
    if (kept.size > maxEntries) kept.delete(kept.keys().next().value!)
  }

  async function compute(
    missing: ReadonlyMap<string, string>,
    how: EmbedOptions,
  ): Promise<ReadonlyMap<string, Entry>> {
    const found = new Map<string, Entry>()
    const known = await lookup?.([...missing.values()], how.purpose)
    for (const [key, text] of missing) {
      const vector = known?.get(text)
      if (vector !== undefined) found.set(key, { vector, parts: 1 })
    }
    const rest = [...missing].filter(([key]) => !found.has(key))
    const parts = new Map<number, number>()
    const vectors = await model.embed(
      rest.map(([, text]) => text),
      { ...how, onSplit: (index, count) => parts.set(index, count) },
    )
    for (const [i, [key]] of rest.entries()) found.set(key, { vector: vectors[i]!, parts: parts.get(i) ?? 1 })
    for (const [key, entry] of found) keep(key, entry)
    return found
  }

  /** Entries of keys that memory does not have: what another call computes is waited for, the rest computed. */
  async function fetch(
    wanted: ReadonlyMap<string, string>,
    how: EmbedOptions,
  ): Promise<ReadonlyMap<string, Entry>> {
    const own = new Map([...wanted].filter(([key]) => !underWay.has(key)))
    const others = [...wanted.keys()]
      .filter((key) => underWay.has(key))
      .map((key) => [key, underWay.get(key)!] as const)
    const computing = own.size === 0 ? Promise.resolve(new Map<string, Entry>()) : compute(own, how)
    for (const key of own.keys()) {
      const entry = computing.then((found) => found.get(key)!)
      entry.catch(() => undefined) // whoever waits hears of it; so does the call below
      underWay.set(key, entry)
    }
    try {
      const found = new Map(await computing)
      for (const [key, entry] of others) {
        const shared = await entry.catch((error: unknown) => {
          throwIfAborted(how.signal)
          // the other caller gave up, we have not: left out here, so that it is asked for again
          if (isProlepsisError(error) && error.code === 'CANCELLED') return null
          throw error
        })
        if (shared !== null) found.set(key, shared)
      }
      return found
    } finally {
      for (const key of own.keys()) underWay.delete(key)
    }
  }

  return {
    modelId: model.modelId,
    dimension: model.dimension,
    maxTokens: model.maxTokens,
    countTokens: (text) => model.countTokens(text),
    close: () => model.close(),
    async embed(texts, how) {
      throwIfAborted(how.signal)
      const keys = texts.map((text) => keyOf(how.purpose, text))
      const entries = new Map<string, Entry>()
      for (;;) {
        const missing = new Map<string, string>()
        keys.forEach((key, i) => {
          const entry = entries.get(key) ?? recall(key)
          if (entry === undefined) missing.set(key, texts[i]!)
          else entries.set(key, entry)
        })
        if (missing.size === 0) break
        for (const [key, entry] of await fetch(missing, how)) entries.set(key, entry)
      }
      return keys.map((key, i) => {
        const { vector, parts } = entries.get(key)!
        if (parts > 1) how.onSplit?.(i, parts)
        return vector.slice()
      })
    },
  }
}

/** A hash, so that long texts are not kept: 16 bytes of SHA-256. */
function keyOf(purpose: EmbedOptions['purpose'], text: string): string {
  return createHash('sha256').update(`${purpose}\n`).update(text).digest('hex').slice(0, 32)
}
