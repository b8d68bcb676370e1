import { SETTING_NAMES, type Settings } from '../config/settings.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { EventListener } from '../domain/events.ts'
import { didYouMean } from '../domain/nearest-name.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { Tracer } from '../observability/trace.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import { createInjectedEmbedder, type InjectedEmbedder } from '../providers/injected-embedder.ts'
import {
  createInjectedLanguageModel,
  type GenerateFunction,
  type InjectedLanguageModel,
} from '../providers/injected-language-model.ts'
import {
  createInjectedReranker,
  type InjectedReranker,
  type RerankFunction,
} from '../providers/injected-reranking-model.ts'
import type { LanguageModel } from '../providers/language-model.ts'
import type { RerankingModel } from '../providers/reranking-model.ts'

/**
 * Options of `createMemory`: every setting (each also `PROLEPSIS_…` in the environment and a key of `prolepsis.toml`; an option
 * wins), and what only code can give.
 */
export interface MemoryOptions extends Omit<Partial<Settings>, 'embedder' | 'model' | 'reranker'> {
  /** Lives in this process alone and vanishes at close. @default false */
  readonly inMemory?: boolean
  /**
   * Another embedding model: a provider's by its name (`openai:text-embedding-3-small`), one of your own, or just its `modelId`, `dimension` and `embed`: then vectors are checked and normalised and long texts split
   * here. It stays the caller's to close. @default the setting `embedder`; without it the local model of the package
   */
  readonly embedder?: string | EmbeddingModel | InjectedEmbedder
  /**
   * A language model: `provider:model` (also `replay:FILE`, `record:FILE:provider:model`), a function that takes a request and gives the text of the
   * reply, `{ modelId, generate }`, or one of the package's own. It writes questions for what is retained, turns messages into questions, answers.
   *
   * @default the setting `model`; without it the rules alone
   */
  readonly model?: string | LanguageModel | InjectedLanguageModel | GenerateFunction
  /**
   * A reranking model that a recall may ask for: `cohere:…`, `local:FOLDER` of a cross-encoder, `grader:provider:model`, a function that takes
   * `{ query, documents }` and gives one score a document, `{ modelId, rerank }`, or one of the package's own.
   *
   * @default the setting `reranker`; without it none
   */
  readonly reranker?: string | RerankingModel | InjectedReranker | RerankFunction
  /** Hears every event of the engine; what it throws is reported once and changes nothing. */
  readonly onEvent?: EventListener
  /**
   * Hears every record of the trace as it is made, whatever the settings `trace` and `trace_text` say; several in a list. What one throws is
   * reported once and changes nothing.
   */
  readonly tracer?: Tracer | readonly Tracer[]
  /**
   * Takes out of every text of the trace (messages, queries, prompts, replies, answers, errors) what must not be kept, before it is stored
   * or handed to a tracer, and after what looks like keys, tokens and passwords was masked. Synchronous.
   */
  readonly redactTrace?: (text: string) => string
  /** Where settings files and `.prolepsis/` are looked for. @default the working directory */
  readonly cwd?: string
  /** @default the system's clock */
  readonly clock?: Clock
  /** Makes receipt ids. @default UUID version 7 */
  readonly ids?: IdGenerator
}

const CODE_OPTIONS = [
  ...(['tracer', 'redactTrace'] as const),
  'inMemory',
  'embedder',
  'model',
  'reranker',
  'onEvent',
  'cwd',
  'clock',
  'ids',
] as const
const KNOWN: readonly string[] = [...new Set([...SETTING_NAMES, ...CODE_OPTIONS])]

/** @throws ProlepsisError UNKNOWN_OPTION naming the nearest known one, INVALID_ARGUMENT */
export function checkMemoryOptions(options: MemoryOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'createMemory takes one object of options.', {
      hint: `Options: ${KNOWN.join(', ')}.`,
      details: { option: 'options' },
    })
  }
  for (const key of Object.keys(options)) {
    if (KNOWN.includes(key)) continue
    throw new ProlepsisError('UNKNOWN_OPTION', `createMemory has no option "${key}".`, {
      hint: didYouMean(key, KNOWN, `Options: ${KNOWN.join(', ')}.`),
      details: { option: key },
    })
  }
  checkEmbedder(options.embedder)
  checkFunctions('tracer', [options.tracer ?? []].flat())
  checkFunctions('redactTrace', options.redactTrace === undefined ? [] : [options.redactTrace])
}

/** Callers without types may hand over anything. */
function checkFunctions(option: string, values: readonly unknown[]): void {
  if (values.every((value) => typeof value === 'function')) return
  throw new ProlepsisError('INVALID_ARGUMENT', `${option} must be a function.`, {
    hint: 'See the types of MemoryOptions.',
    details: { option },
  })
}

function checkEmbedder(embedder: MemoryOptions['embedder']): void {
  if (embedder === undefined || typeof embedder === 'string') return
  // callers without types may hand over anything
  const { modelId, dimension, embed }: Partial<InjectedEmbedder> = embedder ?? {}
  const hasName = typeof modelId === 'string' && modelId !== ''
  if (hasName && Number.isInteger(dimension) && Number(dimension) > 0 && typeof embed === 'function') return
  throw new ProlepsisError('INVALID_ARGUMENT', 'The embedder lacks something of an embedding model.', {
    hint: 'Give provider:model, or an object with modelId, dimension and embed(texts, { purpose }).',
    details: { option: 'embedder' },
  })
}

/** The embedder as a whole model: a description by its function is made one; a name, or none, as it is. @throws ProlepsisError INVALID_ARGUMENT */
export function wholeModel(embedder: MemoryOptions['embedder']): EmbeddingModel | string | undefined {
  if (embedder === undefined || typeof embedder === 'string') return embedder
  return isWhole(embedder) ? embedder : createInjectedEmbedder(embedder)
}

/** A reranking model of the caller's; a name, or none, as it is. @throws ProlepsisError INVALID_ARGUMENT */
export function rerankerOf(reranker: MemoryOptions['reranker']): RerankingModel | string | undefined {
  return reranker === undefined || typeof reranker === 'string' ? reranker : createInjectedReranker(reranker)
}

/** A model of the caller's as a language model; a name, or none, as it is. @throws ProlepsisError INVALID_ARGUMENT */
export function languageModelOf(model: MemoryOptions['model']): LanguageModel | string | undefined {
  return model === undefined || typeof model === 'string' ? model : createInjectedLanguageModel(model)
}

function isWhole(embedder: EmbeddingModel | InjectedEmbedder): embedder is EmbeddingModel {
  const { maxTokens, countTokens, close } = embedder
  return Number.isInteger(maxTokens) && typeof countTokens === 'function' && typeof close === 'function'
}
