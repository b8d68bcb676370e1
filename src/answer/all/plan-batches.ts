import type { Filter } from '../../domain/filter.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { chunksOfDocument, type StoredChunk } from '../../store/queries/chunks.ts'
import { type FilteredDocument, filteredDocuments } from '../../store/queries/filtered-documents.ts'
import { repeatable } from '../../store/repeat.ts'

/** Tokens of the heading that a chunk is shown under. */
export const HEADING_TOKENS = 24
const PAGE = 500

/** What calls of the model read: whole documents in one, or one that is too long for a call and is cut when it is read. */
export interface PlannedBatch {
  readonly documents: readonly FilteredDocument[]
  readonly calls: number
}

/** Every document that passes the filter, in the order of their ids. */
export async function allDocuments(
  { database, bankId }: Pick<BankStore, 'database' | 'bankId'>,
  filter: Filter,
): Promise<FilteredDocument[]> {
  const documents: FilteredDocument[] = []
  for (;;) {
    const after = documents.at(-1)?.documentId ?? 0
    const page = await repeatable(database, () =>
      filteredDocuments(database, bankId, filter, { after, limit: PAGE }),
    )
    documents.push(...page)
    if (page.length < PAGE) return documents
  }
}

/** Packs documents in their order; none is cut that fits a call. Pure. */
export function planBatches(documents: readonly FilteredDocument[], batchTokens: number): PlannedBatch[] {
  const batches: PlannedBatch[] = []
  let open: FilteredDocument[] = []
  let used = 0
  const close = (): void => {
    if (open.length > 0) batches.push({ documents: open, calls: 1 })
    open = []
    used = 0
  }
  for (const document of documents) {
    const weight = weightOf(document)
    if (weight > batchTokens) {
      close()
      batches.push({ documents: [document], calls: Math.ceil(weight / batchTokens) })
      continue
    }
    if (used + weight > batchTokens) close()
    open.push(document)
    used += weight
  }
  close()
  return batches
}

/** Tokens of a document as it is shown. */
export function weightOf({ tokens, chunks }: Pick<FilteredDocument, 'tokens' | 'chunks'>): number {
  return tokens + chunks * HEADING_TOKENS
}

/** The chunks of a batch, a list for each call: cut between chunks; one that is too long by itself stands alone. */
export async function readBatch(
  { database, bankId }: Pick<BankStore, 'database' | 'bankId'>,
  { documents }: PlannedBatch,
  during: Filter['during'],
  batchTokens: number,
): Promise<StoredChunk[][]> {
  const parts: StoredChunk[][] = []
  let open: StoredChunk[] = []
  let used = 0
  for (const { documentId } of documents) {
    const chunks = await repeatable(database, () => chunksOfDocument(database, bankId, documentId))
    for (const chunk of chunks) {
      if (!isWithin(chunk, during)) continue
      const weight = chunk.tokens + HEADING_TOKENS
      if (open.length > 0 && used + weight > batchTokens) {
        parts.push(open)
        open = []
        used = 0
      }
      open.push(chunk)
      used += weight
    }
  }
  if (open.length > 0) parts.push(open)
  return parts
}

/** As the filter's SQL has it. */
function isWithin({ occurredAt, document }: StoredChunk, during: Filter['during']): boolean {
  const at = occurredAt ?? document.occurredAt ?? document.retainedAt
  return !(during?.from !== undefined && at < during.from) && !(during?.to !== undefined && at >= during.to)
}
