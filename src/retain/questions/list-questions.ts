import type { CueKind, CueOrigin } from '../../domain/cue.ts'
import { CUE_ORIGINS } from '../../domain/cue.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import type { ChunkCue, ChunkQuestions } from '../../domain/questions.ts'
import { formatRef } from '../../domain/ref.ts'
import type { BankStore } from '../../store/bank-store.ts'
import type { StoredChunk } from '../../store/queries/chunks.ts'
import { cuesOfChunks, type StoredCue } from '../../store/queries/cues.ts'
import { type Enrichment, enrichmentsOfChunks } from '../../store/queries/enrichments.ts'
import { findTarget } from './find-chunks.ts'

/** What leads to the chunks of a source, or to one chunk, in reading order. @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT */
export async function listQuestions(
  store: BankStore,
  target: string,
  origin?: CueOrigin | undefined,
): Promise<readonly ChunkQuestions[]> {
  if (origin !== undefined && !CUE_ORIGINS.includes(origin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', `origin must be one of ${CUE_ORIGINS.join(', ')}.`, {
      hint: 'Leave it out for the questions of all.',
      details: { option: 'origin' },
    })
  }
  const { database, bankId } = store
  const { chunks } = await findTarget(store, target)
  const ids = chunks.map(({ chunkId }) => chunkId)
  const cues = new Map<number, StoredCue[]>(ids.map((id) => [id, []]))
  for (const cue of await cuesOfChunks(database, bankId, ids)) cues.get(cue.chunkId)?.push(cue)
  const written = new Map((await enrichmentsOfChunks(database, bankId, ids)).map((one) => [one.chunkId, one]))
  return chunks.map((chunk) =>
    shown(
      chunk,
      (cues.get(chunk.chunkId) ?? []).filter((cue) => origin === undefined || cue.origin === origin),
      written.get(chunk.chunkId),
    ),
  )
}

function shown(
  { document, ordinal }: StoredChunk,
  cues: readonly StoredCue[],
  written: Enrichment | undefined,
): ChunkQuestions {
  const of = (kind: CueKind): readonly ChunkCue[] =>
    cues.filter((cue) => cue.kind === kind).map(({ text, origin }) => ({ text, origin }))
  return {
    ref: formatRef({
      ...{ source: document.source, version: document.version, ordinal },
      current: document.state === 'current',
    }),
    questions: cues
      .filter(({ kind }) => kind === 'question')
      .map(({ ordinal: place, text, origin }) => ({ n: place + 1, text, origin })),
    statements: of('statement'),
    concepts: of('concept'),
    writer: written === undefined ? null : writerOf(written),
  }
}

function writerOf({ modelId, prompt, madeAt, written, kept }: Enrichment): ChunkQuestions['writer'] {
  return { modelId, prompt, madeAt, written, kept }
}
