import type { Analyser } from '../../domain/analysis/analyser.ts'
import type { Document } from '../../domain/document.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { chunksByIds, chunksFrom, type StoredChunk } from '../../store/queries/chunks.ts'
import type { StoredCue } from '../../store/queries/cues.ts'
import { CONTEXT, wordsOf } from './cues-of-gone.ts'
import type { ShownChunk } from './shown-chunk.ts'

/** The document that takes cues over, and what of it is at hand. */
export interface Taker {
  readonly document: Pick<Document, 'source' | 'title'>
  readonly around: readonly ShownChunk[]
}

/**
 * Cues that another source's chunks have, without those into which a model may have put words of what stands around there and not here: a name that is
 * resolved there is no news of this text, and would stay here when that source is forgotten.
 *
 * @param cues of models
 */
export async function withoutForeignWords(
  { database, bankId }: Pick<BankStore, 'database' | 'bankId'>,
  analyser: Analyser,
  cues: readonly StoredCue[],
  { document, around }: Taker,
): Promise<readonly StoredCue[]> {
  const likes = await chunksByIds(database, bankId, [...new Set(cues.map(({ chunkId }) => chunkId))])
  const elsewhere = likes.filter((like) => like.document.source !== document.source)
  if (elsewhere.length === 0) return cues
  const here = [document.title ?? '', ...around.flatMap(({ facts, text }) => [...facts, text])]
  const own = new Set(here.flatMap((text) => analyser.terms(text)))
  const foreign = new Map<number, ReadonlySet<string>>()
  for (const run of runsOf(elsewhere)) {
    const [first, last] = [run[0]!, run.at(-1)!]
    const from = Math.max(0, first.ordinal - CONTEXT)
    const limit = last.ordinal + CONTEXT + 1 - from
    const there = await chunksFrom(database, bankId, first.documentId, from, limit)
    const terms = there.map((chunk) => new Set(analyser.terms(wordsOf(chunk))))
    for (const { chunkId, ordinal } of run) {
      const at = ordinal - from
      const near = terms.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1)
      foreign.set(chunkId, new Set(near.flatMap((some) => [...some].filter((term) => !own.has(term)))))
    }
  }
  return cues.filter(({ chunkId, text }) => {
    const words = foreign.get(chunkId)
    return words === undefined || !analyser.terms(text).some((term) => words.has(term))
  })
}

/** Chunks of one document that are near each other, in reading order: read together. */
function runsOf(chunks: readonly StoredChunk[]): readonly (readonly StoredChunk[])[] {
  const runs: StoredChunk[][] = []
  for (const chunk of chunks.toSorted((a, b) => a.documentId - b.documentId || a.ordinal - b.ordinal)) {
    const before = runs.at(-1)?.at(-1)
    const isNear = before?.documentId === chunk.documentId && chunk.ordinal - before.ordinal <= 2 * CONTEXT
    if (isNear) runs.at(-1)?.push(chunk)
    else runs.push([chunk])
  }
  return runs
}
