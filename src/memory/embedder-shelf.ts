import { isDeepStrictEqual } from 'node:util'
import type { SpaceSettings } from '../domain/embedder.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { EmbedderSource } from './embedder-source.ts'

type Named = Pick<VectorSpace, 'modelId' | 'dimension'>

/** A model that the memory has. */
export interface ShelvedEmbedder {
  readonly source: EmbedderSource
  /** Under which a memory has it; null: only this process, by its code. */
  readonly settings: SpaceSettings | null
}

/**
 * The embedding models of a memory: its own, and those that banks are moved to while it is open, so that the same memory serves a bank
 * before a cut-over and after it.
 */
export interface EmbedderShelf {
  readonly own: ShelvedEmbedder
  /** The model of a space, or null when the memory has none. */
  of(space: Named): Promise<ShelvedEmbedder | null>
  /** The same for one that was put here: what can be told without asking the memory's own. */
  settingsOf(space: Named): SpaceSettings | null
  /** The model that a memory has under those settings; not put here yet. @throws ProlepsisError PROVIDER_UNKNOWN */
  under(settings: SpaceSettings): ShelvedEmbedder
  /** Keeps a model until the memory is closed; of two of one space the last stays, but the memory's own stays before all. */
  put(embedder: ShelvedEmbedder): Promise<ShelvedEmbedder & { readonly identity: Named }>
  /** Frees those that are ours. Idempotent. */
  close(): Promise<void>
}

export function createEmbedderShelf(
  own: ShelvedEmbedder,
  under: (settings: SpaceSettings) => EmbedderSource,
): EmbedderShelf {
  const known = new Map<string, ShelvedEmbedder>()
  const replaced: ShelvedEmbedder[] = []
  const keyOf = ({ modelId, dimension }: Named): string => `${dimension} ${modelId}`
  const ownKey = async (asked: Named): Promise<string> => {
    const key = keyOf(await own.source.identity(asked))
    known.set(key, own)
    return key
  }
  return {
    own,
    async of(space) {
      const there = known.get(keyOf(space))
      if (there !== undefined) return there
      return (await ownKey(space)) === keyOf(space) ? own : null
    },
    under: (settings) => ({ source: under(settings), settings }),
    settingsOf: (space) => known.get(keyOf(space))?.settings ?? null,
    async put(embedder) {
      const identity = await embedder.source.identity()
      // the memory's own may have no files; then there is only the one that was given
      await ownKey(identity).catch(() => undefined)
      const key = keyOf(identity)
      const there = known.get(key)
      if (there !== undefined && (there === own || isSame(there, embedder))) {
        if (there !== embedder) await embedder.source.close()
        return { ...there, identity }
      }
      // a call may be embedding with the one that it takes the place of: that is freed at the end
      if (there !== undefined) replaced.push(there)
      known.set(key, embedder)
      return { ...embedder, identity }
    },
    async close() {
      for (const { source } of new Set([own, ...known.values(), ...replaced])) await source.close()
    },
  }
}

/** Whether both are what the same settings name. */
const isSame = (a: ShelvedEmbedder, b: ShelvedEmbedder): boolean =>
  a === b || (a.settings !== null && isDeepStrictEqual(a.settings, b.settings))
