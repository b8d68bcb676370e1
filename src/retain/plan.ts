import type { Document } from '../domain/document.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { RetainContent } from '../domain/retain.ts'
import { findCurrentDocument } from '../store/queries/documents.ts'
import { callerQuestionsOf, questionsOfSameChunks } from './caller-questions-stored.ts'
import { type Derived, derive, withQuestions } from './derive.ts'
import { changesCues, type DocumentLabels, labelsHold, labelsOf, sameLabels } from './document-labels.ts'
import { essence } from './extract/detect-format.ts'
import { type Content, readContent } from './read-content.ts'
import type { RetainDeps } from './retain-deps.ts'
import type { CallerQuestions, RetainRequest } from './retain-options.ts'
import type { ExtractedText } from './stages.ts'

/** A new version, ready to be embedded and written. */
export interface WritePlan {
  readonly kind: 'write'
  /** Of the retain that asks for it. */
  readonly traceId: string
  readonly source: string
  readonly hash: string
  readonly extracted: ExtractedText
  readonly labels: DocumentLabels
  readonly derived: Derived
  readonly notes: readonly string[]
  /** The current document when this was planned. */
  readonly previous: Document | null
  /** Whether a model is to write questions of it: not where the caller gave some. */
  readonly enrich: boolean
  /** In place of the bank's, for that model. */
  readonly prompts: RetainRequest['prompts']
}

/** What a retain comes to. */
export type RetainPlan =
  | { readonly kind: 'unchanged'; readonly document: Document }
  /** The same text: only what is said about it changes. */
  | { readonly kind: 'relabel'; readonly document: Document; readonly labels: DocumentLabels }
  /** The same text, whose cues change with its title, time or questions. */
  | {
      readonly kind: 'rederive'
      readonly document: Document
      readonly labels: DocumentLabels
      /** Undefined: those that it has. */
      readonly questions: CallerQuestions | undefined
    }
  | WritePlan

/** Finds out what is to be done. Embeds and writes nothing; an unchanged text is not even extracted. */
export async function planRetain(
  deps: RetainDeps,
  content: RetainContent,
  request: RetainRequest,
  traceId: string,
): Promise<RetainPlan> {
  const input = await readContent(content, request, deps.maxTextBytes)
  const { database, bankId } = deps.store
  const previous = await findCurrentDocument(database, bankId, input.source)
  return previous !== null && isSameText(previous, input, request)
    ? planSameText(deps, input, request, previous)
    : planNewText(deps, input, request, previous, traceId)
}

function isSameText(previous: Document, input: Content, request: RetainRequest): boolean {
  return (
    previous.contentHash === input.hash &&
    (request.mediaType === undefined || essence(request.mediaType) === previous.mediaType)
  )
}

async function planSameText(
  deps: RetainDeps,
  input: Content,
  request: RetainRequest,
  document: Document,
): Promise<RetainPlan> {
  const newQuestions = await questionsIfNew(deps, document, request.questions)
  if (newQuestions === undefined && labelsHold(document, request)) return { kind: 'unchanged', document }
  const { labels } = labelsOf(request, await input.extract(), document, true, input.defaultTrust)
  if (newQuestions !== undefined || changesCues(labels, document)) {
    return { kind: 'rederive', document, labels, questions: newQuestions }
  }
  return sameLabels(labels, document)
    ? { kind: 'unchanged', document }
    : { kind: 'relabel', document, labels }
}

async function planNewText(
  deps: RetainDeps,
  input: Content,
  request: RetainRequest,
  previous: Document | null,
  traceId: string,
): Promise<WritePlan> {
  const extracted = await input.extract()
  const { labels, notes } = labelsOf(request, extracted, previous, false, input.defaultTrust)
  const embedder = await deps.embedder()
  const derived = await derive({ ...extracted, ...labels, source: input.source }, request.questions, {
    analyser: deps.analyser,
    language: deps.store.language,
    maxTokens: embedder.maxTokens,
    countTokens: (text) => embedder.countTokens(text),
  })
  const kept =
    previous === null || request.questions !== undefined
      ? new Map<number, readonly string[]>()
      : await questionsOfSameChunks(deps.store, previous.documentId, derived.chunks)
  const chunks =
    kept.size === 0
      ? derived.chunks
      : derived.chunks.withCues((ordinal, cues) => withQuestions(kept.get(ordinal) ?? [], cues))
  return {
    kind: 'write',
    traceId,
    source: input.source,
    hash: input.hash,
    extracted,
    labels,
    derived: { ...derived, chunks },
    notes: [...extracted.notes, ...derived.notes, ...notes],
    previous,
    enrich: isEnriched(deps, request),
    prompts: request.prompts,
  }
}

/** The caller always wins: questions that were given, none at all among them, stand alone. */
function isEnriched({ enrichment }: RetainDeps, request: RetainRequest): boolean {
  if (request.questions !== undefined) return false
  if (enrichment !== null) return request.enrich ?? enrichment.byDefault
  if (request.enrich !== true) return false
  throw new ProlepsisError('MODEL_NOT_CONFIGURED', 'enrich asks for a language model, and there is none.', {
    hint: 'Name one with the setting model (PROLEPSIS_MODEL), or leave enrich out.',
    details: { option: 'enrich' },
  })
}

/** The questions when they differ from those that the document has, else undefined. */
async function questionsIfNew(
  deps: RetainDeps,
  document: Document,
  asked: CallerQuestions | undefined,
): Promise<CallerQuestions | undefined> {
  if (asked === undefined) return undefined
  const stored = await callerQuestionsOf(deps.store, document.documentId)
  const now = asked.kind === 'whole' ? new Set(asked.questions) : new Set(keyed(asked.questions))
  const then = asked.kind === 'whole' ? new Set([...stored.values()].flat()) : new Set(keyed(stored))
  return now.size === then.size && [...now].every((question) => then.has(question)) ? undefined : asked
}

const keyed = (questions: ReadonlyMap<number, readonly string[]>): string[] =>
  [...questions].flatMap(([ordinal, texts]) => texts.map((text) => `${ordinal} ${text}`))
