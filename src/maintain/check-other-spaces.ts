import type { Database } from '../store/database.ts'
import { type BankSpace, emptySpace, spaceStates } from '../store/queries/bank-spaces.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import type { IntegrityCheck } from '../store/queries/integrity.ts'
import { VECTOR_CHECKS } from '../store/queries/integrity-vectors.ts'
import { nameOf } from './embedder-spaces.ts'

/** A space beside the active one lacks vectors by right: it is being filled, or was left. */
const MAY_LACK: ReadonlySet<string> = new Set(['missing-vectors', 'missing-cue-vectors'])

/**
 * What must hold in the bank's spaces beside the active one, also while one is being filled: what is there is whole and is of chunks and cues
 * that are there. Where no statement can mend it, the space is emptied: embedder migrate, or the way back, fills it again.
 */
export async function checksOfOtherSpaces(database: Database, bankId: number): Promise<IntegrityCheck[]> {
  const others = (await spaceStates(database, bankId)).filter(({ state }) => state !== 'active')
  return others.flatMap((space) =>
    VECTOR_CHECKS.filter(({ name }) => !MAY_LACK.has(name)).map((check) => inSpace(check, space)),
  )
}

function inSpace(check: IntegrityCheck, space: BankSpace): IntegrityCheck {
  const { count, documents, mend } = check
  const where = `In the ${space.state} space of ${nameOf(space)}: `
  return {
    name: check.name,
    holds: `${where}${lowered(check.holds)}`,
    detail: `${where}${lowered(check.detail)}`,
    count: (q, target) => count(q, { ...target, space }),
    documents: documents && ((q, target) => documents(q, { ...target, space })),
    mend:
      mend === null
        ? (db, { bankId }) =>
            db.transaction(async (tx) => {
              await lockDerived(tx, bankId)
              await emptySpace(tx, bankId, space)
            })
        : (db, target) => mend(db, { ...target, space }),
    mendedBy: null,
  }
}

const lowered = (sentence: string): string => `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`
