import * as z from 'zod'
import { BANK_NAME } from '../domain/bank-name.ts'

/** Everything that can be set, in the form that the engine uses. */
export interface Settings {
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly bank: string
  readonly createBanks: boolean
  readonly language: string
  readonly modelDir: string | null
  readonly runtime: 'auto' | 'native' | 'wasm'
  readonly threads: number | null
  readonly deadlineMs: number
  readonly maxTextBytes: number
  readonly maxFileBytes: number
  readonly receiptDays: number
  readonly readOnly: boolean
  readonly model: string | null
  readonly modelBaseUrl: string | null
  readonly embedder: string | null
  readonly embedderBaseUrl: string | null
  readonly reranker: string | null
  readonly modelTimeoutMs: number
  readonly modelAttempts: number
  readonly modelConcurrency: number
  readonly thinkingTokens: number
  readonly dayTokens: number | null
  readonly dayCostUsd: number | null
  readonly documentTokens: number | null
  readonly documentCostUsd: number | null
  readonly inputPrice: number | null
  readonly outputPrice: number | null
  readonly enrich: boolean
  readonly worker: boolean
  readonly drainMs: number
  readonly formulator: 'model' | 'rules'
  readonly formulateMs: number
  readonly trace: boolean
  readonly traceText: boolean
  readonly traceDays: number
  readonly traceMegabytes: number
}

export type SettingName = keyof Settings

/** How one setting is read, checked and explained. */
export interface SettingDefinition {
  /** Key in `prolepsis.toml`; in capitals behind `PROLEPSIS_` the environment variable. */
  readonly key: string
  readonly type: 'text' | 'path' | 'number' | 'boolean'
  readonly schema: z.ZodType
  /** Null where it is found out at run time: see `meaning`. */
  readonly default: string | number | boolean | null
  readonly meaning: string
}

const positive = z.int('must be a whole number').positive('must be above 0')
const MEBIBYTE = 1024 * 1024
// whose names are known, and which ones there are, the providers say when a memory is opened
const modelName = z.string().regex(/\S/, 'must not be empty')
// it is shown, and noted in stores; paths are appended to it
const baseUrl = z
  .string()
  .regex(/^https?:\/\/\S+$/, 'must begin with http:// or https://')
  .refine(
    isPlainAddress,
    'must be an address without user name, password, query and fragment: keys are read from the environment alone',
  )

function isPlainAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { username, password, search, hash } = new URL(address)
  return `${username}${password}${search}${hash}` === ''
}

const money = z.number('must be a number').positive('must be above 0')

/** The one table of settings and defaults; `prolepsis config` and the documentation print it. */
export const SETTINGS: Readonly<Record<SettingName, SettingDefinition>> = Object.freeze({
  dataDir: {
    key: 'data_dir',
    type: 'path',
    schema: z.string().min(1, 'must not be empty'),
    default: null,
    meaning: 'Folder of the embedded store. Default: .prolepsis/ here or above, else the user’s data folder.',
  },
  databaseUrl: {
    key: 'database_url',
    type: 'text',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://'),
    default: null,
    meaning: 'A PostgreSQL server (15 or later with pgvector 0.8) in place of the embedded store.',
  },
  bank: {
    key: 'bank',
    type: 'text',
    schema: z.string().regex(BANK_NAME, 'must be 1 to 63 letters, digits, "_", "-" or "."'),
    default: 'default',
    meaning: 'Bank that a call uses when it names none; made at its first write.',
  },
  createBanks: {
    key: 'create_banks',
    type: 'boolean',
    schema: z.boolean('must be true or false'),
    default: false,
    meaning: 'Make any other bank at its first write too, instead of raising BANK_NOT_FOUND.',
  },
  language: {
    key: 'language',
    type: 'text',
    schema: z.string().min(1, 'must not be empty'),
    default: 'english',
    meaning: 'Language of new banks: stemming and stop words (english, german, …, none).',
  },
  modelDir: {
    key: 'model_dir',
    type: 'path',
    schema: z.string().min(1, 'must not be empty'),
    default: null,
    meaning: 'Folder of another embedding model (ONNX and tokenizer.json). Default: the one in the package.',
  },
  runtime: {
    key: 'runtime',
    type: 'text',
    schema: z.enum(['auto', 'native', 'wasm'], 'must be auto, native or wasm'),
    default: 'auto',
    meaning: 'ONNX runtime: native where it is installed, else WebAssembly.',
  },
  threads: {
    key: 'threads',
    type: 'number',
    schema: positive.max(256, 'must be at most 256'),
    default: null,
    meaning: 'Threads of the embedder. Default: the runtime’s choice.',
  },
  deadlineMs: {
    key: 'deadline_ms',
    type: 'number',
    schema: positive.max(86_400_000, 'must be at most 86400000'),
    default: 60_000,
    meaning: 'Longest time of one database statement, in milliseconds.',
  },
  maxTextBytes: {
    key: 'max_text_bytes',
    type: 'number',
    schema: positive.max(400 * MEBIBYTE, 'must be at most 419430400'),
    default: 32 * MEBIBYTE,
    meaning: 'Largest text that retain accepts, in UTF-8 bytes.',
  },
  maxFileBytes: {
    key: 'max_file_bytes',
    type: 'number',
    schema: positive.max(400 * MEBIBYTE, 'must be at most 419430400'),
    default: 10 * MEBIBYTE,
    meaning: 'Largest file that index reads, in bytes; larger ones are skipped and named.',
  },
  receiptDays: {
    key: 'receipt_days',
    type: 'number',
    schema: z.int('must be a whole number').min(0, 'must be 0 or more').max(36_500, 'must be at most 36500'),
    default: 90,
    meaning: 'Days that receipts are kept; 0 keeps them for ever.',
  },
  readOnly: {
    key: 'read_only',
    type: 'boolean',
    schema: z.boolean('must be true or false'),
    default: false,
    meaning: 'Refuse every write; make no store and migrate none.',
  },
  model: {
    key: 'model',
    type: 'text',
    schema: modelName,
    default: null,
    meaning:
      'Language model, provider:model (anthropic:…, openai:…, google:…, mistral:…, groq:…, openrouter:…, ollama:…, openai-compatible:…), replay:FILE, or record:FILE:provider:model. Default: none, the rules alone.',
  },
  modelBaseUrl: {
    key: 'model_base_url',
    type: 'text',
    schema: baseUrl,
    default: null,
    meaning: 'Address of the language model’s API. Default: the provider’s own; openai-compatible has none.',
  },
  embedder: {
    key: 'embedder',
    type: 'text',
    schema: modelName,
    default: null,
    meaning: 'Embedding model of a provider, provider:model. Default: the local one (see model_dir).',
  },
  embedderBaseUrl: {
    key: 'embedder_base_url',
    type: 'text',
    schema: baseUrl,
    default: null,
    meaning: 'Address of the embedding model’s API. Default: the provider’s own.',
  },
  reranker: {
    key: 'reranker',
    type: 'text',
    schema: modelName,
    default: null,
    meaning:
      'Reranking model that a recall may ask for: cohere:…, local:FOLDER of a cross-encoder, or grader:provider:model. Default: none.',
  },
  modelTimeoutMs: {
    key: 'model_timeout_ms',
    type: 'number',
    schema: positive.max(3_600_000, 'must be at most 3600000'),
    default: 120_000,
    meaning: 'Longest time of one call of a model, retries included, in milliseconds.',
  },
  modelAttempts: {
    key: 'model_attempts',
    type: 'number',
    schema: positive.max(20, 'must be at most 20'),
    default: 3,
    meaning: 'Attempts of one call of a model whose errors can be retried.',
  },
  modelConcurrency: {
    key: 'model_concurrency',
    type: 'number',
    schema: positive.max(256, 'must be at most 256'),
    default: 4,
    meaning: 'Calls of a model under way at once; of several, work in the background leaves one free.',
  },
  thinkingTokens: {
    key: 'thinking_tokens',
    type: 'number',
    schema: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .max(1_000_000, 'must be at most 1000000'),
    default: 8_192,
    meaning: 'Room for a reasoning model’s thinking, added to the tokens of each reply.',
  },
  dayTokens: {
    key: 'day_tokens',
    type: 'number',
    schema: positive,
    default: null,
    meaning: 'Most tokens, in and out, that a bank may spend on models a day (UTC). Default: no limit.',
  },
  dayCostUsd: {
    key: 'day_cost_usd',
    type: 'number',
    schema: money,
    default: null,
    meaning: 'Most US dollars that a bank may spend on models a day (UTC); needs prices. Default: no limit.',
  },
  documentTokens: {
    key: 'document_tokens',
    type: 'number',
    schema: positive,
    default: null,
    meaning: 'Most tokens, in and out, spent on enriching one document version. Default: no limit.',
  },
  documentCostUsd: {
    key: 'document_cost_usd',
    type: 'number',
    schema: money,
    default: null,
    meaning: 'Most US dollars spent on enriching one document version; needs prices. Default: no limit.',
  },
  inputPrice: {
    key: 'input_price',
    type: 'number',
    schema: money,
    default: null,
    meaning:
      'US dollars for a million input tokens of the language model. Default: what the provider tells with its replies.',
  },
  outputPrice: {
    key: 'output_price',
    type: 'number',
    schema: money,
    default: null,
    meaning:
      'US dollars for a million output tokens of the language model. Default: what the provider tells with its replies.',
  },
  enrich: {
    key: 'enrich',
    type: 'boolean',
    schema: z.boolean('must be true or false'),
    default: true,
    meaning: 'Let the language model, where there is one, write questions for what is retained.',
  },
  worker: {
    key: 'worker',
    type: 'boolean',
    schema: z.boolean('must be true or false'),
    default: true,
    meaning: 'Run jobs in this process; false leaves them to prolepsis work.',
  },
  drainMs: {
    key: 'drain_ms',
    type: 'number',
    schema: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .max(86_400_000, 'must be at most 86400000'),
    default: 30_000,
    meaning: 'How long closing waits for jobs of this memory, in milliseconds; what is left stays in line.',
  },
  formulator: {
    key: 'formulator',
    type: 'text',
    schema: z.enum(['model', 'rules'], 'must be model or rules'),
    default: 'model',
    meaning: 'Who turns a message into questions: the language model, where there is one, or the rules.',
  },
  formulateMs: {
    key: 'formulate_ms',
    type: 'number',
    schema: positive.max(600_000, 'must be at most 600000'),
    default: 4_000,
    meaning: 'How long recall waits for the formulating model before the rules stand in, in milliseconds.',
  },
  trace: {
    key: 'trace',
    type: 'boolean',
    schema: z.boolean('must be true or false'),
    default: true,
    meaning: 'Keep the trace: what was retained, recalled, asked of models, swept.',
  },
  traceText: {
    key: 'trace_text',
    type: 'boolean',
    schema: z.boolean('must be true or false'),
    default: true,
    meaning: 'Keep content in the trace too: messages, prompts, replies, answers.',
  },
  traceDays: {
    key: 'trace_days',
    type: 'number',
    schema: z.int('must be a whole number').min(0, 'must be 0 or more').max(36_500, 'must be at most 36500'),
    default: 30,
    meaning: 'Days that the trace is kept; 0 keeps it for ever.',
  },
  traceMegabytes: {
    key: 'trace_megabytes',
    type: 'number',
    schema: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .max(1_000_000, 'must be at most 1000000'),
    default: 256,
    meaning: 'Size past which the oldest of a bank’s trace is dropped, in MB; 0: no limit.',
  },
})

export const SETTING_NAMES: readonly SettingName[] = Object.freeze(
  // Object.keys loses the key type that the record has
  Object.keys(SETTINGS) as SettingName[],
)

/** Name of the setting's environment variable. */
export function environmentName(name: SettingName): string {
  return `PROLEPSIS_${SETTINGS[name].key.toUpperCase()}`
}
