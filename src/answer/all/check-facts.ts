import type { Analyser } from '../../domain/analysis/analyser.ts'
import { errorCodeOf } from '../../domain/error-code.ts'
import { carrying } from '../carrying.ts'
import { checkSentences, type PendingSentence } from '../check-sentences.ts'
import type { Evidence } from '../evidence.ts'
import type { Judged } from '../judge.ts'
import { isFatal, type ModelRun } from '../model-run.ts'
import { SENTENCES_A_CHECK } from './estimate.ts'
import type { Fact } from './map-batches.ts'
import { HEADING_TOKENS } from './plan-batches.ts'

/** Places of a fact that the check is shown: what a hundred texts say needs no hundred proofs. */
const SHOWN_PLACES = 6

/**
 * Judges facts as sentences of an answer: by their quotes where these carry them, else by the model, in as few calls as hold the passages. Where a
 * call fails its facts are `located`: their quotes stand in memory, nobody judged more; those with near quotes alone are left out.
 *
 * @throws ProlepsisError CANCELLED, CLOSED
 */
export async function checkFacts(
  run: ModelRun,
  facts: readonly Fact[],
  analyser: Analyser,
  batchTokens: number,
  onGroup: (done: number, total: number) => void,
): Promise<Judged[]> {
  const judged = facts.map(
    ({ text, located }): Judged => ({
      ...{ text, located },
      // of a joined fact every place counts
      state: carrying(text, located, analyser).length === located.length ? 'quoted' : 'pending',
    }),
  )
  const set = (index: number, state: Judged['state']): void => {
    const before = judged[index]
    if (before !== undefined) judged[index] = { ...before, state }
  }
  const pending = judged.flatMap(({ text, located, state }, index) =>
    state === 'pending' ? [{ text, located: located.slice(0, SHOWN_PLACES), index }] : [],
  )
  const groups = groupsOf(pending, batchTokens)
  for (const [i, group] of groups.entries()) {
    try {
      const checked = await checkSentences(run, group, evidenceOfGroup(group))
      for (const { index, state } of checked) set(index, state)
    } catch (error) {
      if (isFatal(error)) throw error
      run.degraded.push(`check: ${errorCodeOf(error) ?? 'UNEXPECTED'}`)
      for (const { index, located } of group) {
        const isThere = located.some(({ citation }) => citation.match === 'exact')
        set(index, isThere ? 'located' : 'unchecked')
      }
    }
    onGroup(i + 1, groups.length)
  }
  return judged
}

function groupsOf(pending: readonly PendingSentence[], batchTokens: number): PendingSentence[][] {
  const groups: PendingSentence[][] = []
  let shown = new Set<number>()
  let tokens = 0
  for (const one of pending) {
    const weigh = (): number =>
      evidenceOfGroup([one])
        .filter(({ chunkId }) => !shown.has(chunkId))
        .reduce((sum, evidence) => sum + evidence.tokens + HEADING_TOKENS, 0)
    const open = groups.at(-1)
    if (open === undefined || open.length >= SENTENCES_A_CHECK || tokens + weigh() > batchTokens) {
      groups.push([one])
      shown = new Set()
      tokens = 0
    } else open.push(one)
    tokens += weigh()
    for (const { chunkId } of evidenceOfGroup([one])) shown.add(chunkId)
  }
  return groups
}

function evidenceOfGroup(group: readonly PendingSentence[]): Evidence[] {
  const all = group.flatMap(({ located }) => located.map((one) => one.evidence))
  return [...new Map(all.map((one) => [one.chunkId, one])).values()]
}
