import { type ErrorCode, isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { RetainItem, RetainManyResult } from '../domain/retain.ts'
import { repeatable } from '../store/repeat.ts'
import { batchesOf } from './batches.ts'
import { commitPlans } from './commit.ts'
import { embedChunks, vectorCount } from './embed-chunks.ts'
import { planRetain, type WritePlan } from './plan.ts'
import { change, outcomeOf, report, retainRequest } from './retain.ts'
import { type RetainCall, startCall, traceFailure } from './retain-call.ts'
import type { RetainDeps } from './retain-deps.ts'
import { type RetainRequest, readRetainOptions } from './retain-options.ts'
import { createVectorSpool, type VectorSpool } from './vector-spool.ts'
import { joined } from './write-derived.ts'

/** An item on its way: either done, or planned. */
interface Entry {
  readonly item: RetainItem
  readonly call: RetainCall
  readonly result: RetainManyResult | null
  readonly planned: { readonly plan: WritePlan; readonly request: RetainRequest } | null
  /** Of an item that is planned only when its turn comes, since its plan takes much room. */
  readonly large: RetainRequest | null
  readonly vectors: number
}

/**
 * A transaction's worth: enough texts that the cost of the transaction vanishes and that texts of like length meet in a run of the model,
 * few enough that a kill loses seconds of work, on a slow machine too: the first batch is small, the next as large as the time that
 * texts take lets them be. A single item may have more texts, and then has a batch of its own.
 */
const MOST_VECTORS = 256
const FEWEST_VECTORS = 64
const BATCH_MS = 4000
const BATCH_ITEMS = 64
/** Bytes, or UTF-16 units; the plans of three batches are in memory at a time. */
const LARGE_ITEM = 8 * 1024 ** 2

/**
 * Retains one item after another, in batches: while one batch is written, the next is embedded and the one after it read
 * and planned. Results come in the items' order, each only once it is committed. An item that cannot be retained gives a
 * `failed` result and stops nothing; what concerns the store, the model's files or the caller's signal stops all, and so does an error of
 * the items' source: then what came before it is committed, and its results are given, first.
 *
 * @param run runs each piece of work; what it refuses ends the stream
 * @param mostVectors of a batch: fewer of them let others have the model and the store sooner
 */
export async function* retainMany(
  deps: RetainDeps,
  items: Iterable<RetainItem> | AsyncIterable<RetainItem>,
  signal?: AbortSignal | undefined,
  run: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
  mostVectors: number = MOST_VECTORS,
): AsyncGenerator<RetainManyResult, void, undefined> {
  let limit = Math.min(FEWEST_VECTORS, mostVectors)
  const standing = { deps }
  const batches = batchesOf(
    items,
    (item) => run(() => planItem(standing.deps, item, signal)),
    (batch) => isFull(batch, limit),
    (batch, next) => next.vectors + vectorsIn(batch) <= limit,
  )
  let upcoming = batches.next()
  let committing: Promise<readonly RetainManyResult[]> | null = null
  let embedded: EmbeddedBatch | null = null
  try {
    for (;;) {
      if (committing !== null && (await settlesFirst(committing, upcoming))) {
        // the next items let themselves be waited for: what is written need not
        yield* await committing
        committing = null
      }
      const { value: batch, done } = await upcoming
      if (done) break
      upcoming = batches.next()
      watched(upcoming)
      const startedAt = performance.now()
      embedded = await run(() => embedBatch(standing.deps, batch, signal))
      limit = Math.min(nextLimit(limit, vectorsIn(batch), performance.now() - startedAt), mostVectors)
      if (committing !== null) yield* await committing
      const vectors = embedded
      committing = run(() => {
        embedded = null
        return commitBatch(standing, batch, vectors)
      })
      watched(committing)
    }
    if (committing !== null) yield* await committing
    committing = null
  } catch (error) {
    // what is committed is told of before what went wrong
    if (committing !== null) {
      const last = committing
      committing = null
      yield* await last
    }
    throw error
  } finally {
    // a consumer that leaves early, or an error, must not leave a write behind that nobody waits for
    await Promise.allSettled([committing])
    // nor a file of vectors that nobody writes any more
    embedded?.spool?.dispose()
    // not awaited: the source may never give its next item
    watched(batches.return(undefined))
  }
}

function settlesFirst(one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  const settled = (promise: Promise<unknown>, answer: boolean): Promise<boolean> =>
    promise.then(
      () => answer,
      () => answer,
    )
  return Promise.race([settled(one, true), settled(other, false)])
}

/** Marks a promise as handled: it is awaited later. */
function watched(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}

const vectorsIn = (batch: readonly Entry[]): number => batch.reduce((sum, entry) => sum + entry.vectors, 0)

/** How many texts the model gets done in time, judged by a batch; one without any says nothing. */
function nextLimit(limit: number, vectors: number, tookMs: number): number {
  if (vectors === 0 || tookMs <= 0) return limit
  return Math.round(Math.min(Math.max((vectors * BATCH_MS) / tookMs, FEWEST_VECTORS), MOST_VECTORS))
}

function isFull(batch: readonly Entry[], limit: number): boolean {
  if (batch.at(-1)?.large != null) return true
  return batch.length >= BATCH_ITEMS || vectorsIn(batch) >= limit
}

async function planItem(deps: RetainDeps, item: RetainItem, signal: AbortSignal | undefined): Promise<Entry> {
  throwIfAborted(signal)
  const call = startCall(deps, item)
  const entry = { item, call, result: null, planned: null, large: null, vectors: 0 }
  try {
    const { content, ...options } = item
    const request = withSignal(readRetainOptions(options), signal)
    if (isLarge(content)) return { ...entry, large: request }
    const plan = await repeatable(deps.store.database, () => planRetain(deps, content, request, call.traceId))
    if (plan.kind === 'write') {
      let vectors = 0
      for (const chunk of plan.derived.chunks) vectors += vectorCount(chunk)
      return { ...entry, planned: { plan, request }, vectors }
    }
    const outcome = await repeatable(deps.store.database, () => change(deps, plan, request))
    const result =
      outcome === null ? await retainRequest(deps, content, request, call) : report(deps, outcome, call)
    return { ...entry, result }
  } catch (error) {
    return { ...entry, result: failure(deps, call, error) }
  }
}

const isLarge = (content: unknown): boolean =>
  (typeof content === 'string' || content instanceof Uint8Array) && content.length > LARGE_ITEM

const withSignal = (request: RetainRequest, signal: AbortSignal | undefined): RetainRequest =>
  request.signal === undefined ? { ...request, signal } : request

/** The bank as it stands by now: it may be moved to another model while items come. */
interface Standing {
  deps: RetainDeps
}

interface EmbeddedBatch {
  /** The vectors are of its model and for its space, wherever the bank is by now. */
  readonly deps: RetainDeps
  /** Null when the items have to be tried one by one. */
  readonly spool: VectorSpool | null
}

async function embedBatch(
  deps: RetainDeps,
  batch: readonly Entry[],
  signal: AbortSignal | undefined,
): Promise<EmbeddedBatch> {
  const chunks = batch.flatMap((entry) => (entry.planned === null ? [] : [entry.planned.plan.derived.chunks]))
  const spool = createVectorSpool(deps.store.space.dimension)
  try {
    if (chunks.length > 0)
      await embedChunks(joined(chunks), spool, { ...deps.store, embedder: await deps.embedder(), signal })
    return { deps, spool }
  } catch (error) {
    spool.dispose()
    if (!isOfOneItem(error)) throw error
    return { deps, spool: null }
  }
}

/** Writes a batch in one transaction; item by item what that could not do. */
async function commitBatch(
  standing: Standing,
  batch: readonly Entry[],
  embedded: EmbeddedBatch,
): Promise<readonly RetainManyResult[]> {
  const open = batch.filter((entry) => entry.planned !== null)
  const committed = await commitTogether(standing, open, embedded)
  const results: RetainManyResult[] = []
  for (const entry of batch) {
    const done = committed.get(entry)
    results.push(entry.result ?? done ?? (await retainAlone(standing, entry)))
  }
  return results
}

async function commitTogether(
  standing: Standing,
  entries: readonly Entry[],
  { deps, spool }: EmbeddedBatch,
): Promise<ReadonlyMap<Entry, RetainManyResult>> {
  if (spool === null || entries.length === 0) return new Map()
  try {
    const plans = entries.map((entry) => entry.planned!.plan)
    const committed = await repeatable(deps.store.database, () => commitPlans(deps, plans, spool))
    return new Map(
      entries.flatMap((entry, at) => {
        const one = committed[at]
        return one ? [[entry, report(deps, outcomeOf(plans[at]!, one), entry.call)]] : []
      }),
    )
  } catch (error) {
    if (!(await isRenewed(standing, error)) && !isOfOneItem(error)) throw error
    return new Map()
  } finally {
    spool.dispose()
  }
}

/** Goes on in the space that the bank was moved to, where this memory has its model. @throws ProlepsisError MODEL_MISMATCH, BANK_NOT_FOUND */
async function isRenewed(standing: Standing, error: unknown): Promise<boolean> {
  const { renewed } = standing.deps
  if (!isProlepsisError(error) || error.code !== 'MODEL_MISMATCH' || renewed === undefined) return false
  standing.deps = { ...(await renewed()), renewed }
  return true
}

async function retainAlone(standing: Standing, entry: Entry): Promise<RetainManyResult> {
  const { database } = standing.deps.store
  // not done, so planned or large
  const request = entry.planned?.request ?? entry.large!
  const alone = (): Promise<RetainManyResult> =>
    repeatable(database, () => retainRequest(standing.deps, entry.item.content, request, entry.call))
  try {
    return await alone().catch(async (error: unknown) => {
      if (!(await isRenewed(standing, error))) throw error
      return alone()
    })
  } catch (error) {
    return failure(standing.deps, entry.call, error)
  }
}

const OF_ONE_ITEM: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'EMPTY_TEXT',
  'INVALID_TEXT',
  'TEXT_TOO_LARGE',
  'INVALID_ARGUMENT',
  'UNKNOWN_OPTION',
  'INVALID_TIME',
  'UNSUPPORTED_MEDIA',
  'UNREADABLE_FILE',
  'NOT_FOUND',
  'MODEL_FAILED',
  'STORE_FAILED',
  'DEADLINE_EXCEEDED',
])

/** Whether an error says something about one item, not about the store or the call. */
function isOfOneItem(error: unknown): boolean {
  return !isProlepsisError(error) || OF_ONE_ITEM.has(error.code)
}

function failure(deps: RetainDeps, call: RetainCall, error: unknown): RetainManyResult {
  traceFailure(deps, call, error)
  if (!isOfOneItem(error)) throw error
  const known = isProlepsisError(error)
    ? error
    : new ProlepsisError('INVALID_TEXT', `The text could not be processed: ${String(error)}`, {
        hint: 'This is a fault of Prolepsis: please report it.',
        cause: error,
      })
  const { source, traceId } = call
  return { status: 'failed', source, error: known, traceId, tookMs: performance.now() - call.startedAt }
}
