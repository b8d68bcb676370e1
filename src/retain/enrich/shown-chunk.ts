import { createHash } from 'node:crypto'
import type { Analyser } from '../../domain/analysis/analyser.ts'
import type { Chunk, ChunkDraft } from '../../domain/chunk.ts'
import type { Document } from '../../domain/document.ts'

/** A chunk as a model is shown it. */
export interface ShownChunk {
  readonly chunkId: number
  readonly ordinal: number
  /** Length in the embedder's tokens: about that in the model's. */
  readonly tokens: number
  /** Heading path, speaker and date, each where there is one. */
  readonly facts: readonly string[]
  readonly text: string
  /** Most questions that it may get. */
  readonly most: number
  /** Of all that decides what a model would write, the model's name aside: 32 hex digits. */
  readonly inputHash: string
}

/** Chunks before and after one that are shown with it, so that names and dates can be put in. */
export const SHOWN_BEFORE = 2
export const SHOWN_AFTER = 1
/** Of a neighbour the nearest so many characters. */
const NEIGHBOUR_LENGTH = 300

const MOST_QUESTIONS = 15
/**
 * Distinct terms that make room for one question: counts length and density at once, so that a text that repeats itself gets few. A chat turn
 * of 30 words has about 12, a full chunk of prose 90.
 */
const TERMS_A_QUESTION = 6

/** Questions that a text of so many distinct terms may get: 1 to 15. */
export function mostQuestions(distinctTerms: number): number {
  return Math.max(1, Math.min(MOST_QUESTIONS, Math.ceil(distinctTerms / TERMS_A_QUESTION)))
}

type ShownDocument = Pick<Document, 'title' | 'format' | 'occurredAt'>
type ShownDraft = Pick<ChunkDraft, 'label' | 'speaker' | 'occurredAt' | 'content' | 'text' | 'attributes'>
type Shown = ShownDraft & Pick<Chunk, 'chunkId' | 'ordinal'> & { readonly tokens: number }

/**
 * @param chunks neighbours in reading order
 * @param promptId name and version of all that the model is told
 */
export function shownChunks(
  document: ShownDocument,
  chunks: readonly Shown[],
  promptId: string,
  analyser: Analyser,
): readonly ShownChunk[] {
  return chunks.map((chunk, at) => {
    const facts = factsOf(document, chunk)
    const text = textOf(chunk)
    return {
      chunkId: chunk.chunkId,
      ordinal: chunk.ordinal,
      tokens: chunk.tokens,
      ...{ facts, text },
      most: mostQuestions(new Set(analyser.terms(text)).size),
      inputHash: inputHash(document, chunks, at, promptId),
    }
  })
}

/**
 * Of what a model is shown of the chunk at a place. What stands before counts in a conversation alone: there a turn often means nothing
 * without it. Elsewhere a chunk that stays keeps its questions whatever becomes of the text around it.
 */
export function inputHash(
  document: ShownDocument,
  chunks: readonly ShownDraft[],
  at: number,
  promptId: string,
): string {
  const chunk = chunks[at]!
  const before = chunks.slice(Math.max(0, at - SHOWN_BEFORE), at)
  const context =
    document.format === 'chat' ? before.map((chunk) => [chunk.speaker, tail(textOf(chunk))]) : []
  const input = JSON.stringify([promptId, document.title, factsOf(document, chunk), textOf(chunk), context])
  return createHash('sha256').update(input).digest('hex').slice(0, 32)
}

function factsOf(document: ShownDocument, chunk: ShownDraft): readonly string[] {
  const when = chunk.occurredAt ?? document.occurredAt
  return [
    ...(chunk.label === null ? [] : [`heading: ${chunk.label}`]),
    ...(chunk.speaker === null ? [] : [`speaker: ${chunk.speaker}`]),
    ...(when === null ? [] : [`date: ${dayOf(when)}`]),
  ]
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** With the day of the week: "last Friday" is counted from it. */
function dayOf(when: Date): string {
  return `${when.toISOString().slice(0, 10)}, ${DAYS[when.getUTCDay()]}`
}

function textOf({ content, text, attributes }: ShownDraft): string {
  const { caption } = attributes
  const said = content ?? text
  return content === null || caption === undefined || said.includes(caption)
    ? said
    : `${said}\n[shares a picture: ${caption}]`
}

/** The end of what stands before, whole characters. */
export function tail(text: string): string {
  const plain = text.trim()
  return plain.length <= NEIGHBOUR_LENGTH
    ? plain
    : `…${plain.slice(-NEIGHBOUR_LENGTH).replace(/^[\udc00-\udfff]/, '')}`
}

/** The beginning of what comes after, whole characters. */
export function head(text: string): string {
  const plain = text.trim()
  return plain.length <= NEIGHBOUR_LENGTH
    ? plain
    : `${plain.slice(0, NEIGHBOUR_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`
}
