import type { AskAllEstimate } from '../../domain/answer.ts'
import type { FilteredDocument } from '../../store/queries/filtered-documents.ts'
import { type PlannedBatch, weightOf } from './plan-batches.ts'

/** Facts to be expected of a call: what joining and checking takes is reckoned by it. */
const FACTS_A_CALL = 4
const FACT_TOKENS = 50
/** How often a fact is read: listed to be joined, shown to be checked with its passage. */
const FACT_READS = 3
/** How often one is written: found, joined, judged. */
const FACT_WRITES = 3
/** Instructions and question of a call. */
const PROMPT_TOKENS = 500
export const FACTS_A_REDUCE = 100
export const SENTENCES_A_CHECK = 40
const MILLION = 1_000_000

/** What reading all of it takes: the text exactly, the rest by what a call gives as a rule. Pure. */
export function estimateOf(
  documents: readonly FilteredDocument[],
  batches: readonly PlannedBatch[],
  prices: { readonly input: number | null; readonly output: number | null },
): AskAllEstimate {
  const sum = (of: (document: FilteredDocument) => number): number =>
    documents.reduce((total, document) => total + of(document), 0)
  const mapCalls = batches.reduce((total, batch) => total + batch.calls, 0)
  const facts = mapCalls * FACTS_A_CALL
  const calls = mapCalls + Math.ceil(facts / FACTS_A_REDUCE) + Math.ceil(facts / SENTENCES_A_CHECK)
  const inputTokens = sum(weightOf) + calls * PROMPT_TOKENS + facts * FACT_TOKENS * FACT_READS
  const outputTokens = facts * FACT_TOKENS * FACT_WRITES
  const { input, output } = prices
  return {
    documents: documents.length,
    chunks: sum(({ chunks }) => chunks),
    textTokens: sum(({ tokens }) => tokens),
    ...{ batches: mapCalls, calls, inputTokens, outputTokens },
    costUsd:
      input === null || output === null ? null : (inputTokens * input + outputTokens * output) / MILLION,
  }
}
