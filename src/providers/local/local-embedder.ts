import { availableParallelism } from 'node:os'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { embedWithinWindow } from '../split-long-texts.ts'
import type { Runtime, RuntimeInfo } from './inference-protocol.ts'
import { createInferenceThread } from './inference-thread.ts'
import { readModelFolder } from './model-folder.ts'
import { planBatches } from './plan-batches.ts'
import { loadTokeniser } from './tokeniser.ts'

export interface LocalEmbedderOptions {
  /** Folder with model.onnx, tokenizer.json and model.json. @default the model of the package */
  readonly modelDir?: string
  /** `auto`: native where it loads, else WASM, about five times slower. @default 'auto' */
  readonly runtime?: Runtime | 'auto'
  /** Threads of the native runtime, 1 to 64. @default the machine's cores, at most 4 */
  readonly threads?: number
  /**
   * Tokens computed in one run, padding included. The model's numbers are quantised by what is in a run together, so a text's vector
   * differs a little (cosine 0.997 in the median) with its company; 1 runs every text alone, and short ones then take 1.2 to 1.6 times as long.
   * @default 512
   */
  readonly maxBatchTokens?: number
}

export interface LocalEmbedder extends EmbeddingModel {
  /** Loads the model now and not at the first `embed`; tells which runtime runs it. */
  load(): Promise<RuntimeInfo>
}

const DEFAULT_BATCH_TOKENS = 512

/** The name and dimension of the model in a folder, without loading it. @throws ProlepsisError MODEL_NOT_FOUND */
export async function describeLocalModel(
  options: Pick<LocalEmbedderOptions, 'modelDir'> = {},
): Promise<{ readonly modelId: string; readonly dimension: number }> {
  const { modelId, dimension } = await readModelFolder(options.modelDir)
  return { modelId, dimension }
}

/**
 * Embeds on this machine. The tokeniser is read at once, the model at the first `embed`, in a thread of its own: calls from several
 * sides take turns batch by batch, so that a question does not wait for a whole folder.
 *
 * @throws ProlepsisError MODEL_NOT_FOUND; `embed` also MODEL_FAILED, CANCELLED, CLOSED
 */
export async function createLocalEmbedder(options: LocalEmbedderOptions = {}): Promise<LocalEmbedder> {
  const { runtime = 'auto', threads = Math.min(availableParallelism(), 4) } = options
  const maxBatchTokens = options.maxBatchTokens ?? DEFAULT_BATCH_TOKENS
  requireOneOf('runtime', runtime, ['auto', 'native', 'wasm'])
  requireWhole('threads', threads, 64)
  requireWhole('maxBatchTokens', maxBatchTokens, 65_536)
  const folder = await readModelFolder(options.modelDir)
  const tokeniser = await loadTokeniser(folder.tokeniserPath)
  const { modelPath, modelId, dimension, maxTokens, pooling } = folder
  const thread = createInferenceThread({ modelPath, runtime, threads, dimension, pooling })
  let closed = false
  const requireOpen = (): void => {
    if (closed) {
      throw new ProlepsisError('CLOSED', 'The embedder was closed.', { hint: 'Create another one.' })
    }
  }

  async function run(inputs: readonly (readonly number[])[], signal: AbortSignal | undefined) {
    const vectors: Float32Array[] = []
    const lengths = inputs.map((ids) => ids.length)
    for (const batch of planBatches(lengths, maxBatchTokens)) {
      throwIfAborted(signal)
      requireOpen()
      const own = await thread.run(batch.map((index) => inputs[index]!))
      batch.forEach((index, row) => {
        vectors[index] = own[row]!
      })
    }
    return vectors
  }

  return {
    modelId,
    dimension,
    maxTokens,
    async load() {
      requireOpen()
      return thread.load()
    },
    async embed(texts, { purpose, signal, onSplit }) {
      requireOpen()
      throwIfAborted(signal)
      if (texts.length === 0) return []
      const prefix = purpose === 'query' ? folder.queryPrefix : folder.documentPrefix
      const room = maxTokens - tokeniser.specialTokens - tokeniser.countTokens(prefix)
      const window = { countTokens: tokeniser.countTokens, maxTokens: room, onSplit }
      await thread.load()
      return embedWithinWindow(texts, window, (parts) =>
        run(
          parts.map((part) => tokeniser.encode(prefix + part)),
          signal,
        ),
      )
    },
    countTokens: tokeniser.countTokens,
    async close() {
      closed = true
      await thread.close()
    },
  }
}

function requireOneOf(option: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return
  throw new ProlepsisError('INVALID_ARGUMENT', `The embedder's ${option} cannot be "${value}".`, {
    hint: `It is one of ${known.join(', ')}.`,
    details: { option },
  })
}

function requireWhole(option: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return
  throw new ProlepsisError('INVALID_ARGUMENT', `The embedder's ${option} cannot be ${value}.`, {
    hint: `It is a whole number from 1 to ${most}.`,
    details: { option },
  })
}
