import { createTextTrace, type TextTrace } from '../../domain/text-trace.ts'
import type { Queryable } from '../database.ts'
import { blankTelling, blankTracesOfReceipts } from './forget-trace.ts'

/** Stands for the request of a receipt whose question was forgotten. */
export const FORGOTTEN_REQUEST: Readonly<Record<string, unknown>> = { forgotten: true }

const FORGOTTEN_JSON = JSON.stringify(FORGOTTEN_REQUEST)
/** Characters of forgotten text that are looked for at a time: bounds memory. */
const MOST_CHARACTERS = 4_000_000
const CHUNKS_A_PAGE = 2_000
const RECEIPTS_A_PAGE = 1_000

/**
 * Takes the request (message, history, queries, filter) out of every receipt that returned one of the chunks, or whose request
 * holds a chunk's text or a long passage of it. The receipt stays, with its other passages and what was reported of them. The trace loses
 * what was said in exchanges with such words likewise. Run it in the transaction that deletes the chunks, before they go.
 */
export async function forgetInReceipts(
  tx: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<void> {
  if (chunkIds.length === 0) return
  await tx.execute(
    `update receipts r set request = $3::text::jsonb
     from (select receipt_id from receipts where bank_id = $1 and receipt_id in (
             select receipt_id from receipt_passages where bank_id = $1 and chunk_id = any($2::bigint[]))
           order by receipt_id for no key update) told
     where r.bank_id = $1 and r.receipt_id = told.receipt_id`,
    [bankId, chunkIds, FORGOTTEN_JSON],
  )
  let trace = createTextTrace()
  for (let at = 0; at < chunkIds.length; at += CHUNKS_A_PAGE) {
    const chunks = await tx.query<{ text: string }>(
      'select text from chunks where bank_id = $1 and chunk_id = any($2::bigint[])',
      [bankId, chunkIds.slice(at, at + CHUNKS_A_PAGE)],
    )
    for (const { text } of chunks) {
      trace.add(text)
      if (trace.length < MOST_CHARACTERS) continue
      await forgetTraced(tx, bankId, trace)
      trace = createTextTrace()
    }
  }
  await forgetTraced(tx, bankId, trace)
}

async function forgetTraced(tx: Queryable, bankId: number, trace: TextTrace): Promise<void> {
  if (trace.length === 0) return
  await blankTelling(tx, bankId, (text) => trace.isIn(text))
  let after = ''
  for (;;) {
    const page = await tx.query<{ id: string; request: unknown }>(
      `select receipt_id as id, request from receipts
       where bank_id = $1 and receipt_id > $2 and request <> $3::text::jsonb order by receipt_id limit ${RECEIPTS_A_PAGE}`,
      [bankId, after, FORGOTTEN_JSON],
    )
    const found = page.filter(({ request }) => textsIn(request).some((text) => trace.isIn(text)))
    if (found.length > 0) {
      const ids = found.map(({ id }) => id)
      await blankRequests(tx, bankId, ids)
      // what came before the message is in the receipt alone
      await blankTracesOfReceipts(tx, bankId, ids)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < RECEIPTS_A_PAGE) return
    after = last.id
  }
}

/** Takes the requests out of receipts; the rest of them stays. */
export async function blankRequests(
  tx: Queryable,
  bankId: number,
  receiptIds: readonly string[],
): Promise<void> {
  await tx.execute(
    'update receipts set request = $3::text::jsonb where bank_id = $1 and receipt_id = any($2::text[])',
    [bankId, receiptIds, FORGOTTEN_JSON],
  )
}

/** Every string of a JSON value, keys included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part)])
}
