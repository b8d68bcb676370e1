import type { Analyser } from '../domain/analysis/analyser.ts'
import type { AnswerSentence, DroppedSentence, DropReason } from '../domain/answer.ts'
import { errorCodeOf } from '../domain/error-code.ts'
import { carrying } from './carrying.ts'
import { checkSentences } from './check-sentences.ts'
import { type Located, locate } from './cite.ts'
import type { Evidence } from './evidence.ts'
import { isFatal, type ModelRun } from './model-run.ts'
import type { DraftSentence } from './reply-schemas.ts'

/** Sentences of one answer; an answer of more is none. */
const MOST_SENTENCES = 40
const LONGEST_SENTENCE = 1_200

type Support = AnswerSentence['support']

/** A sentence as it stands after its quotes were looked up. */
export interface Judged {
  readonly text: string
  readonly located: readonly Located[]
  /** `pending`: for the model's check. */
  readonly state: Support | 'pending' | DropReason
}

/** Looks up a sentence's quotes, and whether they carry it; `index` is its place in the answer, from 0. */
export function judgeQuotes(
  sentence: DraftSentence,
  index: number,
  evidence: readonly Evidence[],
  analyser: Analyser,
  mostSentences: number = MOST_SENTENCES,
): Judged {
  const { text } = sentence
  if (index >= mostSentences) return { text, located: [], state: 'too-many' }
  if (text.length > LONGEST_SENTENCE)
    return { text: text.slice(0, LONGEST_SENTENCE), located: [], state: 'too-long' }
  const located = locate(sentence.citations, evidence)
  const carried = carrying(text, located, analyser)
  // a citation beside one that carries was judged by nobody
  return carried.length > 0
    ? { text, located: carried, state: 'quoted' }
    : { text, located, state: 'pending' }
}

/**
 * Has the model judge what is pending, in one call for all, by the passages that it cites (by all of them where a sentence cites none).
 * A check that fails leaves its sentences unchecked and says so; it is thrown when nothing else was said.
 */
export async function judgePending(
  run: ModelRun,
  judged: readonly Judged[],
  evidence: readonly Evidence[],
): Promise<readonly Judged[]> {
  const pending = judged.flatMap((one, index) => (one.state === 'pending' ? [{ ...one, index }] : []))
  if (pending.length === 0) return judged
  const after = [...judged]
  try {
    for (const { index, state, located } of await checkSentences(run, pending, evidence)) {
      const before = judged[index]
      if (before !== undefined) after[index] = { ...before, state, located }
    }
  } catch (error) {
    if (isFatal(error) || !judged.some((one) => one.state === 'quoted')) throw error
    run.degraded.push(`check: ${errorCodeOf(error) ?? 'UNEXPECTED'}`)
    for (const { index } of pending) after[index] = { ...judged[index]!, state: 'unchecked' } // an index of judged
  }
  return after
}

/** How a sentence that passed is supported; null when it did not pass. */
function supportOf({ state, located }: Judged): Support | null {
  const passed = state === 'quoted' || state === 'checked' || state === 'located'
  return passed && located.length > 0 ? state : null
}

/** A sentence for the answer, when it passed. */
export function sentenceOf(judged: Judged): AnswerSentence | null {
  const support = supportOf(judged)
  const { text, located } = judged
  return support === null ? null : { text, citations: located.map(({ citation }) => citation), support }
}

/** The sentences that passed, each said once. */
export function acceptedOf(judged: readonly Judged[]): AnswerSentence[] {
  const byText = new Map<string, AnswerSentence>()
  for (const one of judged) {
    const sentence = sentenceOf(one)
    const key = one.text.toLowerCase()
    if (sentence !== null && !byText.has(key)) byText.set(key, sentence)
  }
  return [...byText.values()]
}

export function droppedOf(judged: readonly Judged[]): DroppedSentence[] {
  return judged.flatMap((one): DroppedSentence[] => {
    const { text, state } = one
    if (supportOf(one) !== null) return []
    const isReason = state !== 'quoted' && state !== 'checked' && state !== 'located' && state !== 'pending'
    return [{ text, why: isReason ? state : 'no-citation' }]
  })
}
