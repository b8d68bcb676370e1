import type { Document } from '../../domain/document.ts'
import type { ExportedPart } from '../../domain/portable.ts'
import type { StoredChunk } from '../../store/queries/chunks.ts'
import type { Enrichment } from '../../store/queries/enrichments.ts'
import type { DerivedChunks } from '../derived-chunks.ts'
import { ordinalAtByte } from '../keep-cues.ts'
import { inputHash } from './shown-chunk.ts'

/**
 * What was paid for chunks that are cut or labelled anew stays paid for: it goes with the cues to the chunk that now holds the first byte, under the
 * hash of that chunk. What had changed before (a neighbour in a conversation, the date) stays to be asked again.
 *
 * @param document with the labels that it had
 * @param starts where each stored chunk begins
 * @param ids of the new chunks
 * @returns those that are other than they were
 */
export function carriedEnrichments(
  document: Pick<Document, 'title' | 'format' | 'occurredAt'>,
  before: {
    readonly stored: readonly StoredChunk[]
    readonly starts: ReadonlyMap<number, number>
    readonly enrichments: readonly Enrichment[]
  },
  after: { readonly chunks: DerivedChunks; readonly ids: readonly number[] },
): readonly Enrichment[] {
  if (before.enrichments.length === 0) return []
  const places = new Map(before.stored.map(({ chunkId }, at) => [chunkId, at]))
  const drafts = [...after.chunks.cut].map(({ draft }) => draft)
  const carried = before.enrichments.map((one) => {
    const ordinal = ordinalAtByte(after.chunks.spans, before.starts.get(one.chunkId)!)
    const stood = inputHash(document, before.stored, places.get(one.chunkId)!, one.prompt) === one.inputHash
    const hash = stood ? inputHash(document, drafts, ordinal, one.prompt) : one.inputHash
    return { ...one, chunkId: after.ids[ordinal]!, inputHash: hash }
  })
  const changed = carried.filter((one, at) => {
    const { chunkId, inputHash: hash } = before.enrichments[at]!
    return one.chunkId !== chunkId || one.inputHash !== hash
  })
  // of several old chunks that became one, the last counts
  return [...new Map(changed.map((one) => [one.chunkId, one])).values()]
}

/**
 * What was paid for parts of an imported document, on the chunks that hold them. A part that is cut otherwise here gets the hash of the chunk that it
 * is in now.
 */
export function importedEnrichments(
  document: Pick<Document, 'title' | 'format' | 'occurredAt'>,
  parts: readonly ExportedPart[],
  { chunks, ids }: { readonly chunks: DerivedChunks; readonly ids: readonly number[] },
): readonly Enrichment[] {
  const paid = parts.filter(({ enrichment }) => enrichment !== undefined)
  if (paid.length === 0) return []
  const drafts = [...chunks.cut].map(({ draft }) => draft)
  const found = paid.map(({ startByte, enrichment }): Enrichment => {
    const { madeAt, ...asked } = enrichment!
    const ordinal = ordinalAtByte(chunks.spans, startByte)
    const isSame = chunks.spans[ordinal]!.startByte === startByte
    const hash = isSame ? asked.inputHash : inputHash(document, drafts, ordinal, asked.prompt)
    return { ...asked, chunkId: ids[ordinal]!, inputHash: hash, madeAt: new Date(madeAt) }
  })
  return [...new Map(found.map((one) => [one.chunkId, one])).values()]
}
