import type { CueDraft } from '../domain/cue.ts'
import type { Document } from '../domain/document.ts'
import type { Queryable } from '../store/database.ts'
import type { StoredChunk } from '../store/queries/chunks.ts'
import { cuesOfChunks, type StoredCue } from '../store/queries/cues.ts'
import { readFrontMatter } from './chunk/front-matter.ts'
import { derive, spansOf } from './derive.ts'
import type { DerivedChunks } from './derived-chunks.ts'
import type { DocumentLabels } from './document-labels.ts'
import { keepCues } from './keep-cues.ts'
import type { RetainDeps } from './retain-deps.ts'
import type { CallerQuestions } from './retain-options.ts'

/** A cue of the caller's or a model's, with the chunk that has it. */
export interface PlacedCue {
  readonly chunkId: number
  readonly cue: CueDraft
}

/** What is to become of the cues that no rule makes. */
export interface CueChange {
  /** New questions of the caller, in place of those that are there. @default those that are there */
  readonly questions?: CallerQuestions | undefined
  /** The cues of callers and models that are to be there, of those that are. @default the same */
  readonly edit?: ((cues: readonly PlacedCue[]) => readonly PlacedCue[]) | undefined
}

export interface DerivedAgain {
  readonly chunks: DerivedChunks
  readonly notes: readonly string[]
  /** The cues of callers and models that the chunks were given. */
  readonly kept: readonly StoredCue[]
  /** The chunks with those that are there by now. */
  withKept(kept: readonly StoredCue[]): DerivedChunks
}

/** What the rules make of a document's text now, with the cues of callers and models that it has. */
export async function deriveAgain(
  deps: RetainDeps,
  document: Document,
  stored: readonly StoredChunk[],
  labels: DocumentLabels,
  { questions, edit = (cues) => cues }: CueChange,
): Promise<DerivedAgain> {
  const text = stored.map((chunk) => chunk.text).join('')
  const frontMatter = document.format === 'markdown' ? (readFrontMatter(text)?.values ?? {}) : {}
  const embedder = await deps.embedder()
  const derived = await derive({ ...document, ...labels, text, frontMatter }, questions, {
    analyser: deps.analyser,
    language: deps.store.language,
    maxTokens: embedder.maxTokens,
    countTokens: (part) => embedder.countTokens(part),
  })
  const starts = startBytes(stored)
  const withKept = (kept: readonly StoredCue[]): DerivedChunks => {
    const cues = kept
      .filter(({ origin }) => origin === 'model' || questions === undefined)
      .map(({ chunkId, kind, origin, embedded, text: said }) => ({
        chunkId,
        cue: { kind, origin, embed: embedded, text: said },
      }))
    return keepCues(
      derived.chunks,
      edit(cues).map(({ chunkId, cue }) => ({ startByte: starts.get(chunkId)!, cue })),
    )
  }
  const ids = stored.map((chunk) => chunk.chunkId)
  const kept = await keptCuesOf(deps.store.database, deps.store.bankId, ids)
  return { chunks: withKept(kept), notes: derived.notes, kept, withKept }
}

/** The cues of chunks that no rule makes. */
export async function keptCuesOf(
  q: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<readonly StoredCue[]> {
  return (await cuesOfChunks(q, bankId, chunkIds)).filter(({ origin }) => origin !== 'rules')
}

/** Where each stored chunk begins in what is left of the text (parts of it may have been forgotten). */
export function startBytes(stored: readonly StoredChunk[]): ReadonlyMap<number, number> {
  const spans = spansOf(stored)
  return new Map(stored.map((chunk, at) => [chunk.chunkId, spans[at]!.startByte]))
}

export function isSameCut(stored: readonly StoredChunk[], chunks: DerivedChunks): boolean {
  if (stored.length !== chunks.length) return false
  let at = 0
  for (const { draft } of chunks.cut) if (stored[at++]!.text !== draft.text) return false
  return true
}
