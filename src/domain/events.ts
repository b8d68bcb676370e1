/** What the engine tells while it works. Names are noun-verb; durations are milliseconds; never stored text. */
export type EngineEvent =
  | {
      readonly type: 'retain-end'
      readonly bank: string
      readonly source: string
      readonly status: string
      readonly chunks: number
      readonly vectors: number
      readonly durationMs: number
    }
  | {
      readonly type: 'recall-end'
      readonly bank: string
      readonly receipt: string
      readonly passages: number
      readonly degraded: readonly string[]
      readonly durationMs: number
      readonly stages: Readonly<Record<string, number>>
    }
  | {
      readonly type: 'index-progress'
      readonly bank: string
      readonly done: number
      readonly total: number
      readonly source: string
      readonly status: string
    }
  | {
      readonly type: 'sweep-end'
      readonly bank: string
      readonly root: string
      readonly created: number
      readonly updated: number
      readonly moved: number
      readonly deleted: number
      readonly failed: number
      /** Code of what ended the pass, or null. */
      readonly error: string | null
      readonly durationMs: number
    }
  | {
      readonly type: 'forget-end'
      readonly bank: string
      readonly documents: number
      readonly chunks: number
    }
  | {
      readonly type: 'job-start'
      readonly bank: string
      readonly jobId: number
      readonly kind: string
      readonly source: string | null
      /** From 1. */
      readonly attempt: number
    }
  | {
      readonly type: 'job-end'
      readonly bank: string
      readonly jobId: number
      readonly kind: string
      readonly source: string | null
      readonly attempt: number
      /** `waiting`: it failed and is tried again after a pause. `lost`: another worker has it, or it is gone. */
      readonly state: 'done' | 'waiting' | 'dead' | 'cancelled' | 'lost'
      readonly errorCode: string | null
      readonly durationMs: number
      /** Calls of models. */
      readonly calls: number
    }
  | {
      readonly type: 'job-dead'
      readonly bank: string
      readonly jobId: number
      readonly kind: string
      readonly source: string | null
      readonly errorCode: string | null
    }
  /** Closing waits for jobs; what is not done in time stays in line. */
  | { readonly type: 'drain-start'; readonly mostMs: number }
  | { readonly type: 'maintenance-end'; readonly task: string; readonly durationMs: number }
  | { readonly type: 'store-owner-changed'; readonly owner: boolean }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }

export type EventListener = (event: EngineEvent) => void

/** Hands events to listeners; a listener that throws cannot break the caller. */
export interface EventSink {
  emit(event: EngineEvent): void
}
