import type { AskEvent, AskOptions, AskResult } from './domain/answer.ts'
import type { BankInfo, BankStats, DoctorReport, ForgetResult, ForgetSelector } from './domain/care.ts'
import type { Document } from './domain/document.ts'
import type {
  Explanation,
  Passage,
  RecallOptions,
  RecallQuery,
  RecallResult,
  TimeInput,
} from './domain/recall.ts'
import type {
  IndexOptions,
  IndexResult,
  RetainContent,
  RetainItem,
  RetainManyResult,
  RetainOptions,
  RetainResult,
} from './domain/retain.ts'
import type { SweepOptions, SweepPass, SweptFolder } from './domain/sweep.ts'
import type { FollowOptions } from './maintain/trace/follow-trace.ts'
import type { TailOptions } from './maintain/trace/read-trace.ts'
import type { TracedExchange, TraceEvent } from './observability/trace.ts'

/** Keeps a folder and its documents in step. */
export interface Sweep {
  /**
   * One look at the folder: adds, changes, renames (nothing is embedded), deletions (when two looks in a row do not find the file). Files of
   * the size, time and inode that they had are not read.
   */
  (dir: string, options?: SweepOptions): Promise<SweepPass>
  /** The folders that are or were swept into the bank. */
  status(): Promise<readonly SweptFolder[]>
}

export interface RetainManyOptions {
  readonly onProgress?: (progress: {
    readonly done: number
    readonly source: string
    readonly status: string
  }) => void
  readonly signal?: AbortSignal
}

export interface ImportResult {
  readonly documents: number
  readonly unchanged: number
  readonly chunks: number
}

/** Answers from memory alone. */
export interface Ask {
  /**
   * Recalls, has the language model answer from what was recalled, and gives the sentences whose citations stand in memory and bear them out;
   * `not-in-memory` when there are none.
   *
   * @throws ProlepsisError MODEL_NOT_CONFIGURED; as `recall`; the model's errors as they are
   */
  (question: RecallQuery, options?: AskOptions): Promise<AskResult>
  /** The same as it becomes known. Leaving the loop cancels the call; an error is thrown in it. */
  stream(question: RecallQuery, options?: AskOptions): AsyncIterable<AskEvent>
}

/** A handle on one bank. `createMemory` returns that of the default bank. */
export interface Memory extends AsyncDisposable {
  readonly name: string
  retain(content: RetainContent, options?: RetainOptions): Promise<RetainResult>
  retainMany(
    items: Iterable<RetainItem> | AsyncIterable<RetainItem>,
    options?: RetainManyOptions,
  ): AsyncIterable<RetainManyResult>
  index(path: string, options?: IndexOptions): Promise<IndexResult>
  readonly sweep: Sweep

  recall(query: RecallQuery, options?: RecallOptions): Promise<RecallResult>
  /** An answer from memory alone, each sentence cited; also as a stream. */
  readonly ask: Ask
  /** Another name of `ask`. */
  readonly recallSynth: Ask
  /** A chunk by ref, or null. */
  get(ref: string): Promise<Passage | null>
  /** Chunks before and after within the same document version. */
  neighbours(
    ref: string,
    options?: { readonly before?: number; readonly after?: number },
  ): Promise<readonly Passage[]>
  /** Chunks most like this one. */
  similar(ref: string, options?: { readonly limit?: number }): Promise<readonly Passage[]>
  explain(receipt: string, options?: { readonly whyNot?: readonly string[] }): Promise<Explanation>
  /** Report what became of a recall. Use strengthens; retrieval alone does not. */
  feedback(
    receipt: string,
    report: {
      readonly used?: readonly string[]
      readonly cited?: readonly string[]
      readonly helpful?: readonly string[]
      readonly unhelpful?: readonly string[]
    },
  ): Promise<void>

  /** The whole text of the current (or a given) version at a source, or null. */
  document(
    source: string,
    options?: { readonly version?: number; readonly asOf?: TimeInput },
  ): Promise<{ readonly document: Document; readonly text: string } | null>
  documents(options?: {
    readonly sourcePrefix?: string
    readonly tag?: string
    readonly state?: Document['state']
    readonly limit?: number
    readonly after?: string
  }): Promise<readonly Document[]>
  /** Every version at a source, newest first. */
  versions(source: string): Promise<readonly Document[]>
  /** Mark a source as deleted: it leaves recall, stays visible as of an earlier date. `forget` removes it for good. */
  remove(source: string): Promise<boolean>

  /** The trace of the bank: what was retained, recalled, formulated, asked of models, answered, done behind, swept. See docs/observability.md. */
  readonly events: {
    /** The last events, or the first ones after another, in the order in which they were noted. */
    tail(options?: TailOptions): Promise<readonly TraceEvent[]>
    /** Every event from now on, of other processes too, until its signal ends it (CANCELLED). */
    follow(options?: FollowOptions): AsyncIterable<TraceEvent>
    /** One exchange with all that came of it, by its trace id or by a receipt; null when the trace does not have it. */
    trace(id: string): Promise<TracedExchange | null>
  }

  forget(selector: ForgetSelector): Promise<ForgetResult>
  /** The bank as JSON lines: a header, then one document version a line (text, chunks' cues by callers and models, activity). */
  export(): AsyncIterable<string>
  import(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: { readonly signal?: AbortSignal; readonly onProgress?: (done: number) => void },
  ): Promise<ImportResult>
  /** Derive chunks, cues, vectors and postings anew from the documents. */
  rebuildIndex(options?: {
    /** Move the bank to the configured embedding model: a new space is filled, then switched to in one transaction. @default false */
    readonly reembed?: boolean
    readonly onProgress?: (done: number, total: number) => void
    readonly signal?: AbortSignal
  }): Promise<{ readonly documents: number; readonly chunks: number }>
  stats(): Promise<BankStats>
  doctor(options?: { readonly mend?: boolean }): Promise<DoctorReport>

  /**
   * Another bank over the same store. It must have been made by `banks.create`, or is made at its first write with
   * `createIfMissing` (default: the setting `createBanks`, false).
   */
  bank(name: string, options?: { readonly createIfMissing?: boolean }): Memory
  readonly banks: {
    list(): Promise<readonly BankInfo[]>
    create(
      name: string,
      options?: { readonly language?: string; readonly settings?: Readonly<Record<string, unknown>> },
    ): Promise<BankInfo>
    delete(name: string): Promise<boolean>
    info(name: string): Promise<BankInfo | null>
    configure(name: string, settings: Readonly<Record<string, unknown>>): Promise<BankInfo>
  }
  /** A consistent copy of the whole embedded store, gzip tar. */
  backup(path: string): Promise<{ readonly bytes: number }>
  close(): Promise<void>
}
