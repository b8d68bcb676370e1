import { isDeepStrictEqual } from 'node:util'
import type { ChunkDraft } from '../domain/chunk.ts'
import type { ChunkCues, CueDraft } from '../domain/cue.ts'
import type { Document } from '../domain/document.ts'
import { chunksOfDocument, type StoredChunk } from '../store/queries/chunks.ts'
import { cuesOfChunks, type StoredCue } from '../store/queries/cues.ts'
import { findDocument } from '../store/queries/documents.ts'
import { readFrontMatter } from './chunk/front-matter.ts'
import { CUE_MARGIN, cutOf, deriveCues, withQuestions } from './derive.ts'
import { keptCuesOf } from './derive-again.ts'
import { type DocumentLabels, labelsWithout } from './document-labels.ts'
import type { Measure } from './embed-remains.ts'
import { cuesOfGone, shownWithGone } from './enrich/cues-of-gone.ts'
import { ordinalAtByte } from './keep-cues.ts'
import type { RetainDeps } from './retain-deps.ts'
import type { PlacedChunk } from './write-derived.ts'

/** A document without some of its chunks: what has to be written anew, and what it was made from. */
export interface Remains {
  readonly document: Document
  /** Every chunk that the document had, in order. */
  readonly chunkIds: readonly number[]
  /** Null when they stay. */
  readonly labels: DocumentLabels | null
  /** The chunks that stay whose cues, label or vectors may change. */
  readonly changed: readonly PlacedChunk[]
  /** The cues of callers and models that these had. */
  readonly kept: readonly StoredCue[]
}

/** Null when the document is not there, or nothing of it is left. Chunks that stay keep their ids, ordinals and text. */
export async function remainsOf(
  deps: RetainDeps,
  documentId: number,
  gone: ReadonlySet<number>,
  measure: Measure,
): Promise<Remains | null> {
  const { database, bankId, language } = deps.store
  const document = await findDocument(database, bankId, documentId)
  const stored = await chunksOfDocument(database, bankId, documentId)
  const left = stored.filter(({ chunkId }) => !gone.has(chunkId))
  if (document === null || left.length === 0) return null
  const [before, text] = [textOf(stored), textOf(left)]
  const labels = document.format === 'markdown' ? labelsWithout(document, before, text) : document
  const newLabels = labels.title !== document.title || !isDeepStrictEqual(labels.metadata, document.metadata)
  const cueDeps = { analyser: deps.analyser, language, ...measure }
  const frontMatter = document.format === 'markdown' ? (readFrontMatter(text)?.values ?? {}) : {}
  const source = { ...document, ...labels, text, frontMatter }
  const drafts =
    document.format === 'chat' ? left.map(draftOf) : relabelled(left, await cutOf(source, cueDeps))
  const beside = besideGone(stored, gone)
  const ofModels = (await cuesOfChunks(database, bankId, shownWithGone(stored, gone))).filter(isOfModel)
  const telling = cuesOfGone(stored, gone, ofModels, deps.analyser)
  const tells = new Set([...telling].map(({ chunkId }) => chunkId))
  const touched = left.flatMap((chunk, at) => {
    const { chunkId } = chunk
    const stays =
      !newLabels &&
      !beside.has(chunkId) &&
      !tells.has(chunkId) &&
      isDeepStrictEqual(draftOf(chunk), drafts[at])
    return stays ? [] : [at]
  })
  const cues = cuesAt(new Set(touched), deriveCues(source, drafts, cueDeps))
  const kept = await keptCuesOf(
    database,
    bankId,
    touched.map((at) => left[at]!.chunkId),
  )
  const changed = touched.map((at): PlacedChunk => {
    const { chunkId, ordinal, span, tokens } = left[at]!
    const derived = cues.get(at)!
    const own = kept.filter((cue) => cue.chunkId === chunkId)
    const asked = own.filter((cue) => cue.origin === 'caller').map((cue) => cue.text)
    const ofModel = own
      .filter((cue) => isOfModel(cue) && ![...telling].some((one) => isDeepStrictEqual(one, cue)))
      .map(
        ({ kind, origin, embedded, text: said }): CueDraft => ({ kind, origin, embed: embedded, text: said }),
      )
    const chunk = { ...derived, draft: drafts[at]!, span, tokens }
    return {
      ...{ chunkId, documentId, ordinal },
      chunk: { ...chunk, cues: [...withQuestions(asked, derived.cues), ...ofModel] },
    }
  })
  return {
    document,
    chunkIds: stored.map(({ chunkId }) => chunkId),
    labels: newLabels ? labels : null,
    changed,
    kept,
  }
}

const isOfModel = ({ origin }: StoredCue): boolean => origin === 'model'

/** What is derived at some places: of a long document it would be too much at all of them. */
function cuesAt(places: ReadonlySet<number>, all: Iterable<ChunkCues>): ReadonlyMap<number, ChunkCues> {
  const cues = new Map<number, ChunkCues>()
  let at = 0
  for (const derived of all) {
    if (places.has(at)) cues.set(at, derived)
    at++
  }
  return cues
}

const textOf = (chunks: readonly StoredChunk[]): string => chunks.map((chunk) => chunk.text).join('')

export function draftOf({
  text,
  kind,
  label,
  speaker,
  occurredAt,
  content,
  attributes,
}: StoredChunk): ChunkDraft {
  return { text, kind, label, speaker, occurredAt, content, attributes }
}

/** The chunks near enough to one that goes for their cues to have looked at it. */
function besideGone(stored: readonly StoredChunk[], gone: ReadonlySet<number>): ReadonlySet<number> {
  const beside = new Set<number>()
  stored.forEach(({ chunkId }, at) => {
    if (!gone.has(chunkId)) return
    for (const { chunkId: near } of stored.slice(Math.max(0, at - CUE_MARGIN), at + CUE_MARGIN + 1))
      beside.add(near)
  })
  return beside
}

/** The same chunks with the headings and symbols that the text above them still gives: those of the part of a new cut that they begin in. */
function relabelled(left: readonly StoredChunk[], cut: readonly ChunkDraft[]): readonly ChunkDraft[] {
  let end = 0
  const ends = cut.map(({ text }) => {
    end += Buffer.byteLength(text)
    return { endByte: end }
  })
  let start = 0
  return left.map((chunk) => {
    const { label, attributes } = cut[ordinalAtByte(ends, start)]!
    start += Buffer.byteLength(chunk.text)
    const { symbol: _symbol, ...others } = chunk.attributes
    const symbol = attributes.symbol === undefined ? {} : { symbol: attributes.symbol }
    return { ...draftOf(chunk), label, attributes: { ...others, ...symbol } }
  })
}
