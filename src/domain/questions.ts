import type { CueOrigin } from './cue.ts'
import type { Enrichment, JobProgress } from './jobs.ts'
import type { PromptTexts } from './prompt-files.ts'

/** What leads to one chunk: its questions, and what else callers, models and rules made of it. */
export interface ChunkQuestions {
  readonly ref: string
  readonly questions: readonly ChunkQuestion[]
  readonly statements: readonly ChunkCue[]
  readonly concepts: readonly ChunkCue[]
  /** The model that wrote for the chunk, or null. */
  readonly writer: {
    readonly modelId: string
    /** Name and version of what it was told. */
    readonly prompt: string
    readonly madeAt: Date
    /** Questions that it wrote, and how many of them stayed then. */
    readonly written: number
    readonly kept: number
  } | null
}

export interface ChunkCue {
  readonly text: string
  readonly origin: CueOrigin
}

export interface ChunkQuestion extends ChunkCue {
  /** From 1 within its chunk: what `edit` takes. */
  readonly n: number
}

/** What a model is to write anew: one of `source` and `all`. */
export interface RegenerateSelector {
  readonly source?: string
  /** Every current document but those whose questions the caller gave. */
  readonly all?: true
  /** Only what has no questions of a model yet: for a bank that was filled without one. @default false: all is written anew */
  readonly missing?: boolean
}

export interface RegenerateOptions extends RegenerateSelector {
  /** A text in place of the prompt `questions`. @default the bank's, else the package's */
  readonly prompts?: Pick<PromptTexts, 'questions'>
  /** `enriched`: resolves when the jobs have ended. @default when they are in line */
  readonly await?: 'enriched'
  readonly onProgress?: (progress: JobProgress) => void
  readonly signal?: AbortSignal
}

/** What it is likely to take; what the bank has paid for already takes less. */
export interface RegenerateEstimate {
  readonly documents: number
  readonly chunks: number
  /** Of the model. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars by the settings `inputPrice` and `outputPrice`; null without them. */
  readonly costUsd: number | null
}

export interface RegenerateResult extends RegenerateEstimate {
  readonly jobs: number
  /** With `await`: what the jobs did. */
  readonly enrichment?: Enrichment
}
