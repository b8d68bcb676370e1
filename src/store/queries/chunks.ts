import type { Chunk, Span } from '../../domain/chunk.ts'
import type { Document } from '../../domain/document.ts'
import { trustFromRank } from '../../domain/trust.ts'
import type { CopyColumn, CopyValue, Queryable } from '../database.ts'

/** A chunk with its length in the embedder's tokens: how it is written. */
export interface MeasuredChunk extends Chunk {
  readonly tokens: number
}

type ShownDocument = Pick<
  Document,
  | 'source'
  | 'version'
  | 'state'
  | 'format'
  | 'title'
  | 'tags'
  | 'metadata'
  | 'trust'
  | 'occurredAt'
  | 'retainedAt'
  | 'chunkCount'
>

/** A chunk with what a passage shows of its document. */
export interface StoredChunk extends MeasuredChunk {
  readonly document: ShownDocument
}

interface ChunkRow
  extends Omit<MeasuredChunk, 'span'>,
    Readonly<Span>,
    Omit<ShownDocument, 'trust' | 'occurredAt'> {
  readonly trust: number
  readonly documentOccurredAt: Date | null
}

const STORED_CHUNK = `select c.chunk_id as "chunkId", c.document_id as "documentId", c.ordinal, c.kind, c.label,
    c.speaker, c.occurred_at as "occurredAt", c.start_byte as "startByte", c.end_byte as "endByte",
    c.start_line as "startLine", c.end_line as "endLine", c.tokens, c.text, c.content, c.attributes,
    d.source, d.version, d.state, d.format, d.title, d.tags, d.metadata, d.trust,
    d.occurred_at as "documentOccurredAt", d.retained_at as "retainedAt", d.chunk_count as "chunkCount"
  from chunks c join documents d on d.bank_id = $1 and d.document_id = c.document_id
  where c.bank_id = $1`

function chunkFromRow(row: ChunkRow): StoredChunk {
  return {
    chunkId: row.chunkId,
    documentId: row.documentId,
    ordinal: row.ordinal,
    kind: row.kind,
    label: row.label,
    speaker: row.speaker,
    occurredAt: row.occurredAt,
    span: {
      startByte: row.startByte,
      endByte: row.endByte,
      startLine: row.startLine,
      endLine: row.endLine,
    },
    tokens: row.tokens,
    text: row.text,
    content: row.content,
    attributes: row.attributes,
    document: {
      source: row.source,
      version: row.version,
      state: row.state,
      format: row.format,
      title: row.title,
      tags: row.tags,
      metadata: row.metadata,
      trust: trustFromRank(row.trust),
      occurredAt: row.documentOccurredAt,
      retainedAt: row.retainedAt,
      chunkCount: row.chunkCount,
    },
  }
}

/** Ascending ids for `n` chunks that will be written. */
export async function reserveChunkIds(q: Queryable, n: number): Promise<number[]> {
  if (n === 0) return []
  const rows = await q.query<{ id: number }>(
    `select nextval('chunk_ids') as id from generate_series(1, $1)`,
    [n],
  )
  return rows.map((row) => row.id)
}

const CHUNK_COLUMNS: readonly CopyColumn[] = [
  { name: 'bank_id', type: 'int4' },
  { name: 'chunk_id', type: 'int8' },
  { name: 'document_id', type: 'int8' },
  { name: 'ordinal', type: 'int4' },
  { name: 'kind', type: 'text' },
  { name: 'label', type: 'text' },
  { name: 'speaker', type: 'text' },
  { name: 'occurred_at', type: 'timestamptz' },
  { name: 'start_byte', type: 'int8' },
  { name: 'end_byte', type: 'int8' },
  { name: 'start_line', type: 'int4' },
  { name: 'end_line', type: 'int4' },
  { name: 'tokens', type: 'int4' },
  { name: 'text', type: 'text' },
  { name: 'content', type: 'text' },
  { name: 'attributes', type: 'jsonb' },
]

function* chunkRows(bankId: number, chunks: Iterable<MeasuredChunk>): Iterable<readonly CopyValue[]> {
  for (const chunk of chunks) {
    yield [
      bankId,
      chunk.chunkId,
      chunk.documentId,
      chunk.ordinal,
      chunk.kind,
      chunk.label,
      chunk.speaker,
      chunk.occurredAt,
      chunk.span.startByte,
      chunk.span.endByte,
      chunk.span.startLine,
      chunk.span.endLine,
      chunk.tokens,
      chunk.text,
      chunk.content,
      JSON.stringify(chunk.attributes),
    ]
  }
}

export function copyChunks(tx: Queryable, bankId: number, chunks: Iterable<MeasuredChunk>): Promise<number> {
  return tx.copy('chunks', CHUNK_COLUMNS, chunkRows(bankId, chunks))
}

/** In no particular order; ids that do not exist are left out. */
export async function chunksByIds(
  q: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<StoredChunk[]> {
  if (chunkIds.length === 0) return []
  const rows = await q.query<ChunkRow>(`${STORED_CHUNK} and c.chunk_id = any($2::bigint[])`, [
    bankId,
    chunkIds,
  ])
  return rows.map(chunkFromRow)
}

/** The chunk at an ordinal (from 0) of the current version, or of a given one. */
export async function chunkByRef(
  q: Queryable,
  bankId: number,
  ref: { readonly source: string; readonly version?: number | undefined; readonly ordinal: number },
): Promise<StoredChunk | null> {
  const version = ref.version === undefined ? `d.state = 'current'` : 'd.version = $4'
  const rows = await q.query<ChunkRow>(
    `${STORED_CHUNK} and d.source = $2 and c.ordinal = $3 and ${version}`,
    [bankId, ref.source, ref.ordinal, ...(ref.version === undefined ? [] : [ref.version])],
  )
  return rows[0] === undefined ? null : chunkFromRow(rows[0])
}

/** In reading order. */
export async function chunksOfDocument(
  q: Queryable,
  bankId: number,
  documentId: number,
): Promise<StoredChunk[]> {
  const rows = await q.query<ChunkRow>(`${STORED_CHUNK} and c.document_id = $2 order by c.ordinal`, [
    bankId,
    documentId,
  ])
  return rows.map(chunkFromRow)
}

/** So many of a document from an ordinal on, in reading order. */
export async function chunksFrom(
  q: Queryable,
  bankId: number,
  documentId: number,
  ordinal: number,
  limit: number,
): Promise<StoredChunk[]> {
  const rows = await q.query<ChunkRow>(
    `${STORED_CHUNK} and c.document_id = $2 and c.ordinal >= $3 order by c.ordinal limit $4`,
    [bankId, documentId, ordinal, limit],
  )
  return rows.map(chunkFromRow)
}

/** The chunks beside one in its document version, itself not among them, in reading order. */
export async function neighbourChunks(
  q: Queryable,
  bankId: number,
  documentId: number,
  ordinal: number,
  before: number,
  after: number,
): Promise<StoredChunk[]> {
  const rows = await q.query<ChunkRow>(
    `${STORED_CHUNK} and c.document_id = $2 and c.ordinal between $3 and $4 and c.ordinal <> $5 order by c.ordinal`,
    [bankId, documentId, ordinal - before, ordinal + after, ordinal],
  )
  return rows.map(chunkFromRow)
}
