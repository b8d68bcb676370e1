import type { Queryable } from '../database.ts'
import { blankRequests } from './forget-receipts.ts'

const RECEIPT_USES = ['used', 'cited', 'helpful', 'unhelpful'] as const
export type ReceiptUse = (typeof RECEIPT_USES)[number]

export interface Receipt {
  readonly receiptId: string
  /** What made it: `recall`. */
  readonly kind: string
  readonly createdAt: Date
  /** The question and options as asked: enough to repeat and explain it. */
  readonly request: Readonly<Record<string, unknown>>
  readonly degraded: readonly string[]
  readonly tookMs: number
  readonly passages: readonly ReceiptPassage[]
}

export interface ReceiptPassage {
  /** From 1. */
  readonly rank: number
  readonly chunkId: number
  readonly score: number
  readonly used: ReceiptUse | null
  readonly usedAt: Date | null
}

export type NewReceipt = Omit<Receipt, 'passages'> & {
  readonly passages: readonly Pick<ReceiptPassage, 'rank' | 'chunkId' | 'score'>[]
}

/** Passages whose chunk was forgotten meanwhile are left out, and with them the question that found them. Run it in a transaction. */
export async function insertReceipts(
  tx: Queryable,
  bankId: number,
  receipts: readonly NewReceipt[],
): Promise<void> {
  if (receipts.length === 0) return
  await tx.execute(
    `insert into receipts (bank_id, receipt_id, kind, created_at, request, degraded, took_ms)
     select $1, id, kind, at, request::jsonb, array(select jsonb_array_elements_text(degraded::jsonb)), took
     from unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::real[])
       as t(id, kind, at, request, degraded, took)`,
    [
      bankId,
      receipts.map((r) => r.receiptId),
      receipts.map((r) => r.kind),
      receipts.map((r) => r.createdAt.toISOString()),
      receipts.map((r) => JSON.stringify(r.request)),
      receipts.map((r) => JSON.stringify(r.degraded)),
      receipts.map((r) => r.tookMs),
    ],
  )
  const passages = receipts.flatMap((r) => r.passages.map((p) => ({ receiptId: r.receiptId, ...p })))
  if (passages.length === 0) return
  const kept = await tx.query<{ receiptId: string; n: number }>(
    `with kept as (insert into receipt_passages (bank_id, receipt_id, rank, chunk_id, score)
     select $1, t.receipt_id, t.rank, t.chunk_id, t.score
     from unnest($2::text[], $3::smallint[], $4::bigint[], $5::real[]) as t(receipt_id, rank, chunk_id, score)
     join (select chunk_id from chunks where bank_id = $1 and chunk_id = any($4::bigint[])
           order by chunk_id for key share) c on c.chunk_id = t.chunk_id
     returning receipt_id)
     select receipt_id as "receiptId", count(*) as n from kept group by receipt_id`,
    [
      bankId,
      passages.map((p) => p.receiptId),
      passages.map((p) => p.rank),
      passages.map((p) => p.chunkId),
      passages.map((p) => p.score),
    ],
  )
  const left = new Map(kept.map(({ receiptId, n }) => [receiptId, n]))
  const cut = receipts.filter((r) => (left.get(r.receiptId) ?? 0) < r.passages.length)
  if (cut.length > 0)
    await blankRequests(
      tx,
      bankId,
      cut.map((r) => r.receiptId),
    )
}

export async function findReceipt(q: Queryable, bankId: number, receiptId: string): Promise<Receipt | null> {
  const rows = await q.query<Omit<Receipt, 'passages'>>(
    `select receipt_id as "receiptId", kind, created_at as "createdAt", request, degraded, took_ms as "tookMs"
     from receipts where bank_id = $1 and receipt_id = $2`,
    [bankId, receiptId],
  )
  const receipt = rows[0]
  if (receipt === undefined) return null
  const passages = await q.query<ReceiptPassage>(
    `select rank, chunk_id as "chunkId", score, used, used_at as "usedAt"
     from receipt_passages where bank_id = $1 and receipt_id = $2 order by rank`,
    [bankId, receiptId],
  )
  return { ...receipt, passages }
}

/**
 * Notes what became of passages. A later report replaces an earlier one. Resolves to the chunks for which this is the first
 * report: a use is counted once a receipt.
 */
export async function recordReceiptUse(
  tx: Queryable,
  bankId: number,
  receiptId: string,
  uses: readonly { readonly chunkId: number; readonly used: ReceiptUse }[],
  usedAt: Date,
): Promise<number[]> {
  if (uses.length === 0) return []
  const rows = await tx.query<{ chunkId: number; first: boolean }>(
    `with before as (
       select p.rank, p.chunk_id, p.used is null as first, u.used
       from receipt_passages p
       join unnest($3::bigint[], $4::text[]) as u(chunk_id, used) on u.chunk_id = p.chunk_id
       where p.bank_id = $1 and p.receipt_id = $2 order by p.rank for update of p
     )
     update receipt_passages p set used = b.used, used_at = $5 from before b
     where p.bank_id = $1 and p.receipt_id = $2 and p.rank = b.rank
     returning p.chunk_id as "chunkId", b.first`,
    [bankId, receiptId, uses.map((use) => use.chunkId), uses.map((use) => use.used), usedAt],
  )
  return rows.filter((row) => row.first).map((row) => row.chunkId)
}

/** Receipts that are looked through for questions: one may be asked again and again. */
const LOOKED_THROUGH = 5_000

/** What was asked last, each question once, the latest first, as its receipt keeps it. */
export async function latestRequests(
  q: Queryable,
  bankId: number,
  limit: number,
): Promise<Readonly<Record<string, unknown>>[]> {
  const rows = await q.query<{ request: Readonly<Record<string, unknown>> }>(
    `select request from (
       select distinct on (message) message, request, created_at from (
         select request->'query'->>'message' as message, request, created_at from receipts
         where bank_id = $1 and kind = 'recall' order by created_at desc limit ${LOOKED_THROUGH}) latest
       where message is not null order by message, created_at desc) once
     order by created_at desc limit $2`,
    [bankId, limit],
  )
  return rows.map((row) => row.request)
}

/** Removes receipts made before a time. */
export function deleteReceiptsBefore(tx: Queryable, bankId: number, before: Date): Promise<number> {
  return tx.execute('delete from receipts where bank_id = $1 and created_at < $2', [bankId, before])
}
