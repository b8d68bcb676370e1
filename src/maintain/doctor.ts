import type { DoctorFinding, DoctorReport } from '../domain/care.ts'
import type { Database } from '../store/database.ts'
import type { BankRow } from '../store/queries/banks.ts'
import { INTEGRITY_CHECKS, type IntegrityCheck, type IntegrityTarget } from '../store/queries/integrity.ts'
import { activeSpace, ensureSpace, setActiveSpace } from '../store/queries/spaces.ts'
import { checkKeys } from './check-options.ts'
import { checksOfOtherSpaces } from './check-other-spaces.ts'
import { type VectorWitness, wrongVectors } from './check-vectors.ts'

export interface DoctorOptions {
  /** Put right what can be. @default false */
  readonly mend?: boolean
}

export interface DoctorDeps {
  readonly database: Database
  readonly bank: BankRow
  /** Asked for only when a bank without a vector space is mended. */
  readonly model: () => Promise<{ readonly modelId: string; readonly dimension: number }>
  readonly now: Date
  /** Derives the bank's index anew, and with `reembed` every vector: what mends a finding that no statement can. */
  readonly rebuild: (options: { readonly reembed: boolean }) => Promise<unknown>
  /** Whether a text has any term in the bank's language. */
  readonly hasTerms: (text: string) => boolean
  /** The bank's model with what it embeds, or null when this memory has another or none. */
  readonly witness: () => Promise<VectorWitness | null>
}

/** What a check found, before it is told. */
interface Found {
  readonly check: Pick<IntegrityCheck, 'name' | 'holds' | 'detail' | 'mend' | 'mendedBy'>
  readonly count: number
  readonly documents: readonly string[]
  readonly mended: boolean
}

/** Counts again. */
type Look = () => Promise<{ readonly count: number; readonly documents: readonly string[] }>

/**
 * Counts what breaks each invariant of the bank, and embeds a sample of its texts again. With `mend`, puts right what can be, rows before
 * counts, derives the index anew where only that helps, and counts again. What cannot be mended is told with what to do.
 */
export async function doctor(deps: DoctorDeps, options: DoctorOptions = {}): Promise<DoctorReport> {
  checkKeys(options, ['mend'], 'doctor')
  const startedAt = performance.now()
  const { database, bank } = deps
  const mend = options.mend === true
  const found: Found[] = [await checkSpace(deps, mend)]
  const space = await activeSpace(database, bank.bankId)
  const target: IntegrityTarget = { bankId: bank.bankId, space, hasTerms: deps.hasTerms }
  const broken: { readonly at: number; readonly look: Look }[] = []
  const note = (one: Found, look: Look): void => {
    found.push(one)
    if (one.count > 0 && !one.mended && one.check.mendedBy !== null)
      broken.push({ at: found.length - 1, look })
  }
  const checks = [...INTEGRITY_CHECKS, ...(await checksOfOtherSpaces(database, bank.bankId))]
  for (const check of checks) {
    note(await runCheck(database, target, check, mend), () => lookAt(database, target, check))
  }
  const witness = space === null ? null : await deps.witness()
  if (space !== null) {
    const compare = async () =>
      witness === null ? null : wrongVectors(database, bank.bankId, space, witness)
    const first = await compare()
    const check = vectorTexts(first !== null)
    note({ check, ...(first ?? NOTHING), mended: false }, async () => (await compare()) ?? NOTHING)
  }
  if (mend && broken.length > 0) {
    await deps.rebuild({ reembed: broken.some(({ at }) => found[at]!.check.mendedBy === 'reembed') })
    for (const { at, look } of broken) {
      const after = await look()
      const before = found[at]!
      found[at] = after.count === 0 ? { ...before, mended: true } : { ...before, ...after }
    }
  }
  const findings = found.map((one) => findingOf(one, mend))
  const tookMs = performance.now() - startedAt
  return { clean: findings.every((finding) => finding.ok), findings, tookMs }
}

const NOTHING = { count: 0, documents: [] }

const vectorTexts = (isChecked: boolean): Found['check'] => ({
  name: 'vector-texts',
  holds: isChecked
    ? 'A sample of texts, embedded again, has the vectors that are stored.'
    : 'Not checked: the embedding model of the bank is not at hand, or fails.',
  detail: 'Vectors, of a sample of texts that were embedded again, that are not those of their texts.',
  mend: null,
  mendedBy: 'reembed',
})

async function lookAt(database: Database, target: IntegrityTarget, check: IntegrityCheck): ReturnType<Look> {
  const count = await check.count(database, target)
  const documents =
    count === 0 || check.documents === undefined ? [] : await check.documents(database, target)
  return { count, documents }
}

async function runCheck(
  database: Database,
  target: IntegrityTarget,
  check: IntegrityCheck,
  mend: boolean,
): Promise<Found> {
  const before = await lookAt(database, target, check)
  if (before.count === 0 || !mend || check.mend === null) return { check, ...before, mended: false }
  await check.mend(database, target)
  const after = await lookAt(database, target, check)
  return after.count === 0 ? { check, ...before, mended: true } : { check, ...after, mended: false }
}

/** `ok` after mending, with the count of what was mended. */
function findingOf({ check, count, documents, mended }: Found, triedToMend: boolean): DoctorFinding {
  const ok = mended || count === 0
  const mendable = check.mend !== null || check.mendedBy !== null
  return {
    check: check.name,
    ok,
    count,
    detail: count === 0 ? check.holds : check.detail,
    documents,
    hint: ok ? null : hintFor(check, mendable, triedToMend),
    mendable,
    mended,
  }
}

function hintFor(check: Found['check'], mendable: boolean, triedToMend: boolean): string {
  if (!mendable) {
    return 'Nothing holds the text but its chunks: restore a backup, or forget each source named (prolepsis forget --source NAME) and retain its text again.'
  }
  if (!triedToMend) return 'prolepsis doctor --mend mends it.'
  return check.mendedBy === null
    ? 'Mending did not help. Something else changes the store: stop it, and run prolepsis doctor --mend again.'
    : 'Deriving it anew did not help: restore a backup, or export the bank and import it into a new one.'
}

/** A bank without a vector space cannot be opened; it gets that of this memory's model. */
async function checkSpace(deps: DoctorDeps, mend: boolean): Promise<Found> {
  const { database, bank, model, now } = deps
  const missing = (await activeSpace(database, bank.bankId)) === null
  const putRight = async (): Promise<void> => {
    const space = await ensureSpace(database, { ...(await model()), now })
    await database.transaction((tx) => setActiveSpace(tx, bank.bankId, space.spaceId))
  }
  if (missing && mend) await putRight()
  return {
    check: {
      name: 'missing-space',
      holds: 'The bank has a vector space.',
      detail: 'The bank has no vector space.',
      mend: putRight,
      mendedBy: null,
    },
    count: missing ? 1 : 0,
    documents: [],
    mended: missing && mend,
  }
}
