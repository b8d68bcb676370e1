import type {
  EmbedderChange,
  EmbedderComparison,
  EmbedderDropped,
  EmbedderStatus,
} from '../domain/embedder.ts'
import { isModelError, ProlepsisError } from '../domain/errors.ts'
import { checkKeys } from '../maintain/check-options.ts'
import { dropSpace, incomplete, startMigration, switchTo } from '../maintain/embedder-migration.ts'
import {
  describeSpace,
  embedderStatus,
  goneSpace,
  nameOf,
  requireRetired,
  requireShadow,
  type SettingsFor,
} from '../maintain/embedder-spaces.ts'
import { type FillDeps, type FilledSpace, fillSpace } from '../maintain/fill-space.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import { type BankSpace, spaceStates } from '../store/queries/bank-spaces.ts'
import { countMissingVectors } from '../store/queries/missing-vectors.ts'
import { embedJob } from './embed-jobs.ts'
import type { EmbedderSource } from './embedder-source.ts'
import type { EmbedderTarget } from './embedder-target.ts'
import { type BankDeps, callOn, type Scope } from './scope.ts'

export interface MigrateOptions {
  /** The model to move to. @default the one that the bank is being moved to */
  readonly to?: EmbedderTarget
  /** Cut over as soon as nothing is missing. @default false */
  readonly cutOver?: boolean
  /** Documents embedded by this call, and those left with them; the total grows with what is retained meanwhile. */
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export interface CompareOptions {
  /** What to ask. @default what was recalled last, each question once */
  readonly queries?: readonly string[]
  /** How many of those, 1 to 1,000. @default 50 */
  readonly n?: number
  /** The other space's model, where this memory does not find it by itself. */
  readonly with?: EmbedderTarget
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export interface BackOutOptions {
  /** The model to go back to, where this memory does not find it by itself. */
  readonly with?: EmbedderTarget
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

/** The change of a bank's embedding model. */
export interface EmbedderCalls {
  /** The bank's vector spaces: what they hold and lack. */
  status(): Promise<EmbedderStatus>
  /**
   * Embeds everything with another model into a space beside the active one, and waits for it; a migration that was cut short goes on. Recalls ask
   * the active space until `cutOver`.
   */
  migrate(options?: MigrateOptions): Promise<EmbedderChange>
  /** Asks both spaces the user's own queries and tells how alike they answer. Writes nothing. */
  compare(options?: CompareOptions): Promise<EmbedderComparison>
  /** Makes the shadow space the active one, in one transaction, when it lacks nothing; the former one is kept as retired. */
  cutOver(): Promise<EmbedderChange>
  /** Makes the space that was active before the active one again; what was written since is embedded into it first. */
  backOut(options?: BackOutOptions): Promise<EmbedderChange>
  /** Removes the vectors of a space that is not active: by number or model; without, of the only one. */
  drop(options?: { readonly space?: number | string }): Promise<EmbedderDropped>
}

/** The calls that change a bank's embedding model. What embeds is loaded at the first of them. */
export function embedderCalls(scope: Scope): { readonly embedder: EmbedderCalls } {
  return {
    embedder: {
      status: () =>
        callOn(scope, 'read', async ({ store }) => {
          await meetOwn(scope, store)
          return embedderStatus(store, settingsFor(scope))
        }),
      migrate: (options = {}) => {
        checkKeys(options, ['to', 'cutOver', 'onProgress', 'signal'], 'embedder.migrate')
        return callOn(scope, 'change', (deps) => migrate(scope, deps, options))
      },
      compare: (options = {}) => {
        checkKeys(options, ['queries', 'n', 'with', 'onProgress', 'signal'], 'embedder.compare')
        return callOn(scope, 'read', async (deps) => {
          const { compareEmbedders } = await import('./compare-embedders.ts')
          return compareEmbedders(scope, deps, options)
        })
      },
      cutOver: () => callOn(scope, 'change', (deps) => cutOver(scope, deps)),
      backOut: (options = {}) => {
        checkKeys(options, ['with', 'onProgress', 'signal'], 'embedder.backOut')
        return callOn(scope, 'change', (deps) => backOut(scope, deps, options))
      },
      drop: (options = {}) => {
        checkKeys(options, ['space'], 'embedder.drop')
        return callOn(scope, 'change', async (deps) => {
          const dropped = await dropSpace(deps, checkSpace(options.space))
          if (dropped.vectors > 0) await scope.engine.upkeep.afterForget()
          return dropped
        })
      },
    },
  }
}

function checkSpace(space: unknown): number | string | undefined {
  if (space === undefined || (typeof space === 'string' && space !== '') || Number.isSafeInteger(space))
    return space as number | string | undefined // just checked
  throw new ProlepsisError('INVALID_ARGUMENT', 'space must be the number or the model of a space.', {
    hint: '`prolepsis embedder status` shows both.',
    details: { option: 'space' },
  })
}

export const settingsFor =
  ({ engine }: Scope): SettingsFor =>
  (space) =>
    engine.embedders.settingsOf(space)

/** Lets the shelf know the memory's own model, so that its settings are told; one that is not there is told by none. */
async function meetOwn({ engine }: Scope, { space }: BankDeps['store']): Promise<void> {
  await engine.embedders.of(space).catch(() => null)
}

async function migrate(scope: Scope, deps: BankDeps, options: MigrateOptions): Promise<EmbedderChange> {
  const startedAt = performance.now()
  const space = await begin(scope, deps, options.to)
  const filled = await fill(scope, deps, space, options)
  const made = { ...filled, tookMs: () => performance.now() - startedAt }
  if (options.cutOver !== true) return changed(scope, deps, 'filled', null, made)
  return settle(scope, deps, space, 'cut-over', options, made)
}

/** The space to fill: of the model that was given, or of the migration that is under way. */
async function begin(scope: Scope, deps: BankDeps, to: EmbedderTarget | undefined): Promise<VectorSpace> {
  const { store } = deps
  if (to === undefined) {
    const shadow = requireShadow(await spaceStates(store.database, store.bankId), store.bank)
    await requireModel(scope, shadow, undefined)
    return shadow
  }
  const { identity, settings } = await take(scope, to, 'to')
  return startMigration(deps, { ...identity, settings })
}

async function take(scope: Scope, target: EmbedderTarget, option: string) {
  const { readTarget } = await import('./embedder-target.ts')
  const { embedders } = scope.engine
  return embedders.put(readTarget(target, option, embedders))
}

/**
 * The model of a space: one that the memory has, one that was given, or the one that the space's settings name.
 *
 * @throws ProlepsisError MODEL_MISMATCH when there is none
 */
export async function requireModel(
  scope: Scope,
  space: BankSpace,
  given: EmbedderTarget | undefined,
): Promise<EmbedderSource> {
  const { embedders } = scope.engine
  if (given !== undefined) {
    const taken = await take(scope, given, 'with')
    if (isOf(taken.identity, space)) return taken.source
    throw new ProlepsisError(
      'MODEL_MISMATCH',
      `The model that was given is ${nameOf(taken.identity)}, not that of the space, ${nameOf(space)}.`,
      { hint: 'Give the model that the space was filled with.', details: { option: 'with' } },
    )
  }
  const there = await embedders.of(space)
  if (there !== null) return there.source
  if (space.settings !== null) {
    const taken = await embedders.put(embedders.under(space.settings))
    if (isOf(taken.identity, space)) return taken.source
  }
  throw new ProlepsisError('MODEL_MISMATCH', `This memory does not have the model ${nameOf(space)}.`, {
    hint: 'Give it: --to or --with on the command line, { to } or { with } in code.',
    details: { space: space.spaceId, modelId: space.modelId, dimension: space.dimension },
  })
}

const isOf = (
  { modelId, dimension }: Pick<VectorSpace, 'modelId' | 'dimension'>,
  space: Pick<VectorSpace, 'modelId' | 'dimension'>,
): boolean => modelId === space.modelId && dimension === space.dimension

type FillOptions = Pick<MigrateOptions, 'onProgress' | 'signal'>

/** Embeds what the space lacks, as jobs; its indexes are then built, so that the first recall there is fast. */
async function fill(
  scope: Scope,
  deps: BankDeps,
  space: VectorSpace,
  options: FillOptions,
): Promise<FilledSpace> {
  const { engine } = scope
  const { store } = deps
  let onDone = (_vectors: number): void => undefined
  const worker = engine.jobs.worker({
    banks: async () => [store],
    concurrency: engine.resolved.settings.modelConcurrency,
    spaces: async () => [space.spaceId],
    handlers: {
      embed: async (job, context) => {
        const done = await embedJob(engine, job, context)
        onDone(done.vectors)
        return { ...done }
      },
    },
  })
  const work: FillDeps['work'] = (hear) => {
    onDone = hear
    return worker.untilIdle(options.signal)
  }
  // what is retained from now on is looked after, also when this call has ended
  engine.jobs.serveEmbedding(scope.name)
  try {
    const filled = await fillSpace({ ...deps, work }, space, options)
    await engine.upkeep.afterBulk({ ...store, space }, filled.vectors, options.signal)
    return filled
  } finally {
    await worker.stop()
  }
}

interface Made {
  readonly documents: number
  readonly vectors: number
  readonly tookMs: () => number
}

/** Switches, and fills what others retain between the last look and the switch. */
async function settle(
  scope: Scope,
  deps: BankDeps,
  space: VectorSpace,
  status: 'cut-over' | 'backed-out',
  options: FillOptions,
  before: Made,
): Promise<EmbedderChange> {
  let { documents, vectors } = before
  for (;;) {
    const switched = await switchTo(deps, space.spaceId, settingsFor(scope))
    if (switched.done) {
      scope.opener.invalidate(scope.name)
      return changed(scope, deps, status, switched, { documents, vectors, tookMs: before.tookMs })
    }
    const more = await fill(scope, deps, space, options)
    documents += more.documents
    vectors += more.vectors
  }
}

/** Moves a bank to the memory's own model for good: the vectors of every other space are dropped after the switch. */
export async function moveToOwnModel(
  scope: Scope,
  deps: BankDeps,
  options: FillOptions,
): Promise<VectorSpace> {
  const { embedder, embedders } = scope.engine
  const identity = await embedder.identity()
  const space = await startMigration(deps, { ...identity, settings: embedders.own.settings })
  const filled = await fill(scope, deps, space, options)
  await settle(scope, deps, space, 'cut-over', options, { ...filled, tookMs: () => 0 })
  const { database, bankId } = deps.store
  for (const { state, spaceId } of await spaceStates(database, bankId)) {
    if (state !== 'active') await dropSpace(deps, spaceId)
  }
  return space
}

async function cutOver(scope: Scope, deps: BankDeps): Promise<EmbedderChange> {
  const startedAt = performance.now()
  await meetOwn(scope, deps.store)
  const { database, bankId, bank } = deps.store
  const shadow = requireShadow(await spaceStates(database, bankId), bank)
  const missing = await countMissingVectors(database, bankId, shadow)
  if (missing.vectors > 0) {
    throw incomplete(bank, shadow, { done: false, missing: missing.vectors, documents: missing.documents })
  }
  // before the switch: the first recall after it is to be as fast as the last before
  await scope.engine.upkeep.afterBulk({ ...deps.store, space: shadow }, 0)
  const switched = await switchTo(deps, shadow.spaceId, settingsFor(scope))
  if (!switched.done) throw incomplete(bank, shadow, switched)
  scope.opener.invalidate(scope.name)
  const made = { documents: 0, vectors: 0, tookMs: () => performance.now() - startedAt }
  return changed(scope, deps, 'cut-over', switched, made)
}

async function backOut(scope: Scope, deps: BankDeps, options: BackOutOptions): Promise<EmbedderChange> {
  const startedAt = performance.now()
  await meetOwn(scope, deps.store)
  const { database, bankId, bank } = deps.store
  const retired = requireRetired(await spaceStates(database, bankId), bank)
  const none = { documents: 0, vectors: 0, tookMs: () => performance.now() - startedAt }
  const { vectors } = await countMissingVectors(database, bankId, retired)
  // without a rest no model is needed; a rest that comes in between needs it after all
  if (vectors > 0 || options.with !== undefined) await requireModel(scope, retired, options.with)
  else await requireModel(scope, retired, undefined).catch(passOverMissingModel)
  const filled = vectors > 0 ? await fill(scope, deps, retired, options) : none
  return settle(scope, deps, retired, 'backed-out', options, { ...filled, tookMs: none.tookMs })
}

function passOverMissingModel(error: unknown): void {
  if (!isModelError(error)) throw error
}

async function changed(
  scope: Scope,
  { store }: BankDeps,
  status: EmbedderChange['status'],
  switched: { readonly active: BankSpace; readonly retired: BankSpace } | null,
  { documents, vectors, tookMs }: Made,
): Promise<EmbedderChange> {
  const { database, bankId, bank } = store
  await meetOwn(scope, store)
  const spaces = await spaceStates(database, bankId)
  const { active, other } = spacesOf(spaces, bank, switched?.retired.spaceId ?? null)
  const describe = (space: BankSpace) => describeSpace(database, bankId, space, settingsFor(scope))
  const now = await describe(active)
  return {
    ...{ bank, status, active: now, other: await describe(other) },
    ...{ documents, vectors, settings: now.settings, tookMs: tookMs() },
  }
}

function spacesOf(spaces: readonly BankSpace[], bank: string, retiredId: number | null) {
  const active = spaces.find(({ state }) => state === 'active')
  const other =
    retiredId === null
      ? spaces.find(({ state }) => state === 'shadow')
      : spaces.find(({ spaceId }) => spaceId === retiredId)
  if (active !== undefined && other !== undefined) return { active, other }
  throw goneSpace(bank)
}
