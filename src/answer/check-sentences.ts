import type { DropReason } from '../domain/answer.ts'
import { quotedLines } from '../domain/quoted-lines.ts'
import { type Located, locate } from './cite.ts'
import type { Evidence } from './evidence.ts'
import { evidenceBlock } from './evidence-block.ts'
import { unbackedLiterals } from './literals.ts'
import { callOf, counted, type ModelRun } from './model-run.ts'
import { CHECK } from './reply-schemas.ts'

/** Of a reply: a verdict, and for a sentence without quote a quote. */
const TOKENS_A_SENTENCE = 60
const TOKENS_BESIDE = 200

export interface PendingSentence {
  readonly text: string
  readonly located: readonly Located[]
  /** Its place in the answer, from 0. */
  readonly index: number
}

export interface CheckedPlace {
  readonly index: number
  readonly state: 'checked' | Extract<DropReason, 'unsupported' | 'partly' | 'no-citation' | 'unchecked'>
  readonly located: readonly Located[]
}

/**
 * One call that judges all sentences by the passages that they cite, or by all evidence where one cites nothing that is there. A supported
 * sentence without a citation must get one whose quote is found, or goes.
 *
 * @throws ProlepsisError as ModelCalls.generateObject
 */
export async function checkSentences(
  run: ModelRun,
  pending: readonly PendingSentence[],
  evidence: readonly Evidence[],
): Promise<CheckedPlace[]> {
  const cited = new Set(pending.flatMap(({ located }) => located.map((one) => one.evidence.chunkId)))
  const needsAll = pending.some(({ located }) => located.length === 0)
  const shown = evidence
    .filter((one) => needsAll || cited.has(one.chunkId))
    .map((one, i) => ({ ...one, id: i + 1 }))
  const numberOf = new Map(shown.map((one) => [one.chunkId, one.id]))
  const sentences = pending.map(({ text, located }, i) => {
    const from = [...new Set(located.map((one) => numberOf.get(one.evidence.chunkId)))].join(', ')
    const where = located.length === 0 ? 'without quote' : `cites passage ${from}`
    return `<sentence ${i + 1} | ${where}>\n${quotedLines(text)}\n</sentence ${i + 1}>`
  })
  const prompt = `${evidenceBlock(shown)}\n\n${sentences.join('\n\n')}`
  const tokens = TOKENS_BESIDE + TOKENS_A_SENTENCE * pending.length
  const call = await callOf(run, 'check', prompt, shown, tokens)
  const reply = await counted(run, run.model.generateObject({ ...call, schema: CHECK }))
  const verdicts = new Map(reply.map((one) => [one.id, one]))
  return pending.map(({ index, located, text }, i): CheckedPlace => {
    const told = verdicts.get(i + 1)
    if (told === undefined) return { index, state: 'unchecked', located }
    if (told.verdict !== 'supported') return { index, state: told.verdict, located }
    const places = located.length > 0 ? located : locate(told.citations, shown)
    if (places.length === 0) return { index, state: 'no-citation', located: places }
    // a model that obeys a passage may judge as it is told: what is copied must stand where it is said to
    const isBacked = unbackedLiterals(text, places, run.question).length === 0
    return { index, state: isBacked ? 'checked' : 'unsupported', located: places }
  })
}
