import { cuesOfChunks } from '../../store/queries/cues.ts'
import { type Enrichment, enrichmentsByInput } from '../../store/queries/enrichments.ts'
import { embedTexts } from '../embed-chunks.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { embeddingHash } from '../text-hash.ts'
import type { VectorSpool } from '../vector-spool.ts'
import { type Taker, withoutForeignWords } from './foreign-words.ts'
import type { ShownChunk } from './shown-chunk.ts'
import type { ModelCues } from './write-cues.ts'

/** Whether it was written after a time; without one whenever it was. */
export function isSince({ madeAt }: Enrichment, since: Date | undefined): boolean {
  return since === undefined || madeAt > since
}

/**
 * What a model wrote for the same input elsewhere in the bank (an earlier version, another source), for each of these chunks that has
 * such a like; their vectors come into the spool.
 */
export async function paidCues(
  deps: RetainDeps,
  chunks: readonly ShownChunk[],
  spool: VectorSpool,
  taker: Taker,
  options: { readonly anewSince?: Date | undefined; readonly signal?: AbortSignal | undefined },
): Promise<readonly ModelCues[]> {
  const { database, bankId } = deps.store
  const hashes = chunks.map(({ inputHash }) => inputHash)
  const known = await enrichmentsByInput(database, bankId, hashes)
  const paid = new Map(
    known.filter((one) => isSince(one, options.anewSince)).map((one) => [one.inputHash, one]),
  )
  if (paid.size === 0) return []
  const likes = [...paid.values()].map(({ chunkId }) => chunkId)
  const written = (await cuesOfChunks(database, bankId, likes)).filter(({ origin }) => origin === 'model')
  const cues = await withoutForeignWords(deps.store, deps.analyser, written, taker)
  const taken = chunks.flatMap((chunk): ModelCues[] => {
    const enrichment = paid.get(chunk.inputHash)
    if (enrichment === undefined) return []
    const own = cues
      .filter(({ chunkId }) => chunkId === enrichment.chunkId)
      .map(({ kind, text }) => ({ kind, text, origin: 'model' as const, embed: true }))
    const kept = Math.min(enrichment.kept, own.filter(({ kind }) => kind === 'question').length)
    return [{ cues: own, enrichment: { ...enrichment, chunkId: chunk.chunkId, kept } }]
  })
  const texts = new Map(taken.flatMap((one) => one.cues.map(({ text }) => [embeddingHash(text), text])))
  const embedder = await deps.embedder()
  await embedTexts(texts, spool, { ...deps.store, embedder, signal: options.signal })
  return taken
}
