import type { Analyser } from '../domain/analysis/analyser.ts'
import type { ChunkDraft, Span } from '../domain/chunk.ts'
import type { ChunkCues, CueDraft } from '../domain/cue.ts'
import type { Format } from '../domain/document.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { assignQuestions, type ChunkTexts } from './caller-questions.ts'
import { chunkText } from './chunk/chunk-text.ts'
import { eachCues } from './cue/make-cues.ts'
import { type DerivedChunks, derivedChunks } from './derived-chunks.ts'
import type { CallerQuestions } from './retain-options.ts'
import type { ChunkResult } from './stages.ts'

/** A document's text with all that deriving depends on. */
export interface Source {
  readonly source: string
  readonly text: string
  readonly format: Format
  readonly codeLanguage: string | null
  readonly title: string | null
  readonly occurredAt: Date | null
  readonly frontMatter: Readonly<Record<string, unknown>>
}

export interface Derived {
  readonly chunks: DerivedChunks
  readonly notes: readonly string[]
}

export interface DeriveDeps {
  readonly analyser: Analyser
  readonly language: string
  readonly maxTokens: number
  readonly countTokens: (text: string) => number
}

/** Special tokens that a model adds to every text. */
const SPECIAL_TOKENS = 2
/** Room in the model's window for what is put before a chunk: heading path, speaker, dates. */
const LABEL_TOKENS = 64
/** Cues of very long texts are made in pieces of so many chunks, so that memory stays bounded. */
const CUE_SLICE = 4000
/** Chunks on either side of a piece that its cues may look at. */
export const CUE_MARGIN = 4

/** Cuts a text into chunks and derives their cues. Nothing is embedded or stored yet. */
export async function derive(
  source: Source,
  questions: CallerQuestions | undefined,
  deps: DeriveDeps,
): Promise<Derived> {
  const { chunks: drafts, notes } = await cut(source, deps)
  assertVerbatim(source.text, drafts)
  const asked = assignQuestions(questions, textsOf(drafts), deps.analyser)
  const chunks = derivedChunks({
    drafts,
    spans: spansOf(drafts),
    countTokens: deps.countTokens,
    rules: () => deriveCues(source, drafts, deps),
  })
  return { chunks: withAsked(chunks, asked), notes }
}

function textsOf(drafts: readonly ChunkDraft[]): ChunkTexts {
  function* texts(): Generator<string, void, undefined> {
    for (const { label, speaker, content, text } of drafts)
      yield `${label ?? ''} ${speaker ?? ''} ${content ?? text}`
  }
  return { length: drafts.length, [Symbol.iterator]: texts }
}

function withAsked(chunks: DerivedChunks, asked: ReadonlyMap<number, readonly string[]>): DerivedChunks {
  if (asked.size === 0) return chunks
  return chunks.withCues((ordinal, cues) => withQuestions(asked.get(ordinal) ?? [], cues))
}

function cut(source: Source, deps: DeriveDeps): Promise<ChunkResult> {
  return chunkText(source.text, {
    format: source.format,
    codeLanguage: source.codeLanguage,
    maxTokens: deps.maxTokens - SPECIAL_TOKENS - LABEL_TOKENS,
    countTokens: deps.countTokens,
  })
}

/** The chunks that a text is cut into. */
export async function cutOf(source: Source, deps: DeriveDeps): Promise<readonly ChunkDraft[]> {
  return (await cut(source, deps)).chunks
}

/** What the rules derive from each chunk, in their order. */
export function* deriveCues(
  source: Source,
  drafts: readonly ChunkDraft[],
  deps: DeriveDeps,
): Generator<ChunkCues, void, undefined> {
  const rulesOn = (chunks: readonly ChunkDraft[]): Iterable<ChunkCues> =>
    eachCues({
      chunks,
      document: source,
      countTokens: deps.countTokens,
      maxTokens: deps.maxTokens - SPECIAL_TOKENS,
      language: deps.language,
    })
  for (let at = 0; at < drafts.length; at += CUE_SLICE) {
    const from = Math.max(0, at - CUE_MARGIN)
    const end = drafts.length <= CUE_SLICE ? drafts.length : at + CUE_SLICE + CUE_MARGIN
    let ordinal = from
    for (const derived of rulesOn(drafts.slice(from, end))) {
      if (ordinal >= at && ordinal < at + CUE_SLICE) yield derived
      ordinal++
    }
  }
}

/** The caller's questions, each with its vector, before the rules' cues that do not repeat them. */
export function withQuestions(questions: readonly string[], cues: readonly CueDraft[]): readonly CueDraft[] {
  if (questions.length === 0) return cues
  const given = new Set(questions.map((text) => text.trim().toLowerCase()))
  return [
    ...questions.map((text): CueDraft => ({ kind: 'question', text, origin: 'caller', embed: true })),
    ...cues.filter((cue) => cue.kind !== 'question' || !given.has(cue.text.trim().toLowerCase())),
  ]
}

/** Bytes and lines of each chunk, counted through the text. */
export function spansOf(drafts: readonly Pick<ChunkDraft, 'text'>[]): readonly Span[] {
  let byte = 0
  let line = 1
  return drafts.map(({ text }) => {
    const startByte = byte
    const startLine = line
    byte += Buffer.byteLength(text)
    line += count(text, '\n')
    return {
      startByte,
      endByte: byte,
      startLine,
      endLine: Math.max(startLine, text.endsWith('\n') ? line - 1 : line),
    }
  })
}

function count(text: string, character: string): number {
  let found = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found++
  return found
}

/** The promise on which everything rests, checked before anything is written. */
function assertVerbatim(text: string, drafts: readonly ChunkDraft[]): void {
  let at = 0
  for (const draft of drafts) {
    if (!text.startsWith(draft.text, at)) break
    at += draft.text.length
  }
  if (at !== text.length || drafts.length === 0) {
    throw new ProlepsisError('INVALID_TEXT', 'The text could not be cut into chunks that give it back.', {
      hint: 'This is a fault of Prolepsis: please report it with the text.',
      details: { offset: at },
    })
  }
}
