import type { Queryable } from '../database.ts'

const MILLISECOND = 1

/** When a version begins to be valid, given the one before it at its source. */
export interface VersionBefore {
  readonly state: string
  readonly validFrom: Date
  readonly validTo: Date | null
}

/**
 * When a version begins to be valid: at the time it tells of, else when it was retained; but after the version before it began
 * (and, where that was removed, not before its removal). A version that tells of an earlier time than that holds from when it was
 * retained. So every version is valid for a time of its own, and as of that time it is found.
 */
export function startOfVersion(
  version: { readonly occurredAt: Date | null; readonly retainedAt: Date },
  before: VersionBefore | null,
): Date {
  const { occurredAt, retainedAt } = version
  if (before === null) return occurredAt ?? retainedAt
  const began = before.validFrom.getTime() + MILLISECOND
  const earliest =
    before.state === 'deleted' && before.validTo !== null ? Math.max(began, before.validTo.getTime()) : began
  if (occurredAt !== null && occurredAt.getTime() >= earliest) return occurredAt
  return new Date(Math.max(retainedAt.getTime(), earliest))
}

/** The version before one at its source, in whatever state, or null. */
export async function versionBefore(
  q: Queryable,
  bankId: number,
  source: string,
  version: number,
): Promise<(VersionBefore & { readonly documentId: number }) | null> {
  const rows = await q.query<VersionBefore & { readonly documentId: number }>(
    `select document_id as "documentId", state, valid_from as "validFrom", valid_to as "validTo" from documents
     where bank_id = $1 and source = $2 and version < $3 order by version desc limit 1`,
    [bankId, source, version],
  )
  return rows[0] ?? null
}

/**
 * Lets a current version begin at another time than it did, since it tells of another: the one that it superseded ends where it begins.
 * Run it in a transaction that holds the source. Resolves to the beginning.
 */
export async function moveStart(
  tx: Queryable,
  bankId: number,
  document: {
    readonly source: string
    readonly version: number
    readonly occurredAt: Date | null
    readonly retainedAt: Date
  },
): Promise<Date> {
  const before = await versionBefore(tx, bankId, document.source, document.version)
  const start = startOfVersion(document, before)
  if (before?.state === 'superseded') {
    await tx.execute('update documents set valid_to = $3 where bank_id = $1 and document_id = $2', [
      bankId,
      before.documentId,
      start,
    ])
  }
  return start
}
