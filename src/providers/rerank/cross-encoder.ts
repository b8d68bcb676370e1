import { availableParallelism } from 'node:os'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { Runtime } from '../local/inference-protocol.ts'
import { createInferenceThread } from '../local/inference-thread.ts'
import { planBatches } from '../local/plan-batches.ts'
import type { RerankingModel } from '../reranking-model.ts'
import { readCrossEncoderFolder } from './cross-encoder-folder.ts'
import { loadPairTokeniser, type PairTokeniser } from './pair-tokeniser.ts'

export interface CrossEncoderOptions {
  /** Folder with model.onnx (or onnx/model.onnx) and tokenizer.json of a sequence-classification model of BERT's kind; config.json tells its window. */
  readonly modelDir: string
  /** `auto`: native where it loads, else WASM. @default 'auto' */
  readonly runtime?: Runtime | 'auto'
  /** Threads of the native runtime. @default the machine's cores, at most 4 */
  readonly threads?: number
}

/** One call takes all that a recall may ask for. */
const MAX_DOCUMENTS = 500
/** Tokens computed in one run, padding included; between two runs a call can be cancelled. */
const BATCH_TOKENS = 512

/**
 * A cross-encoder on this machine: it reads question and document together and gives one logit a pair. Costs a run of the model for every
 * document: tens of milliseconds each on a CPU. A document over the window is judged by its beginning, as `onNote` tells; the question takes half of the
 * window at most. The folder is read at once, the model loaded at the first call, in a thread of its own.
 *
 * @throws ProlepsisError MODEL_NOT_FOUND; `rerank` also MODEL_FAILED, CANCELLED, CLOSED
 */
export async function createCrossEncoder(options: CrossEncoderOptions): Promise<RerankingModel> {
  const { runtime = 'auto', threads = Math.min(availableParallelism(), 4) } = options
  const { modelPath, tokeniserPath, modelId, maxTokens } = await readCrossEncoderFolder(options.modelDir)
  const tokeniser = await loadPairTokeniser(tokeniserPath)
  const thread = createInferenceThread({ modelPath, runtime, threads, dimension: 1, pooling: 'logit' })
  let closed = false
  const requireOpen = (): void => {
    if (!closed) return
    throw new ProlepsisError('CLOSED', 'The reranking model was closed.', { hint: 'Create another one.' })
  }
  return {
    modelId,
    maxDocuments: MAX_DOCUMENTS,
    async rerank({ query, documents, signal, onNote }) {
      requireOpen()
      throwIfAborted(signal)
      if (documents.length === 0) return []
      const { pairs, notes } = pairsOf(tokeniser, query, documents, maxTokens)
      for (const note of notes) onNote?.(note)
      await thread.load()
      const scores = new Array<number>(documents.length).fill(0)
      for (const batch of planBatches(
        pairs.map(({ ids }) => ids.length),
        BATCH_TOKENS,
      )) {
        throwIfAborted(signal)
        requireOpen()
        const inBatch = batch.flatMap((index) => pairs[index] ?? [])
        const logits = await thread.run(
          inBatch.map(({ ids }) => ids),
          inBatch.map(({ types }) => types),
        )
        batch.forEach((index, row) => {
          scores[index] = logits[row]?.[0] ?? Number.NaN
        })
      }
      return scores
    },
    async close() {
      closed = true
      await thread.close()
    },
  }
}

/** Each document with the question as the model takes them, cut to its window. */
function pairsOf(
  tokeniser: PairTokeniser,
  query: string,
  documents: readonly string[],
  maxTokens: number,
): { readonly pairs: readonly ReturnType<PairTokeniser['pair']>[]; readonly notes: readonly string[] } {
  const room = maxTokens - tokeniser.specialTokens
  const whole = tokeniser.idsOf(query)
  const question = whole.slice(0, Math.floor(room / 2))
  let cut = 0
  const pairs = documents.map((text) => {
    const ids = tokeniser.idsOf(text)
    if (ids.length > room - question.length) cut++
    return tokeniser.pair(question, ids.slice(0, room - question.length))
  })
  const notes = [
    ...(question.length < whole.length
      ? [`the question has ${whole.length} tokens: the first ${question.length} were read`]
      : []),
    ...(cut > 0
      ? [
          `${cut} of ${documents.length} passages are over the window of ${maxTokens} tokens: judged by their beginning`,
        ]
      : []),
  ]
  return { pairs, notes }
}
