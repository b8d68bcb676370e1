import type { Analyser } from '../domain/analysis/analyser.ts'
import type { ChunkDraft, Span } from '../domain/chunk.ts'
import type { ChunkCues, CueDraft, Mention } from '../domain/cue.ts'
import type { Format } from '../domain/document.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { assignQuestions } from './caller-questions.ts'
import { chunkText } from './chunk/chunk-text.ts'
import { makeCues } from './cue/make-cues.ts'
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

/** One chunk with everything that will be stored of it but its vectors. */
export interface DerivedChunk {
  readonly draft: ChunkDraft
  readonly span: Span
  readonly tokens: number
  readonly contentText: string
  readonly windowText: string | null
  /** The caller's first, then the rules'. */
  readonly cues: readonly CueDraft[]
  readonly mentions: readonly Mention[]
}

export interface Derived {
  readonly chunks: readonly DerivedChunk[]
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
  const asked = assignQuestions(
    questions,
    drafts.map((draft) => `${draft.label ?? ''} ${draft.speaker ?? ''} ${draft.content ?? draft.text}`),
    deps.analyser,
  )
  const spans = spansOf(drafts)
  const chunks = deriveCues(source, drafts, deps).map(
    (derived, ordinal): DerivedChunk => ({
      draft: drafts[ordinal]!,
      span: spans[ordinal]!,
      tokens: deps.countTokens(drafts[ordinal]!.text),
      contentText: derived.contentText,
      windowText: derived.windowText,
      cues: withQuestions(asked.get(ordinal) ?? [], derived.cues),
      mentions: derived.mentions,
    }),
  )
  return { chunks, notes }
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
export function deriveCues(
  source: Source,
  drafts: readonly ChunkDraft[],
  deps: DeriveDeps,
): readonly ChunkCues[] {
  const rulesOn = (chunks: readonly ChunkDraft[]): ChunkCues[] =>
    makeCues({
      chunks,
      document: source,
      countTokens: deps.countTokens,
      maxTokens: deps.maxTokens - SPECIAL_TOKENS,
      language: deps.language,
    })
  if (drafts.length <= CUE_SLICE) return rulesOn(drafts)
  const cues: ChunkCues[] = []
  for (let at = 0; at < drafts.length; at += CUE_SLICE) {
    const from = Math.max(0, at - CUE_MARGIN)
    const piece = rulesOn(drafts.slice(from, at + CUE_SLICE + CUE_MARGIN))
    for (const derived of piece.slice(at - from, at - from + CUE_SLICE)) cues.push(derived)
  }
  return cues
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
