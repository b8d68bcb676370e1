import { errorCodeOf } from '../../domain/error-code.ts'
import { quotedLines } from '../../domain/quoted-lines.ts'
import type { Located } from '../cite.ts'
import { callOf, counted, isFatal, type ModelRun } from '../model-run.ts'
import { JOINED } from '../reply-schemas.ts'
import { FACTS_A_REDUCE } from './estimate.ts'
import type { Fact } from './map-batches.ts'

const MOST_ROUNDS = 4
const TOKENS_A_FACT = 60
const TOKENS_BESIDE = 200
/** A round that joins a smaller share is the last. */
const LEAST_SHRINKING = 0.1

/** Facts of the same words are one, with the places of all. Pure; keeps the order. */
export function joinSame(facts: readonly Fact[]): Fact[] {
  const byText = new Map<string, Fact[]>()
  for (const fact of facts) {
    const key = fact.text
      .toLowerCase()
      .replaceAll(/[\s\p{P}]+/gu, ' ')
      .trim()
    const same = byText.get(key)
    if (same === undefined) byText.set(key, [fact])
    else same.push(fact)
  }
  return [...byText.values()].map((same) => ({ text: same[0]?.text ?? '', located: union(same) }))
}

/**
 * Has the model join facts that say the same, a hundred at a time, in rounds until there is one group or hardly any is joined. A joined fact has
 * the places of all that it was made of; what a reply leaves out stays as it was; where a call fails, so do its facts.
 *
 * @throws ProlepsisError CANCELLED, CLOSED
 */
export async function joinFacts(
  run: ModelRun,
  asked: string,
  facts: readonly Fact[],
  onGroup: (done: number, total: number) => void,
): Promise<Fact[]> {
  let current = joinSame(facts)
  for (let round = 0; round < MOST_ROUNDS && current.length > 1; round++) {
    const total = Math.ceil(current.length / FACTS_A_REDUCE)
    const joined: Fact[] = []
    for (let i = 0; i < total; i++) {
      const group = current.slice(i * FACTS_A_REDUCE, (i + 1) * FACTS_A_REDUCE)
      joined.push(...(await joinGroup(run, asked, group)))
      onGroup(i + 1, total)
    }
    const before = current.length
    current = joinSame(joined)
    if (total === 1 || current.length > before * (1 - LEAST_SHRINKING)) break
  }
  return current
}

async function joinGroup(run: ModelRun, asked: string, group: readonly Fact[]): Promise<readonly Fact[]> {
  if (group.length < 2) return group
  const listed = group.map(({ text }, i) => `<fact ${i + 1}>\n${quotedLines(text)}\n</fact ${i + 1}>`)
  const evidence = group.flatMap(({ located }) => located.map((one) => one.evidence))
  const prompt = `${listed.join('\n')}\n\n${asked}`
  try {
    const call = await callOf(run, 'reduce', prompt, evidence, TOKENS_BESIDE + group.length * TOKENS_A_FACT)
    const items = await counted(run, run.model.generateObject({ ...call, schema: JOINED }))
    const claimed = new Set<number>()
    const joined = items.flatMap(({ text, ids }): Fact[] => {
      const parts = [...new Set(ids)].flatMap((id) => {
        const fact = group[id - 1]
        // a fact belongs to one sentence
        if (fact === undefined || claimed.has(id)) return []
        claimed.add(id)
        return [fact]
      })
      return parts.length === 0 ? [] : [{ text, located: union(parts) }]
    })
    return [...joined, ...group.filter((_fact, i) => !claimed.has(i + 1))]
  } catch (error) {
    if (isFatal(error)) throw error
    run.degraded.push(`reduce: ${errorCodeOf(error) ?? 'UNEXPECTED'}`)
    return group
  }
}

function union(facts: readonly Fact[]): Located[] {
  const places = new Map<string, Located>()
  for (const one of facts.flatMap(({ located }) => located)) {
    const { chunkId, inChunk } = one.citation
    places.set(`${chunkId} ${inChunk.start} ${inChunk.end}`, one)
  }
  return [...places.values()]
}
