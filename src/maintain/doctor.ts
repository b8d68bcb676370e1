import type { DoctorFinding, DoctorReport } from '../domain/care.ts'
import type { Database } from '../store/database.ts'
import type { BankRow } from '../store/queries/banks.ts'
import { INTEGRITY_CHECKS, type IntegrityCheck, type IntegrityTarget } from '../store/queries/integrity.ts'
import { activeSpace, ensureSpace, setActiveSpace } from '../store/queries/spaces.ts'
import { checkKeys } from './check-options.ts'

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
  /** Derives the bank's index anew: what mends a finding that no statement can. */
  readonly rebuild: () => Promise<unknown>
}

/**
 * Counts what breaks each invariant of the bank. With `mend`, puts right what can be, rows before counts, derives the index anew
 * where only that helps, and counts again.
 */
export async function doctor(deps: DoctorDeps, options: DoctorOptions = {}): Promise<DoctorReport> {
  checkKeys(options, ['mend'], 'doctor')
  const startedAt = performance.now()
  const mend = options.mend === true
  const findings = [await checkSpace(deps, mend)]
  const target = { bankId: deps.bank.bankId, space: await activeSpace(deps.database, deps.bank.bankId) }
  const broken: IntegrityCheck[] = []
  for (const check of INTEGRITY_CHECKS) {
    const finding = await runCheck(deps.database, target, check, mend)
    findings.push(finding)
    if (!finding.ok && check.mendedBy === 'rebuild-index') broken.push(check)
  }
  if (mend && broken.length > 0) await rebuildFor(deps, target, broken, findings)
  const tookMs = performance.now() - startedAt
  return { clean: findings.every((finding) => finding.ok), findings, tookMs }
}

async function runCheck(
  database: Database,
  target: IntegrityTarget,
  check: IntegrityCheck,
  mend: boolean,
): Promise<DoctorFinding> {
  const before = await check.count(database, target)
  if (before === 0 || !mend || check.mend === null) return findingOf(check, before, false)
  await check.mend(database, target)
  const after = await check.count(database, target)
  return findingOf(check, after === 0 ? before : after, after === 0)
}

/** `ok` after mending, with the count of what was mended. */
function findingOf(check: IntegrityCheck, count: number, mended: boolean): DoctorFinding {
  return {
    check: check.name,
    ok: mended || count === 0,
    count,
    detail: check.detail,
    mendable: check.mend !== null || check.mendedBy !== null,
    mended,
  }
}

async function rebuildFor(
  deps: DoctorDeps,
  target: IntegrityTarget,
  broken: readonly IntegrityCheck[],
  findings: DoctorFinding[],
): Promise<void> {
  await deps.rebuild()
  for (const check of broken) {
    const at = findings.findIndex((finding) => finding.check === check.name)
    const before = findings[at]!.count
    const after = await check.count(deps.database, target)
    findings[at] = findingOf(check, after === 0 ? before : after, after === 0)
  }
}

/** A bank without a vector space cannot be opened; it gets that of this memory's model. */
async function checkSpace(deps: DoctorDeps, mend: boolean): Promise<DoctorFinding> {
  const { database, bank, model, now } = deps
  const missing = (await activeSpace(database, bank.bankId)) === null
  if (missing && mend) {
    const space = await ensureSpace(database, { ...(await model()), now })
    await database.transaction((tx) => setActiveSpace(tx, bank.bankId, space.spaceId))
  }
  return {
    check: 'missing-space',
    ok: !missing || mend,
    count: missing ? 1 : 0,
    detail: 'The bank has no vector space.',
    mendable: true,
    mended: missing && mend,
  }
}
