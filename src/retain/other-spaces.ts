import type { BankStore } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { enqueueEmbedding } from '../store/queries/embed-jobs.ts'
import { shadowSpace, spacesOfBank } from '../store/queries/spaces.ts'
import { deleteVectorsAt, type VectorKey, vectorKeys } from '../store/queries/vectors-write.ts'
import { vectorsOf } from './embed-chunks.ts'
import type { PlacedChunk } from './write-derived.ts'

/** Chunks looked at together. */
const SLICE = 500

/**
 * Takes from the bank's other spaces what chunks that were derived anew do not say any more. What they say as before keeps its vector there:
 * it need not be embedded again. Run it in the transaction that writes them.
 */
export async function dropOutdatedVectors(
  tx: Queryable,
  { bankId, space }: Pick<BankStore, 'bankId' | 'space'>,
  placed: Iterable<PlacedChunk>,
): Promise<void> {
  const others = (await spacesOfBank(tx, bankId)).filter(({ spaceId }) => spaceId !== space.spaceId)
  if (others.length === 0) return
  let hashes = new Map<string, string>()
  let chunkIds: number[] = []
  const flush = async (): Promise<void> => {
    for (const other of others) {
      const there = await vectorKeys(tx, bankId, other, chunkIds)
      const outdated = there.filter((one) => hashes.get(keyOf(one)) !== one.textHash)
      await deleteVectorsAt(tx, bankId, other, outdated)
    }
    hashes = new Map()
    chunkIds = []
  }
  for (const { chunk, chunkId } of placed) {
    chunkIds.push(chunkId)
    for (const { kind, ordinal, hash } of vectorsOf(chunk))
      hashes.set(keyOf({ chunkId, kind, ordinal }), hash)
    if (chunkIds.length >= SLICE) await flush()
  }
  await flush()
}

/**
 * While a bank is moved to another model, what is written is put in line to be embedded with that one too. Run it in the transaction that writes
 * it, under the lock of what is derived.
 */
export async function queueForShadow(
  tx: Queryable,
  bankId: number,
  documentIds: readonly number[],
  now: Date,
): Promise<void> {
  const shadow = await shadowSpace(tx, bankId)
  if (shadow !== null) await enqueueEmbedding(tx, bankId, documentIds, { spaceId: shadow.spaceId, now })
}

/** Of a place among the vectors of a space. */
export const keyOf = ({ chunkId, kind, ordinal }: VectorKey): string => `${chunkId} ${kind} ${ordinal}`
