import { ProlepsisError } from '../domain/errors.ts'
import type { Passage, ScoreParts } from '../domain/recall.ts'
import { formatRef, parseRef } from '../domain/ref.ts'
import { chunkByRef, chunksByIds, type StoredChunk } from '../store/queries/chunks.ts'
import { cueTexts } from '../store/queries/cues.ts'
import { text } from './check-values.ts'
import type { RecallDeps } from './deps.ts'
import type { Surroundings } from './expand.ts'
import type { Candidate } from './rank.ts'

type StoreOnly = Pick<RecallDeps, 'store'>

/** Parts of a passage that was asked for by name: nothing was scored. */
export const UNSCORED: ScoreParts = { channels: {}, ranks: {}, features: {}, fused: 1, lift: 1, rerank: null }

export function refOf(chunk: StoredChunk): string {
  const { source, version, state } = chunk.document
  return formatRef({ source, version, ordinal: chunk.ordinal, current: state === 'current' })
}

/** A stored chunk as a passage. */
export function passageOf(
  chunk: StoredChunk,
  scored: {
    readonly score: number
    readonly parts: ScoreParts
    readonly cue?: Passage['cue'] | undefined
    readonly surroundings?: Surroundings | undefined
  } = { score: 1, parts: UNSCORED },
): Passage {
  const { document } = chunk
  return {
    ref: refOf(chunk),
    chunkId: chunk.chunkId,
    text: chunk.text,
    source: document.source,
    span: chunk.span,
    kind: chunk.kind,
    label: chunk.label,
    speaker: chunk.speaker,
    occurredAt: chunk.occurredAt ?? document.occurredAt,
    tags: document.tags,
    metadata: document.metadata,
    trust: document.trust,
    tokens: chunk.tokens + (scored.surroundings?.tokens ?? 0),
    score: scored.score,
    parts: scored.parts,
    cue: scored.cue ?? null,
    before: scored.surroundings?.before ?? '',
    after: scored.surroundings?.after ?? '',
  }
}

/** Candidates as passages, in the same order, with the cues that led to them. */
export async function passagesOf(
  deps: StoreOnly,
  candidates: readonly Candidate[],
  surroundings: ReadonlyMap<number, Surroundings> = new Map(),
): Promise<Passage[]> {
  const { database, bankId } = deps.store
  const ids = candidates.map(({ chunk }) => chunk.chunkId)
  const places = candidates.flatMap(({ chunk: { chunkId }, cue }) =>
    cue === null ? [] : [{ chunkId, ...cue }],
  )
  const [chunks, met] = await Promise.all([
    chunksByIds(database, bankId, ids),
    cueTexts(database, bankId, places),
  ])
  return candidates.flatMap(({ chunk, score, parts, cue }) => {
    const stored = chunks.find((other) => other.chunkId === chunk.chunkId)
    // Forgotten since it was found.
    if (stored === undefined) return []
    const text = met.get(chunk.chunkId)
    return [
      passageOf(stored, {
        ...{ score, parts },
        cue: cue === null || text === undefined ? null : { kind: cue.kind, text },
        surroundings: surroundings.get(chunk.chunkId),
      }),
    ]
  })
}

/** The chunk that a ref names, or null. */
export async function chunkAt(deps: StoreOnly, ref: string): Promise<StoredChunk | null> {
  const parsed = parseRef(text(ref, 'ref'))
  if (parsed === null) return null
  const { source, ordinal, version } = parsed
  return chunkByRef(deps.store.database, deps.store.bankId, {
    source,
    ordinal,
    version: version ?? undefined,
  })
}

/** The chunk that a ref names. @throws ProlepsisError INVALID_ARGUMENT when it is no ref, NOT_FOUND when nothing is there */
export async function requireChunk(deps: StoreOnly, ref: string): Promise<StoredChunk> {
  if (parseRef(text(ref, 'ref')) === null) {
    throw new ProlepsisError('INVALID_ARGUMENT', `"${ref.slice(0, 80)}" is not a ref.`, {
      hint: 'A ref is a source and a place: notes.md#3, or notes.md@2#3 for version 2.',
      details: { option: 'ref' },
    })
  }
  const chunk = await chunkAt(deps, ref)
  if (chunk !== null) return chunk
  throw new ProlepsisError(
    'NOT_FOUND',
    `There is no chunk at "${ref.slice(0, 80)}" in bank "${deps.store.bank}".`,
    {
      hint: 'It may have been superseded, deleted or forgotten; "documents" lists what is there.',
      details: { ref: ref.slice(0, 200) },
    },
  )
}
