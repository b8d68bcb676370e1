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
})

export const SETTING_NAMES: readonly SettingName[] = Object.freeze(
  // Object.keys loses the key type that the record has
  Object.keys(SETTINGS) as SettingName[],
)

/** Name of the setting's environment variable. */
export function environmentName(name: SettingName): string {
  return `PROLEPSIS_${SETTINGS[name].key.toUpperCase()}`
}
