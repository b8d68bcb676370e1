import { ProlepsisError } from '../domain/errors.ts'
import { parseRef } from '../domain/ref.ts'
import { recordUse } from '../store/queries/activity.ts'
import { chunksByIds, type StoredChunk } from '../store/queries/chunks.ts'
import { findReceipt, type Receipt, type ReceiptUse, recordReceiptUse } from '../store/queries/receipts.ts'
import { assertKnown, assertObject, invalid, texts } from './check-values.ts'
import type { RecallDeps } from './deps.ts'

/** What became of a recall's passages, by ref. */
export type FeedbackReport = { readonly [Use in ReceiptUse]?: readonly string[] }

/** The stronger report of a passage that is named twice comes later. */
const WEAK_TO_STRONG: readonly ReceiptUse[] = ['unhelpful', 'helpful', 'used', 'cited']

/**
 * Notes what became of a recall's passages. Use, citation and help strengthen a chunk, once a receipt; retrieval alone never does, nor
 * does `unhelpful`.
 *
 * @throws ProlepsisError NOT_FOUND for an unknown receipt or a ref that it did not return, UNKNOWN_OPTION, INVALID_ARGUMENT
 */
export async function feedback(
  deps: Pick<RecallDeps, 'store' | 'clock' | 'receipts'>,
  receiptId: string,
  report: FeedbackReport,
): Promise<void> {
  assertObject(report, 'report')
  assertKnown(report, WEAK_TO_STRONG, 'feedback')
  const receipt = await requireReceipt(deps, receiptId)
  const { database, bankId } = deps.store
  const returned = await chunksByIds(
    database,
    bankId,
    receipt.passages.map((passage) => passage.chunkId),
  )
  const uses = new Map<number, ReceiptUse>()
  for (const used of WEAK_TO_STRONG) {
    for (const ref of texts(report[used], used)) uses.set(returnedChunk(ref, returned, receiptId), used)
  }
  const usedAt = new Date(deps.clock.now())
  await database.transaction(async (tx) => {
    const reports = [...uses].map(([chunkId, used]) => ({ chunkId, used }))
    const first = await recordReceiptUse(tx, bankId, receiptId, reports, usedAt)
    const strengthened = first.filter((chunkId) => uses.get(chunkId) !== 'unhelpful')
    await recordUse(tx, bankId, strengthened, usedAt)
  })
}

/** @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT */
export async function requireReceipt(
  deps: Pick<RecallDeps, 'store' | 'receipts'>,
  receiptId: string,
): Promise<Receipt> {
  if (typeof receiptId !== 'string') throw invalid('receipt', 'The receipt must be a string.')
  await deps.receipts.flush()
  const receipt = await findReceipt(deps.store.database, deps.store.bankId, receiptId)
  if (receipt !== null) return receipt
  throw new ProlepsisError(
    'NOT_FOUND',
    `There is no receipt "${receiptId.slice(0, 80)}" in bank "${deps.store.bank}".`,
    {
      hint: 'Give the id that recall returned, on the bank that it was asked of.',
      details: { receipt: receiptId.slice(0, 80) },
    },
  )
}

/** The chunk of the receipt that a ref named when it was returned, whatever version is current by now. */
function returnedChunk(ref: string, returned: readonly StoredChunk[], receiptId: string): number {
  const parsed = parseRef(ref)
  const matching = returned
    .filter(({ document, ordinal }) => document.source === parsed?.source && ordinal === parsed.ordinal)
    .filter(({ document }) => parsed?.version === null || document.version === parsed?.version)
    .sort((a, b) => b.document.version - a.document.version)
  if (matching[0] !== undefined) return matching[0].chunkId
  throw new ProlepsisError('NOT_FOUND', `Receipt "${receiptId}" did not return "${ref.slice(0, 80)}".`, {
    hint: 'Report refs of the passages that this recall returned.',
    details: { ref: ref.slice(0, 200) },
  })
}
