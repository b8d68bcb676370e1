import { ERROR_CODES, type ErrorCode, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import { pause } from '../domain/pause.ts'
import type { BankStore, VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { spaceStates } from '../store/queries/bank-spaces.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import {
  type EmbeddingLine,
  embeddingLine,
  enqueueEmbedding,
  retryEmbedding,
} from '../store/queries/embed-jobs.ts'
import { documentsWithoutVectors } from '../store/queries/missing-vectors.ts'
import { requireBank } from './banks.ts'
import { goneSpace, nameOf } from './embedder-spaces.ts'
import type { MaintainDeps } from './maintain-deps.ts'

export interface FillOptions {
  readonly signal?: AbortSignal | undefined
  /** Documents. The total grows with what is retained meanwhile. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface FillDeps extends MaintainDeps {
  /** Does the jobs of the space that are due, in this process, until none is; tells of each that was done how many vectors it wrote. */
  readonly work: (onDone: (vectors: number) => void) => Promise<void>
}

/** What a run embedded. */
export interface FilledSpace {
  readonly documents: number
  readonly vectors: number
}

/** A pause after a failure that is longer than this is not sat out. */
const PATIENCE_MS = 60_000
/** Jobs that another process runs are asked after this often. */
const ASK_MS = 500

/**
 * Puts every document that lacks vectors in the space in line, and does these jobs, beside whoever else does them, until nothing is missing: what is
 * retained or changed meanwhile included. Recalls see nothing of it. What was written stays when it is cut short; a run goes on where the one
 * before ended.
 *
 * @throws ProlepsisError the code of a job that failed for good, or of all that failed in a row; CANCELLED; STORE_DAMAGED
 */
export async function fillSpace(
  deps: FillDeps,
  space: VectorSpace,
  { signal, onProgress }: FillOptions = {},
): Promise<FilledSpace> {
  const { database, bankId } = deps.store
  const filled = { documents: 0, vectors: 0 }
  let done = 0
  let total = 0
  const onDone = (vectors: number): void => {
    // a document may be in line that lacks nothing any more
    if (vectors > 0) filled.documents++
    filled.vectors += vectors
    total = Math.max(total, ++done)
    onProgress?.(done, total)
  }
  const now = (): Date => new Date(deps.clock.now())
  // what failed before is tried at once
  await retryEmbedding(database, bankId, space.spaceId, now())
  let leftBefore: readonly number[] = []
  for (;;) {
    throwIfAborted(signal)
    await requireBeside(database, deps.store, space)
    const left = await documentsWithoutVectors(database, bankId, space)
    if (left.length === 0) return filled
    total = done + left.length
    const added = await database.transaction(async (tx) => {
      // nothing is put in line for a space that another call drops at this moment
      await lockDerived(tx, bankId)
      await requireBeside(tx, deps.store, space)
      return enqueueEmbedding(tx, bankId, left, { spaceId: space.spaceId, now: now(), running: true })
    })
    const before = filled.vectors
    await deps.work(onDone)
    throwIfAborted(signal)
    const line = await embeddingLine(database, bankId, [space.spaceId])
    const moved = filled.vectors > before || left.length !== leftBefore.length
    if (line.dead > 0 || (line.error !== null && line.running === 0 && !moved)) throw failure(space, line)
    if (line.waiting + line.running > 0) await pause(pauseOf(space, line, deps.clock.now()), signal)
    else if (!moved && added.length > 0) throw stuck(space, left)
    leftBefore = left
  }
}

/** @throws ProlepsisError NOT_FOUND, BANK_NOT_FOUND when another call has dropped or switched the space, or deleted the bank */
async function requireBeside(
  q: Queryable,
  { bankId, bank }: BankStore,
  { spaceId }: VectorSpace,
): Promise<void> {
  const spaces = await spaceStates(q, bankId)
  if (spaces.some((one) => one.spaceId === spaceId && one.state !== 'active')) return
  if (spaces.length === 0) await requireBank(q, bank)
  throw goneSpace(bank)
}

/** How long until there is something to do again. */
function pauseOf(space: VectorSpace, line: EmbeddingLine, now: number): number {
  if (line.running > 0 || line.nextAt === null || line.error === null) return ASK_MS
  const wait = line.nextAt.getTime() - now
  if (wait > PATIENCE_MS) throw failure(space, line)
  return Math.max(wait, ASK_MS)
}

/** The jobs stay in line, or as dead ones, with their reasons. */
function failure(
  space: VectorSpace,
  { waiting, dead, documents, error, errorCode }: EmbeddingLine,
): ProlepsisError {
  const code = ERROR_CODES.find((known): known is ErrorCode => known === errorCode) ?? 'MODEL_FAILED'
  return new ProlepsisError(
    code,
    `${documents === 1 ? '1 document' : `${documents} documents`} could not be embedded in ${nameOf(space)}: ${error ?? 'no reason is known'}`,
    {
      hint: 'Recalls go on as before. `prolepsis jobs list --kind embed` shows them; repeat the migration to go on where it ended, or `prolepsis embedder drop` to end it.',
      details: { space: space.spaceId, waiting, dead },
    },
  )
}

/** Every job was done, and the same is missing: going round again would never end. */
function stuck(space: VectorSpace, left: readonly number[]): ProlepsisError {
  return new ProlepsisError(
    'STORE_DAMAGED',
    `${left.length} documents cannot be embedded in ${nameOf(space)}.`,
    {
      hint: 'Run `prolepsis doctor --mend`, then repeat the migration.',
      details: { documents: left.slice(0, 20) },
    },
  )
}
