import type { ExitFlags } from './exit-guard.ts'
import type { Pooling } from './model-folder.ts'

export type Runtime = 'native' | 'wasm'

/** What the thread is started with. */
export interface InferenceStart {
  readonly modelPath: string
  readonly runtime: Runtime | 'auto'
  readonly threads: number
  /** Numbers that come of each text: those of a vector, 1 for a logit. */
  readonly dimension: number
  /** How a text's vector comes of its tokens; `logit`: the model itself gives one number a text. */
  readonly pooling: Pooling | 'logit'
}

/** The start with what the owner and the thread share. */
export interface ThreadStart extends InferenceStart {
  readonly exitFlags: ExitFlags
}

/** Which runtime runs, and why it is not the native one where that was not asked for. */
export interface RuntimeInfo {
  readonly name: Runtime
  readonly fallbackReason: string | null
}

export type InferenceRequest =
  | { readonly kind: 'load'; readonly id: number }
  /** Texts as ids, one after the other; no padding yet. `types`: which part of a pair each is of, or null where texts are single. */
  | {
      readonly kind: 'run'
      readonly id: number
      readonly ids: Int32Array
      readonly types: Int32Array | null
      readonly lengths: Int32Array
    }
  | { readonly kind: 'close'; readonly id: number }

export type InferenceReply =
  | { readonly id: number; readonly kind: 'loaded'; readonly runtime: RuntimeInfo }
  /** Unit vectors, or logits, one after the other. */
  | { readonly id: number; readonly kind: 'vectors'; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly id: number; readonly kind: 'closed' }
  | {
      readonly id: number
      readonly kind: 'failed'
      readonly code: 'MODEL_NOT_FOUND' | 'MODEL_FAILED'
      readonly message: string
      readonly hint: string
    }
