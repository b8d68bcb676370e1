import { throwIfAborted } from '../../domain/errors.ts'
import type { DraftedEvaluation, EvaluationCase } from '../../domain/evaluation.ts'
import { checkPrompts, type PromptTexts } from '../../domain/prompt-files.ts'
import { formatRef } from '../../domain/ref.ts'
import type { ModelCalls } from '../../providers/model-calls.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { cuesOfChunks } from '../../store/queries/cues.ts'
import { type DraftChunk, sampleChunks } from '../../store/queries/draft-chunks.ts'
import { checkKeys, checkWhole } from '../check-options.ts'
import { countingCost, type TraceListener } from './count-cost.ts'
import { draftByModel } from './draft-by-model.ts'
import { draftByRules } from './draft-by-rules.ts'

export interface DraftOptions {
  /** How many questions, 1 to 1,000; fewer come where the bank has fewer chunks, or a question is not fit. @default 50 */
  readonly count?: number
  /** The same seed takes the same chunks. @default 1 */
  readonly seed?: number
  /** A text in place of the prompt `draft`. */
  readonly prompts?: Pick<PromptTexts, 'draft'>
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export interface DraftDeps {
  readonly traceId: string
  readonly store: BankStore
  readonly model: () => Promise<ModelCalls | null>
  readonly hear: (listener: TraceListener) => () => void
}

/** A question of a chunk, or null where no fit one came. */
export interface DraftedQuestion {
  readonly question: string
  readonly answer: string | null
}

/** Chunks that one model call is shown. */
const CHUNKS_A_CALL = 8
/** Characters of a chunk by which it is known again: enough to be its own, few enough to read. */
const PASSAGE_CHARACTERS = 160

/**
 * Drafts questions from chunks of the bank, evenly over its documents: by the language model where there is one, else by rules from the
 * chunks' own cues.
 *
 * @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT, CANCELLED; what model calls raise
 */
export async function draftCases(deps: DraftDeps, options: DraftOptions = {}): Promise<DraftedEvaluation> {
  checkKeys(options, ['count', 'seed', 'prompts', 'onProgress', 'signal'], 'draftEvaluation')
  const count = checkWhole(options.count, 'count', { least: 1, most: 1_000, default: 50 })
  const seed = checkWhole(options.seed, 'seed', { least: 0, most: 2 ** 31 - 1, default: 1 })
  const prompts =
    options.prompts === undefined ? undefined : checkPrompts(options.prompts, 'prompts', ['draft'])
  const { store, traceId } = deps
  const { signal, onProgress } = options
  const chunks = await sampleChunks(store.database, store.bankId, { count, seed })
  const model = await deps.model()
  const counting = countingCost(deps.hear, traceId)
  try {
    const cases: EvaluationCase[] = []
    for (let at = 0; at < chunks.length; at += CHUNKS_A_CALL) {
      throwIfAborted(signal)
      const some = chunks.slice(at, at + CHUNKS_A_CALL)
      const drafted =
        model === null
          ? await byRules(store, some)
          : await draftByModel(model, some, { prompts, settings: store.settings, signal, traceId })
      for (const [place, chunk] of some.entries()) {
        const draft = drafted[place] ?? null
        if (draft !== null) cases.push(caseOf(chunk, draft, cases.length + 1))
      }
      onProgress?.(Math.min(at + CHUNKS_A_CALL, chunks.length), chunks.length)
    }
    return {
      ...{ traceId, cases, by: model === null ? 'rules' : 'model' },
      ...{ dropped: chunks.length - cases.length, cost: counting.cost() },
    }
  } finally {
    counting.stop()
  }
}

async function byRules(
  { database, bankId }: BankStore,
  chunks: readonly DraftChunk[],
): Promise<readonly (DraftedQuestion | null)[]> {
  const cues = await cuesOfChunks(
    database,
    bankId,
    chunks.map(({ chunkId }) => chunkId),
  )
  return chunks.map((chunk) =>
    draftByRules(
      chunk,
      cues.filter(({ chunkId }) => chunkId === chunk.chunkId),
    ),
  )
}

function caseOf(chunk: DraftChunk, draft: DraftedQuestion, number: number): EvaluationCase {
  const { source, ordinal } = chunk
  const passage = beginning(chunk.text)
  return {
    id: `q${number}`,
    question: draft.question,
    expect: [
      passage === ''
        ? { source, ref: formatRef({ source, ordinal, version: 1, current: true }) }
        : { source, passage },
    ],
    ...(draft.answer === null ? {} : { answer: draft.answer }),
  }
}

/** The beginning of a text by whole words, on one line. */
function beginning(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= PASSAGE_CHARACTERS) return line
  const cut = line.slice(0, PASSAGE_CHARACTERS)
  const end = cut.lastIndexOf(' ')
  return (end < PASSAGE_CHARACTERS / 2 ? cut : cut.slice(0, end)).replace(/[\uD800-\uDBFF]$/, '')
}
