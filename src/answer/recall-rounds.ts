import type { QueryResult } from '../domain/answer.ts'
import { errorCodeOf } from '../domain/error-code.ts'
import type { Passage, RecallQuery, RecallResult } from '../domain/recall.ts'
import type { AnswerDeps } from './answer-deps.ts'
import { type AskRequest, MAX_LIMIT } from './ask-options.ts'

/** Passages that each question alone is shown with. */
const BY_QUERY = 5

/** What the recalls of one answer brought. */
export interface RecallRounds {
  /** Of all of them, each chunk once, in the order in which they came. */
  readonly passages: readonly Passage[]
  readonly queries: readonly string[]
  readonly receipts: readonly string[]
  readonly degraded: readonly string[]
  /** Recalls, with room for as many more as are known already, and takes in what is new; what this recall brought. */
  add(query: RecallQuery): Promise<RecallResult>
  /** Reports the cited chunks, each on the first receipt that returned it. Resolves to what failed. */
  report(chunkIds: ReadonlySet<number>): Promise<string[]>
  /** What each question brings by itself; a search that failed brings nothing, and is told. */
  byQuery(degraded: string[]): Promise<QueryResult[]>
}

export function createRecallRounds(deps: AnswerDeps, request: AskRequest, traceId: string): RecallRounds {
  const passages = new Map<number, Passage>()
  const queries: string[] = []
  const degraded: string[] = []
  const rounds: RecallResult[] = []
  const alone = new Map<string, Promise<QueryResult>>()

  const askAlone = async (query: string): Promise<QueryResult> => {
    const options = { ...request.recall, limit: BY_QUERY, receipt: false }
    const { passages: found } = await deps.recall({ message: query, queries: [query] }, options, traceId)
    return { query, passages: scored(found) }
  }

  return {
    get passages() {
      return [...passages.values()]
    },
    queries,
    get receipts() {
      return rounds.flatMap(({ receipt }) => (receipt === null ? [] : [receipt]))
    },
    degraded,
    async add(query) {
      const known = [...passages.values()]
      const { limit, tokenBudget } = request
      const options = {
        ...request.recall,
        limit: Math.min(MAX_LIMIT, limit + known.length),
        tokenBudget: tokenBudget + known.reduce((sum, { tokens }) => sum + tokens, 0),
      }
      const result = await deps.recall(query, options, traceId)
      rounds.push(result)
      for (const passage of result.passages) {
        if (!passages.has(passage.chunkId)) passages.set(passage.chunkId, passage)
      }
      for (const one of result.queries) if (!queries.includes(one)) queries.push(one)
      degraded.push(...result.degraded.filter((one) => !degraded.includes(one)))
      const [only, ...more] = new Set(result.queries)
      if (more.length === 0) {
        const own = { query: only ?? '', passages: scored(result.passages).slice(0, BY_QUERY) }
        if (only !== undefined && !alone.has(only)) alone.set(only, Promise.resolve(own))
      } else {
        // found while the model writes; a failure is told when they are asked for
        for (const one of result.queries) {
          if (alone.has(one)) continue
          const asked = askAlone(one)
          asked.catch(() => undefined)
          alone.set(one, asked)
        }
      }
      return result
    },
    async report(chunkIds) {
      if (deps.reportCited === null) return []
      const failed: string[] = []
      const left = new Set(chunkIds)
      for (const { receipt, passages: returned } of rounds) {
        const cited = returned.filter(({ chunkId }) => left.has(chunkId))
        if (receipt === null || cited.length === 0) continue
        for (const { chunkId } of cited) left.delete(chunkId)
        try {
          await deps.reportCited(
            receipt,
            cited.map(({ ref }) => ref),
          )
        } catch (error) {
          failed.push(`feedback: ${errorCodeOf(error) ?? 'UNEXPECTED'}`)
        }
      }
      return failed
    },
    async byQuery(told) {
      const results = await Promise.allSettled(alone.values())
      return [...alone.keys()].map((query, i) => {
        const result = results[i]
        if (result?.status === 'fulfilled') return result.value
        told.push(`results by query: ${errorCodeOf(result?.reason) ?? 'UNEXPECTED'}`)
        return { query, passages: [] }
      })
    },
  }
}

function scored(passages: readonly Passage[]): QueryResult['passages'] {
  return passages.map(({ ref, chunkId, score }) => ({ ref, chunkId, score }))
}
