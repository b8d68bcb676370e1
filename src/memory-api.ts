import type {
  AskAllEstimate,
  AskAllOptions,
  AskAllResult,
  AskEvent,
  AskOptions,
  AskResult,
} from './domain/answer.ts'
import type { BankInfo, BankStats, DoctorReport, ForgetResult, ForgetSelector } from './domain/care.ts'
import type { CueOrigin } from './domain/cue.ts'
import type { Document } from './domain/document.ts'
import type { DraftedEvaluation, EvaluationCase, EvaluationReport } from './domain/evaluation.ts'
import type { Enrichment, Job, JobKind, JobProgress, JobState } from './domain/jobs.ts'
import type {
  ChunkQuestions,
  RegenerateEstimate,
  RegenerateOptions,
  RegenerateResult,
  RegenerateSelector,
} from './domain/questions.ts'
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
import type { Sweeper, SweepOptions, SweepPass, SweepWatchOptions, SweptFolder } from './domain/sweep.ts'
import type { DraftOptions } from './maintain/evaluate/draft-cases.ts'
import type { EvaluateOptions } from './maintain/evaluate/evaluate.ts'
import type { FollowOptions } from './maintain/trace/follow-trace.ts'
import type { TailOptions } from './maintain/trace/read-trace.ts'
import type { EmbedderCalls } from './memory/embedder-calls.ts'
import type { TracedExchange, TraceEvent } from './observability/trace.ts'

/** Keeps a folder and its documents in step. */
export interface Sweep {
  /**
   * One look at the folder: adds, changes, renames (nothing is embedded), deletions (when two looks in a row do not find the file). Files of
   * the size, time and inode that they had are not read.
   */
  (dir: string, options?: SweepOptions): Promise<SweepPass>
  /** Keeps the folder in step until it is stopped. Resolves when the folder is this sweeper's; the first pass is under way then. */
  watch(dir: string, options?: SweepWatchOptions): Promise<Sweeper>
  /** The folders that are or were swept into the bank. */
  status(): Promise<readonly SweptFolder[]>
}

export interface RetainManyOptions {
  readonly onProgress?: (progress: {
    readonly done: number
    readonly source: string
    readonly status: string
  }) => void
  /** `enriched`: the stream ends only when the jobs of its texts have ended; `onEnriched` hears what they did. */
  readonly await?: 'enriched'
  readonly onJobProgress?: (progress: JobProgress) => void
  readonly onEnriched?: (enrichment: Enrichment) => void
  readonly signal?: AbortSignal
}

/** Which jobs; what is absent narrows nothing. */
export interface JobSelector {
  readonly state?: JobState
  readonly kind?: JobKind
  readonly source?: string
  /** Literal prefix of the source. */
  readonly sourcePrefix?: string
}

export interface JobRunResult {
  readonly done: number
  /** Attempts that failed and are made again after a pause. */
  readonly failed: number
  readonly dead: number
  /** Their document was superseded meanwhile. */
  readonly cancelled: number
}

export interface JobRunProgress extends JobRunResult {
  readonly running: number
  readonly bank: string
  /** What ended just now, and how. */
  readonly jobId: number
  readonly kind: JobKind
  readonly source: string | null
  readonly state: 'done' | 'waiting' | 'dead' | 'cancelled'
}

/** Work that was put off: a model's questions of new texts. It goes on by itself; these calls show it and steer it. */
export interface Jobs {
  /** Newest first. `before`: the last job id of the page before. */
  list(options?: JobSelector & { readonly limit?: number; readonly before?: number }): Promise<readonly Job[]>
  /** Null when there is no such job, or none any more: jobs go with their document. */
  get(jobId: number): Promise<Job | null>
  counts(): Promise<Readonly<Record<JobState, number>>>
  /** Lets jobs that are dead, cancelled or in a pause run at once, with all their attempts. Resolves to how many. @throws ProlepsisError NOT_FOUND */
  retry(which: number | JobSelector): Promise<number>
  /** Ends jobs that wait or run. Resolves to how many. @throws ProlepsisError NOT_FOUND */
  cancel(which: number | JobSelector): Promise<number>
  /**
   * Waits until jobs that are in line now have ended, whoever runs them. One that failed and has a pause of more than a minute before it is not
   * waited for: the result says so.
   */
  wait(options?: {
    readonly source?: string
    readonly sourcePrefix?: string
    readonly documentIds?: readonly number[]
    readonly signal?: AbortSignal
    readonly onProgress?: (progress: JobProgress) => void
  }): Promise<Enrichment>
  /** Works on the bank's jobs, beside what the memory does in the background, until the signal fires. @throws ProlepsisError MODEL_NOT_CONFIGURED */
  run(options?: {
    /** `now`: what is due, and no more. `idle`: until no job is in line, pauses sat out. @default until the signal fires */
    readonly until?: 'now' | 'idle'
    /** Those of every bank of the store. @default false */
    readonly allBanks?: boolean
    /** Jobs at once. @default the setting `modelConcurrency` */
    readonly concurrency?: number
    readonly signal?: AbortSignal
    readonly onProgress?: (progress: JobRunProgress) => void
  }): Promise<JobRunResult>
}

/** The questions that lead to a bank's chunks: of callers, of models, of the rules. */
export interface Questions {
  /** What leads to the chunks of a source, or to one chunk by its ref, in reading order. @throws ProlepsisError NOT_FOUND */
  list(target: string, options?: { readonly origin?: CueOrigin }): Promise<readonly ChunkQuestions[]>
  /**
   * Gives a chunk (by its ref) questions of the caller, or a document (by its source): then each goes to the chunk that shares most with it. Others
   * stay; one that a model wrote becomes the caller's. Resolves to how many were new. @throws ProlepsisError NOT_FOUND
   */
  add(target: string, questions: string | readonly string[]): Promise<number>
  /**
   * Puts a question in place of one of a chunk's (by its number from 1, or its text), or removes it with null. One of a model becomes the
   * caller's; one of the rules cannot be changed. @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT
   */
  edit(ref: string, which: number | string, question: string | null): Promise<void>
  readonly regenerate: Regenerate
}

/** Lets a model write questions anew, in place of those that models wrote; the caller's stay. */
export interface Regenerate {
  /** Resolves when the jobs are in line, or with `await` when they have ended. @throws ProlepsisError MODEL_NOT_CONFIGURED, NOT_FOUND */
  (options: RegenerateOptions): Promise<RegenerateResult>
  /** What that is likely to take; nothing is asked of the model. */
  estimate(selector: RegenerateSelector): Promise<RegenerateEstimate>
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

/** Answers from every document that passes a filter. */
export interface AskAll {
  /**
   * Has the language model read all of it in batches, joins what they found, and gives the facts whose quotes stand in memory and bear them out.
   *
   * @throws ProlepsisError MODEL_NOT_CONFIGURED; CANCELLED, also when `confirm` says no; the model's error when it could read nothing
   */
  (question: string, options?: AskAllOptions): Promise<AskAllResult>
  /** What that would read and spend. No model is asked. */
  estimate(question: string, options?: AskAllOptions): Promise<AskAllEstimate>
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
  /** An answer from every document that passes a filter: complete, and paid for by the text that is read. */
  readonly askAll: AskAll
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
    options?: {
      /** Let the language model write questions of current texts that come with none. @default false */
      readonly enrich?: boolean
      readonly signal?: AbortSignal
      readonly onProgress?: (done: number) => void
    },
  ): Promise<ImportResult>
  /** Derive chunks, cues, vectors and postings anew from the documents. */
  rebuildIndex(options?: {
    /** Move the bank to the configured embedding model: a new space is filled, then switched to in one transaction. @default false */
    readonly reembed?: boolean
    readonly onProgress?: (done: number, total: number) => void
    readonly signal?: AbortSignal
  }): Promise<{ readonly documents: number; readonly chunks: number }>
  readonly jobs: Jobs
  /** The change of the bank's embedding model, while recalls go on. */
  readonly embedder: EmbedderCalls
  readonly questions: Questions
  /**
   * Asks questions whose sources are known and measures what recall brings back: any@k, recall@k, MRR, by class, by channel, time, tokens,
   * model cost. No receipts, no recalls in the trace. `parseEvaluation` reads a file of them.
   */
  evaluate(cases: readonly EvaluationCase[], options?: EvaluateOptions): Promise<EvaluationReport>
  /** Drafts such questions from chunks of the bank, by the language model where there is one, else by rules (far easier ones), for a person to edit. */
  draftEvaluation(options?: DraftOptions): Promise<DraftedEvaluation>
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
  /**
   * Waits for calls that run, and for jobs that this memory put in line and that are due: at most the setting `drainMs`, not at all once the signal
   * fires. What is left stays in line.
   */
  close(options?: { readonly signal?: AbortSignal }): Promise<void>
}
