import type { CueDraft, CueKind } from '../../domain/cue.ts'
import { CUE_KINDS } from '../../domain/cue.ts'
import type { Document } from '../../domain/document.ts'
import { copyCues, cuesOfChunks, deleteCues, type StoredCue } from '../../store/queries/cues.ts'
import { lockSource } from '../../store/queries/documents.ts'
import { type Enrichment, standingChunks, writeEnrichments } from '../../store/queries/enrichments.ts'
import { deleteTerms, writeTerms } from '../../store/queries/lexical-write.ts'
import { spacesOfBank } from '../../store/queries/spaces.ts'
import { copyVectors, deleteVectorsAt } from '../../store/queries/vectors-write.ts'
import { termsOfCues } from '../chunk-terms.ts'
import { queueForShadow } from '../other-spaces.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { embeddingHash } from '../text-hash.ts'
import type { VectorSpool } from '../vector-spool.ts'
import { requireSpace } from '../write-derived.ts'

/** What a model's reply comes to for one chunk. */
export interface ModelCues {
  readonly cues: readonly CueDraft[]
  readonly enrichment: Enrichment
}

/**
 * Puts a model's cues in place of those that models wrote for the same chunks before, behind the caller's and the rules', with their vectors and
 * terms, in one short transaction. Chunks that are gone meanwhile are left out; when one that the model was shown is gone, so is everything
 * that it wrote, since it may have put words of that one into others.
 *
 * @param shown ids of all chunks that the model was shown
 * @param spool has a vector of every cue
 * @returns ids of the chunks that were written
 */
export function writeModelCues(
  { store, analyser, clock }: RetainDeps,
  document: Pick<Document, 'documentId' | 'source'>,
  written: readonly ModelCues[],
  shown: readonly number[],
  spool: VectorSpool,
): Promise<ReadonlySet<number>> {
  const { database, bankId, space } = store
  const asked = written.map(({ enrichment }) => enrichment.chunkId)
  return database.transaction(async (tx) => {
    await lockSource(tx, bankId, document.source)
    const there = new Set(await standingChunks(tx, bankId, document.documentId, [...asked, ...shown]))
    const standing = new Set(shown.every((id) => there.has(id)) ? asked.filter((id) => there.has(id)) : [])
    if (standing.size === 0) return standing
    await requireSpace(tx, bankId, space)
    const ids = [...standing]
    const before = await cuesOfChunks(tx, bankId, ids)
    const old = before.filter(({ origin }) => origin === 'model')
    for (const one of await spacesOfBank(tx, bankId)) await deleteVectorsAt(tx, bankId, one, old)
    await deleteCues(tx, bankId, ids, ['model'])
    const stay = written.filter(({ enrichment }) => standing.has(enrichment.chunkId))
    const others = before.filter(({ origin }) => origin !== 'model')
    const rows = stay.flatMap((one) => rowsOf(one, others))
    await copyCues(tx, bankId, rows)
    await copyVectors(
      tx,
      bankId,
      space,
      rows.map(({ chunkId, kind, ordinal, text }) => {
        const textHash = embeddingHash(text)
        return { chunkId, kind, ordinal, textHash, vector: spool.get(textHash) }
      }),
    )
    await writeEnrichments(
      tx,
      bankId,
      stay.map(({ enrichment }) => enrichment),
    )
    await queueForShadow(tx, bankId, [document.documentId], new Date(clock.now()))
    // last: the bank's statistics are held from here to the end
    await deleteTerms(tx, bankId, ids, { counted: true, field: 1 })
    const all = [...others, ...rows]
    await writeTerms(
      tx,
      bankId,
      ids.map((id) =>
        termsOfCues(
          all.filter(({ chunkId }) => chunkId === id),
          id,
          analyser,
        ),
      ),
    )
    return standing
  })
}

/** Cues of a model stand behind the others of their kind. */
function rowsOf({ cues, enrichment }: ModelCues, others: readonly StoredCue[]): readonly StoredCue[] {
  const { chunkId } = enrichment
  const own = others.filter((cue) => cue.chunkId === chunkId)
  const next = new Map<CueKind, number>(
    CUE_KINDS.map((kind) => [kind, own.filter((cue) => cue.kind === kind).length]),
  )
  return cues.map(({ kind, text, origin, embed }) => {
    const ordinal = next.get(kind)!
    next.set(kind, ordinal + 1)
    return { chunkId, kind, ordinal, origin, embedded: embed, text }
  })
}
