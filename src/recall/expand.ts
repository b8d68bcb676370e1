import { neighbourChunks, type StoredChunk } from '../store/queries/chunks.ts'
import type { RecallDeps } from './deps.ts'
import type { Packed } from './pack.ts'
import type { RecallRequest } from './request.ts'

/** Text beside a passage in its document, adjoining it without a gap. */
export interface Surroundings {
  readonly before: string
  readonly after: string
  readonly tokens: number
}

/**
 * Adds up to `expand` neighbours on each side of each chosen chunk, the best passages first and the nearest neighbours first, as long
 * as the token budget holds and without repeating what is returned anyway.
 */
export async function expandPassages(
  deps: Pick<RecallDeps, 'store'>,
  packed: Packed,
  request: Pick<RecallRequest, 'expand' | 'tokenBudget'>,
): Promise<ReadonlyMap<number, Surroundings>> {
  const { expand, tokenBudget } = request
  const surroundings = new Map<number, Surroundings>()
  if (expand === 0) return surroundings
  const { database, bankId } = deps.store
  const taken = new Set(packed.chosen.map(({ chunk }) => chunk.chunkId))
  let room = tokenBudget === null ? Number.POSITIVE_INFINITY : tokenBudget - packed.tokens
  for (const { chunk } of packed.chosen) {
    const beside = await neighbourChunks(database, bankId, chunk.documentId, chunk.ordinal, expand, expand)
    const added = takeAdjoining(chunk, beside, taken, room)
    const tokens = added.reduce((sum, neighbour) => sum + neighbour.tokens, 0)
    room -= tokens
    for (const neighbour of added) taken.add(neighbour.chunkId)
    const textOf = (wanted: (neighbour: StoredChunk) => boolean): string =>
      added
        .filter(wanted)
        .sort((a, b) => a.ordinal - b.ordinal)
        .map((neighbour) => neighbour.text)
        .join('')
    surroundings.set(chunk.chunkId, {
      before: textOf((neighbour) => neighbour.ordinal < chunk.ordinal),
      after: textOf((neighbour) => neighbour.ordinal > chunk.ordinal),
      tokens,
    })
  }
  return surroundings
}

/** Neighbours from near to far on both sides in turn; a side ends at the first that is taken or does not fit. */
function takeAdjoining(
  chunk: Pick<StoredChunk, 'ordinal'>,
  beside: readonly StoredChunk[],
  taken: ReadonlySet<number>,
  room: number,
): StoredChunk[] {
  const added: StoredChunk[] = []
  let left = room
  const open = new Set([-1, 1])
  for (let distance = 1; open.size > 0; distance++) {
    for (const side of [...open]) {
      const next = beside.find((other) => other.ordinal === chunk.ordinal + side * distance)
      if (next === undefined || taken.has(next.chunkId) || next.tokens > left) {
        open.delete(side)
      } else {
        added.push(next)
        left -= next.tokens
      }
    }
  }
  return added
}
