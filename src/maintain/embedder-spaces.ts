import type { EmbedderSpace, EmbedderStatus, SpaceSettings } from '../domain/embedder.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { BankStore, VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { type BankSpace, spaceStates } from '../store/queries/bank-spaces.ts'
import { countMissingVectors } from '../store/queries/missing-vectors.ts'

/** The settings under which this memory has a space's model, where it does; null elsewhere. */
export type SettingsFor = (space: Pick<VectorSpace, 'modelId' | 'dimension'>) => SpaceSettings | null

/** What the bank's spaces hold and lack. */
export async function embedderStatus(store: BankStore, settingsFor: SettingsFor): Promise<EmbedderStatus> {
  const { database, bankId, bank } = store
  const spaces: EmbedderSpace[] = []
  for (const one of await spaceStates(database, bankId)) {
    spaces.push(await describeSpace(database, bankId, one, settingsFor))
  }
  const shadow = spaces.find(({ state }) => state === 'shadow')
  const migration = shadow === undefined ? 'none' : shadow.missing === 0 ? 'complete' : 'filling'
  return { bank, migration, spaces }
}

export async function describeSpace(
  q: Queryable,
  bankId: number,
  space: BankSpace,
  settingsFor: SettingsFor,
): Promise<EmbedderSpace> {
  const { spaceId, modelId, dimension, state, since, vectors, settings } = space
  const missing = await countMissingVectors(q, bankId, space)
  return {
    ...{ space: spaceId, modelId, dimension, state, since, vectors },
    missing: missing.vectors,
    missingDocuments: missing.documents,
    settings: settingsFor(space) ?? settings,
  }
}

export function requireActive(spaces: readonly BankSpace[], bank: string): BankSpace {
  const active = spaces.find(({ state }) => state === 'active')
  if (active !== undefined) return active
  throw new ProlepsisError('STORE_DAMAGED', `The bank "${bank}" has no vector space.`, {
    hint: 'Run `prolepsis doctor --mend`, or restore a backup.',
    details: { bank },
  })
}

/** @throws ProlepsisError NOT_FOUND */
export function requireShadow(spaces: readonly BankSpace[], bank: string): BankSpace {
  const shadow = spaces.find(({ state }) => state === 'shadow')
  if (shadow !== undefined) return shadow
  throw new ProlepsisError('NOT_FOUND', `The bank "${bank}" is not being moved to another embedding model.`, {
    hint: `Begin with \`prolepsis embedder migrate --to MODEL --bank ${bank}\` (embedder.migrate({ to })).`,
    details: { bank },
  })
}

/** The space that the bank was in before. @throws ProlepsisError NOT_FOUND */
export function requireRetired(spaces: readonly BankSpace[], bank: string): BankSpace {
  const retired = spaces.find(({ state }) => state === 'retired')
  if (retired !== undefined) return retired
  const filling = spaces.some(({ state }) => state === 'shadow')
  throw new ProlepsisError('NOT_FOUND', `The bank "${bank}" has no embedding model to go back to.`, {
    hint: filling
      ? 'Recalls ask the old model still: nothing has been cut over. `prolepsis embedder drop` ends the migration.'
      : 'Only after a cut-over is there one, until it is dropped.',
    details: { bank },
  })
}

export const goneSpace = (bank: string): ProlepsisError =>
  new ProlepsisError('NOT_FOUND', `Another call has switched or dropped the space of the bank "${bank}".`, {
    hint: '`prolepsis embedder status` shows what there is.',
    details: { bank },
  })

export const nameOf = ({ modelId, dimension }: Pick<VectorSpace, 'modelId' | 'dimension'>): string =>
  `${modelId} (${dimension} dimensions)`
