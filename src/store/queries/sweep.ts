import type { Queryable } from '../database.ts'

/** A folder that is swept into a bank, as the store knows it. */
export interface SweepRoot {
  readonly rootId: number
  /** Real path. */
  readonly root: string
  readonly sourcePrefix: string
  /** Who sweeps it now, or null. */
  readonly holder: string | null
  readonly heldUntil: Date | null
  /** Of the file system that the last pass saw. */
  readonly device: string | null
  /** Hash of what every document is given: another one is given to all of them. */
  readonly labels: string | null
  readonly passes: number
  readonly lastPassAt: Date | null
  readonly lastError: string | null
}

/** What the last pass saw of a file. */
export interface SweptFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  /** Bytes; null: known by its document alone. */
  readonly size: number | null
  readonly modifiedMs: number | null
  readonly inode: string | null
  /** SHA-256 of its bytes, hex; null when it has no document of them. */
  readonly contentHash: string | null
  /** Code of why it has no document, and the reason for people; null when it has one. */
  readonly problem: string | null
  readonly reason: string | null
  /** 0 there, 1 marked by a pass that did not find it, 2 deleted though the file is there, empty. */
  readonly missing: number
  /** When this was written. */
  readonly changedAt: Date
}

const ROOT_COLUMNS = `r.root_id as "rootId", r.root, r.source_prefix as "sourcePrefix", r.holder, r.held_until as "heldUntil",
  r.device, r.labels, r.passes, r.last_pass_at as "lastPassAt", r.last_error as "lastError"`

/** What is known of a folder, by prefix: under each it has documents of its own. */
export function sweepRootsOf(q: Queryable, bankId: number, root: string): Promise<SweepRoot[]> {
  return q.query<SweepRoot>(
    `select ${ROOT_COLUMNS} from sweep_roots r where r.bank_id = $1 and r.root = $2 order by r.source_prefix`,
    [bankId, root],
  )
}

export interface SweepClaim {
  readonly root: string
  readonly sourcePrefix: string
  readonly holder: string
  readonly now: Date
  readonly until: Date
  /** A holder that is known to have died: its claim counts no more. */
  readonly instead?: string | undefined
}

/** Takes, or keeps, the folder for a holder; null while another one's claim runs. */
export async function claimSweepRoot(
  q: Queryable,
  bankId: number,
  { root, sourcePrefix, holder, now, until, instead }: SweepClaim,
): Promise<SweepRoot | null> {
  const rows = await q.query<SweepRoot>(
    `insert into sweep_roots as r (bank_id, root_id, root, source_prefix, holder, held_until)
     values ($1, nextval('sweep_root_ids'), $2, $3, $4, $6)
     on conflict (bank_id, root, source_prefix) do update set holder = excluded.holder, held_until = excluded.held_until
     where r.holder is null or r.holder = excluded.holder or r.held_until <= $5 or r.holder = $7
     returning ${ROOT_COLUMNS}`,
    [bankId, root, sourcePrefix, holder, now, until, instead ?? null],
  )
  return rows[0] ?? null
}

export async function releaseSweepRoot(
  q: Queryable,
  bankId: number,
  rootId: number,
  holder: string,
): Promise<void> {
  await q.execute(
    `update sweep_roots set holder = null, held_until = null where bank_id = $1 and root_id = $2 and holder = $3`,
    [bankId, rootId, holder],
  )
}

/** Notes a pass; what is null stays as it was, but for the error. */
export async function recordSweepPass(
  q: Queryable,
  bankId: number,
  rootId: number,
  pass: {
    readonly at: Date
    readonly error: string | null
    readonly device: string | null
    readonly labels: string | null
  },
): Promise<void> {
  await q.execute(
    `update sweep_roots set passes = passes + 1, last_pass_at = $3, last_error = $4, device = coalesce($5, device),
       labels = coalesce($6, labels)
     where bank_id = $1 and root_id = $2`,
    [bankId, rootId, pass.at, pass.error, pass.device, pass.labels],
  )
}

export interface SweepRootCounts extends SweepRoot {
  /** Files that were there at the last pass and have a document. */
  readonly files: number
  readonly missing: number
  /** Files without a document: too large, binary, no text. */
  readonly problems: number
}

/** The folders that are swept into a bank, by path. */
export function listSweepRoots(q: Queryable, bankId: number): Promise<SweepRootCounts[]> {
  return q.query<SweepRootCounts>(
    `select ${ROOT_COLUMNS}, coalesce(f.files, 0) as files, coalesce(f.missing, 0) as missing,
       coalesce(f.problems, 0) as problems
     from sweep_roots r
     left join (select root_id, count(*) filter (where missing = 0 and problem is null) as files,
                  count(*) filter (where missing = 1) as missing, count(problem) as problems
                from sweep_files where bank_id = $1 group by root_id) f on f.root_id = r.root_id
     where r.bank_id = $1 order by r.root, r.source_prefix`,
    [bankId],
  )
}

/** What the passes before saw, by path. */
export function sweptFiles(q: Queryable, bankId: number, rootId: number): Promise<SweptFile[]> {
  return q.query<SweptFile>(
    `select path, size, modified_ms as "modifiedMs", inode, content_hash as "contentHash", problem, reason, missing,
       changed_at as "changedAt"
     from sweep_files where bank_id = $1 and root_id = $2 order by path`,
    [bankId, rootId],
  )
}

/** Notes what was seen of files, each named once. */
export async function writeSweptFiles(
  q: Queryable,
  bankId: number,
  rootId: number,
  files: readonly SweptFile[],
): Promise<void> {
  if (files.length === 0) return
  await q.execute(
    `insert into sweep_files (bank_id, root_id, path, size, modified_ms, inode, content_hash, problem, reason, missing, changed_at)
     select $1, $2, f.* from unnest($3::text[], $4::bigint[], $5::float8[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::smallint[], $11::timestamptz[]) f
     on conflict (bank_id, root_id, path) do update set size = excluded.size, modified_ms = excluded.modified_ms,
       inode = excluded.inode, content_hash = excluded.content_hash, problem = excluded.problem, reason = excluded.reason,
       missing = excluded.missing, changed_at = excluded.changed_at`,
    [
      bankId,
      rootId,
      files.map((file) => file.path),
      files.map((file) => file.size),
      files.map((file) => file.modifiedMs),
      files.map((file) => file.inode),
      files.map((file) => file.contentHash),
      files.map((file) => file.problem),
      files.map((file) => file.reason),
      files.map((file) => file.missing),
      files.map((file) => file.changedAt.toISOString()),
    ],
  )
}

export async function deleteSweptFiles(
  q: Queryable,
  bankId: number,
  rootId: number,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return
  await q.execute('delete from sweep_files where bank_id = $1 and root_id = $2 and path = any($3::text[])', [
    bankId,
    rootId,
    paths,
  ])
}

/** Forgets what was seen of the files of these sources, of whatever folder. */
export async function deleteSweptSources(
  q: Queryable,
  bankId: number,
  sources: readonly string[],
): Promise<void> {
  if (sources.length === 0) return
  await q.execute(
    `delete from sweep_files f using sweep_roots r, unnest($2::text[]) s (source)
     where f.bank_id = $1 and r.bank_id = $1 and f.root_id = r.root_id and starts_with(s.source, r.source_prefix)
       and f.path = substr(s.source, length(r.source_prefix) + 1)`,
    [bankId, sources],
  )
}

/** Forgets the folders themselves, with all that was seen in them. */
export async function deleteSweepRoots(q: Queryable, bankId: number): Promise<void> {
  await q.execute('delete from sweep_roots where bank_id = $1', [bankId])
}

/**
 * Gives every version at a source another source. Nothing else changes: chunks, vectors and terms do not name it. Run it in a transaction
 * that holds both sources, when nothing is at the new one. Resolves to the number of versions.
 */
export function renameSource(tx: Queryable, bankId: number, from: string, to: string): Promise<number> {
  return tx.execute('update documents set source = $3 where bank_id = $1 and source = $2', [bankId, from, to])
}
