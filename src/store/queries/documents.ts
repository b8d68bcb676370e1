import type { Document, DocumentState, Format } from '../../domain/document.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import { trustFromRank, trustRank } from '../../domain/trust.ts'
import type { Queryable } from '../database.ts'
import { createParameters } from './parameters.ts'

export type NewDocument = Omit<Document, 'documentId'>

/** A row as `DOCUMENT_COLUMNS` selects it. */
export interface DocumentRow extends Omit<Document, 'trust' | 'format' | 'state'> {
  readonly trust: number
  readonly format: string
  readonly state: string
}

/** Columns of `documents d`, named as the domain names them. */
const DOCUMENT_COLUMNS: string = `d.document_id as "documentId", d.source, d.version, d.state,
  d.content_hash as "contentHash", d.media_type as "mediaType", d.format, d.code_language as "codeLanguage", d.title,
  d.tags, d.metadata, d.trust, d.occurred_at as "occurredAt", d.retained_at as "retainedAt",
  d.valid_from as "validFrom", d.valid_to as "validTo", d.byte_length as "byteLength",
  d.chunk_count as "chunkCount", d.notes`

export function documentFromRow(row: DocumentRow): Document {
  return {
    ...row,
    trust: trustFromRank(row.trust),
    format: row.format as Format, // written by insertDocument only
    state: row.state as DocumentState, // the table's check constraint
  }
}

/** Holds the source until the transaction ends: two writers of one source go one after the other. */
export async function lockSource(tx: Queryable, bankId: number, source: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($2, $1))', [bankId, source])
}

export async function findCurrentDocument(
  q: Queryable,
  bankId: number,
  source: string,
): Promise<Document | null> {
  const rows = await q.query<DocumentRow>(
    `select ${DOCUMENT_COLUMNS} from documents d where d.bank_id = $1 and d.source = $2 and d.state = 'current'`,
    [bankId, source],
  )
  return rows[0] === undefined ? null : documentFromRow(rows[0])
}

export async function findDocument(
  q: Queryable,
  bankId: number,
  documentId: number,
): Promise<Document | null> {
  const rows = await q.query<DocumentRow>(
    `select ${DOCUMENT_COLUMNS} from documents d where d.bank_id = $1 and d.document_id = $2`,
    [bankId, documentId],
  )
  return rows[0] === undefined ? null : documentFromRow(rows[0])
}

/** The highest version number at the source, whatever its state; 0 when there is none. */
export async function latestVersion(q: Queryable, bankId: number, source: string): Promise<number> {
  const rows = await q.query<{ version: number }>(
    `select version from documents where bank_id = $1 and source = $2 order by version desc limit 1`,
    [bankId, source],
  )
  return rows[0]?.version ?? 0
}

/**
 * Resolves to the new document's id.
 *
 * @param textHash SHA-256 of the joined texts of its chunks, 64 hex digits; null: its text is not checked
 */
export async function insertDocument(
  tx: Queryable,
  bankId: number,
  document: NewDocument,
  textHash: string | null = null,
): Promise<number> {
  const rows = await tx.query<{ documentId: number }>(
    `insert into documents (bank_id, document_id, source, version, state, content_hash, media_type, format,
       code_language, title, tags, metadata, trust, occurred_at, retained_at, valid_from, valid_to, byte_length,
       chunk_count, notes, text_hash)
     values ($1, nextval('document_ids'), $2, $3, $4, $5, $6, $7, $8, $9, $10::text[], $11::text::jsonb, $12, $13,
       $14, $15, $16, $17, $18, $19::text[], decode($20::text, 'hex'))
     returning document_id as "documentId"`,
    [
      bankId,
      document.source,
      document.version,
      document.state,
      document.contentHash,
      document.mediaType,
      document.format,
      document.codeLanguage,
      document.title,
      document.tags,
      JSON.stringify(document.metadata),
      trustRank(document.trust),
      document.occurredAt,
      document.retainedAt,
      document.validFrom,
      document.validTo,
      document.byteLength,
      document.chunkCount,
      document.notes,
      textHash,
    ],
  )
  const row = rows[0]
  if (row === undefined) throw new ProlepsisError('STORE_FAILED', 'The document was not written.')
  return row.documentId
}

/** Ends a version: superseded by a newer one, or deleted; it was valid for a millisecond at least. False when it was not current. */
export async function closeDocument(
  tx: Queryable,
  bankId: number,
  documentId: number,
  state: 'superseded' | 'deleted',
  validTo: Date,
): Promise<boolean> {
  const touched = await tx.execute(
    `update documents set state = $3, valid_to = greatest($4::timestamptz, valid_from + interval '1 millisecond')
     where bank_id = $1 and document_id = $2 and state = 'current'`,
    [bankId, documentId, state, validTo],
  )
  return touched > 0
}

/** What may change without a new version: the same text at the same source, told anew. */
export async function updateDocumentLabels(
  tx: Queryable,
  bankId: number,
  documentId: number,
  labels: Pick<Document, 'tags' | 'metadata' | 'trust' | 'title' | 'occurredAt' | 'validFrom'>,
): Promise<boolean> {
  const touched = await tx.execute(
    `update documents set tags = $3::text[], metadata = $4::text::jsonb, trust = $5, title = $6, occurred_at = $7,
       valid_from = $8
     where bank_id = $1 and document_id = $2`,
    [
      bankId,
      documentId,
      labels.tags,
      JSON.stringify(labels.metadata),
      trustRank(labels.trust),
      labels.title,
      labels.occurredAt,
      labels.validFrom,
    ],
  )
  return touched > 0
}

export interface DocumentListOptions {
  /** Literal prefix of the source. */
  readonly sourcePrefix?: string | undefined
  readonly tag?: string | undefined
  /** @default 'current' */
  readonly state?: DocumentState | undefined
  /** All versions of the last source come whole, so that a page may be longer. @default 100 */
  readonly limit?: number | undefined
  /** The last source of the page before. */
  readonly after?: string | undefined
}

/** By source (in byte order), then version. */
export async function listDocuments(
  q: Queryable,
  bankId: number,
  options: DocumentListOptions = {},
): Promise<Document[]> {
  const parameters = createParameters(bankId)
  const conditions = ['d.bank_id = $1', `d.state = ${parameters.bind(options.state ?? 'current')}`]
  if (options.sourcePrefix !== undefined && options.sourcePrefix !== '') {
    conditions.push(`starts_with(d.source, ${parameters.bind(options.sourcePrefix)})`)
  }
  if (options.tag !== undefined) {
    conditions.push(`d.tags @> ${parameters.bind([options.tag])}::text[]`)
  }
  if (options.after !== undefined) conditions.push(`d.source ~>~ ${parameters.bind(options.after)}`)
  const rows = await q.query<DocumentRow>(
    `select ${DOCUMENT_COLUMNS} from documents d where ${conditions.join(' and ')}
     order by d.source using ~<~ fetch first (${parameters.bind(options.limit ?? 100)}::integer) rows with ties`,
    parameters.values,
  )
  const documents = rows.map(documentFromRow)
  // Rows with ties come in no order among themselves.
  return documents.sort((a, b) => (a.source === b.source ? a.version - b.version : 0))
}

/** Every version at a source, newest first. */
export async function listVersions(q: Queryable, bankId: number, source: string): Promise<Document[]> {
  const rows = await q.query<DocumentRow>(
    `select ${DOCUMENT_COLUMNS} from documents d where d.bank_id = $1 and d.source = $2 order by d.version desc`,
    [bankId, source],
  )
  return rows.map(documentFromRow)
}

/** The version at a source that was valid at a time, or null. */
export async function findDocumentAsOf(
  q: Queryable,
  bankId: number,
  source: string,
  asOf: Date,
): Promise<Document | null> {
  const rows = await q.query<DocumentRow>(
    `select ${DOCUMENT_COLUMNS} from documents d
     where d.bank_id = $1 and d.source = $2 and d.valid_from <= $3 and (d.valid_to is null or d.valid_to > $3)
     order by d.version desc limit 1`,
    [bankId, source, asOf],
  )
  return rows[0] === undefined ? null : documentFromRow(rows[0])
}

/** The version's text, put together from its chunks. Null when there is no such document. */
export async function documentText(q: Queryable, bankId: number, documentId: number): Promise<string | null> {
  const rows = await q.query<{ text: string | null; found: boolean }>(
    `select (select string_agg(c.text, '' order by c.ordinal) from chunks c
             where c.bank_id = $1 and c.document_id = $2) as text,
            exists (select from documents d where d.bank_id = $1 and d.document_id = $2) as found`,
    [bankId, documentId],
  )
  const row = rows[0]
  return row === undefined || !row.found ? null : (row.text ?? '')
}

/** Ids of documents by selector, whatever their state: what `forget` deletes. */
export async function findDocumentIds(
  q: Queryable,
  bankId: number,
  selector: {
    readonly source?: string | undefined
    readonly sourcePrefix?: string | undefined
    readonly tag?: string | undefined
  },
): Promise<number[]> {
  const parameters = createParameters(bankId)
  const conditions = ['d.bank_id = $1']
  if (selector.source !== undefined) conditions.push(`d.source = ${parameters.bind(selector.source)}`)
  if (selector.sourcePrefix !== undefined) {
    conditions.push(`starts_with(d.source, ${parameters.bind(selector.sourcePrefix)})`)
  }
  if (selector.tag !== undefined) conditions.push(`d.tags @> ${parameters.bind([selector.tag])}::text[]`)
  const rows = await q.query<{ documentId: number }>(
    `select d.document_id as "documentId" from documents d where ${conditions.join(' and ')} order by 1`,
    parameters.values,
  )
  return rows.map((row) => row.documentId)
}

export { deleteDocuments } from './delete-documents.ts'
