import type { EmbedderDropped, SpaceSettings } from '../domain/embedder.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { type BankSpace, joinSpace, leaveSpace, spaceStates } from '../store/queries/bank-spaces.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import { cancelEmbedding } from '../store/queries/embed-jobs.ts'
import { countMissingVectors, strayCueVectors } from '../store/queries/missing-vectors.ts'
import { ensureSpace, setActiveSpace } from '../store/queries/spaces.ts'
import { deleteVectorsAt } from '../store/queries/vectors-write.ts'
import { goneSpace, nameOf, requireActive, type SettingsFor } from './embedder-spaces.ts'
import type { MaintainDeps } from './maintain-deps.ts'

export interface MigrationTarget {
  readonly modelId: string
  readonly dimension: number
  /** Under which a memory has it; null: only this process, by its code. */
  readonly settings: SpaceSettings | null
}

/**
 * Puts a space of the target beside the bank's active one, or goes on with the one that is being filled.
 *
 * @throws ProlepsisError INVALID_ARGUMENT when the bank embeds with it already, or is being moved to another
 */
export async function startMigration(deps: MaintainDeps, target: MigrationTarget): Promise<VectorSpace> {
  const { database, bankId, bank } = deps.store
  const now = new Date(deps.clock.now())
  const { modelId, dimension, settings } = target
  const space = await ensureSpace(database, { modelId, dimension, now })
  await database.transaction(async (tx) => {
    // writers hold it to their end: from here on each sees the shadow
    await lockDerived(tx, bankId)
    const spaces = await spaceStates(tx, bankId)
    if (requireActive(spaces, bank).spaceId === space.spaceId) {
      throw new ProlepsisError(
        'INVALID_ARGUMENT',
        `The bank "${bank}" embeds with ${nameOf(space)} already.`,
        {
          hint: 'Name another model. To embed every text again with this one: rebuild-index --reembed.',
          details: { option: 'to', bank },
        },
      )
    }
    const other = spaces.find(({ state, spaceId }) => state === 'shadow' && spaceId !== space.spaceId)
    if (other !== undefined) {
      throw new ProlepsisError('INVALID_ARGUMENT', `The bank "${bank}" is being moved to ${nameOf(other)}.`, {
        hint: 'Finish that (embedder migrate, embedder cut-over), or end it with `prolepsis embedder drop`.',
        details: { option: 'to', bank, space: other.spaceId },
      })
    }
    await joinSpace(tx, bankId, space.spaceId, { now, settings })
  })
  return space
}

/** What a switch did, or why it did not. */
export type Switch =
  | { readonly done: true; readonly active: BankSpace; readonly retired: BankSpace }
  | { readonly done: false; readonly missing: number; readonly documents: number }

/**
 * Makes a space of the bank its active one, in one transaction, when it lacks nothing; the former active space is retired and keeps
 * its vectors.
 */
export async function switchTo(
  { store, clock }: MaintainDeps,
  spaceId: number,
  settingsFor: SettingsFor,
): Promise<Switch> {
  const { database, bankId, bank } = store
  return database.transaction(async (tx): Promise<Switch> => {
    // writers hold it to their end: none can slip in between the look and the switch
    await lockDerived(tx, bankId)
    const before = await spaceStates(tx, bankId)
    const former = requireActive(before, bank)
    const space = before.find((one) => one.spaceId === spaceId && one.state !== 'active')
    if (space === undefined) throw goneSpace(bank)
    const missing = await countMissingVectors(tx, bankId, space)
    if (missing.vectors > 0) return { done: false, missing: missing.vectors, documents: missing.documents }
    await removeStrays(tx, bankId, space)
    await cancelEmbedding(tx, bankId, spaceId, new Date(clock.now()))
    await setActiveSpace(tx, bankId, spaceId, {
      now: new Date(clock.now()),
      formerSettings: settingsFor(former) ?? former.settings,
    })
    const after = await spaceStates(tx, bankId)
    const retired = after.find((one) => one.spaceId === former.spaceId) ?? former
    return { done: true, active: requireActive(after, bank), retired }
  })
}

/** Vectors of cues that are no more: in the active space they would be found. */
async function removeStrays(tx: Queryable, bankId: number, space: VectorSpace): Promise<void> {
  await deleteVectorsAt(tx, bankId, space, await strayCueVectors(tx, bankId, space))
}

/** @throws ProlepsisError MIGRATION_INCOMPLETE */
export function incomplete(
  bank: string,
  space: VectorSpace,
  missing: Switch & { done: false },
): ProlepsisError {
  return new ProlepsisError(
    'MIGRATION_INCOMPLETE',
    `${missing.missing} vectors of ${missing.documents} documents are missing in ${nameOf(space)}: the bank "${bank}" was not cut over.`,
    {
      hint: 'Let `prolepsis embedder migrate` end first (embedder.migrate); with --cut-over it cuts over by itself.',
      details: { bank, missing: missing.missing, documents: missing.documents },
    },
  )
}

/**
 * Removes the bank's vectors in a space that is not its active one.
 *
 * @param which number or model of the space. @default the only one beside the active
 * @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT
 */
export async function dropSpace(
  { store, clock }: MaintainDeps,
  which: number | string | undefined,
): Promise<EmbedderDropped> {
  const { database, bankId, bank } = store
  return database.transaction(async (tx) => {
    await lockDerived(tx, bankId)
    const space = spaceToDrop(await spaceStates(tx, bankId), which, bank)
    await cancelEmbedding(tx, bankId, space.spaceId, new Date(clock.now()))
    const vectors = await leaveSpace(tx, bankId, space)
    const { spaceId, modelId, dimension } = space
    return { bank, space: spaceId, modelId, dimension, vectors }
  })
}

function spaceToDrop(
  spaces: readonly BankSpace[],
  which: number | string | undefined,
  bank: string,
): BankSpace {
  const beside = spaces.filter(({ state }) => state !== 'active')
  const matches = (one: BankSpace): boolean =>
    which === undefined || one.spaceId === which || one.modelId === which
  const [only, ...others] = beside.filter(matches)
  const list = beside.map((one) => `${one.spaceId} (${one.modelId}, ${one.state})`).join(', ')
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      `The bank "${bank}" has several spaces that could be dropped.`,
      {
        hint: `Name one by its number: ${list}.`,
        details: { option: 'space', bank },
      },
    )
  }
  if (which !== undefined && spaces.some((one) => one.state === 'active' && matches(one))) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'The active space cannot be dropped: recalls ask it.', {
      hint: 'Cut over to another one first, or back out.',
      details: { option: 'space', bank },
    })
  }
  throw new ProlepsisError(
    'NOT_FOUND',
    which === undefined
      ? `The bank "${bank}" has no space beside its active one.`
      : `The bank "${bank}" has no space ${which}.`,
    {
      hint: list === '' ? 'There is nothing to drop.' : `There are: ${list}.`,
      details: { option: 'space', bank },
    },
  )
}
