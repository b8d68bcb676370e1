import type { Queryable } from '../database.ts'

/** What a model was asked for a chunk, and how many of its questions were kept. */
export interface Enrichment {
  readonly chunkId: number
  /** Of what the model was shown of the chunk, 32 hex digits: the same input is not paid for twice. */
  readonly inputHash: string
  readonly modelId: string
  /** Name and version of the prompt. */
  readonly prompt: string
  readonly madeAt: Date
  /** Questions that the model wrote. */
  readonly written: number
  /** Of these, those that stayed. */
  readonly kept: number
}

const COLUMNS = `e.chunk_id as "chunkId", encode(e.input_hash, 'hex') as "inputHash", e.model_id as "modelId", e.prompt,
  e.made_at as "madeAt", e.written, e.kept`

/** By chunk; those without are left out. */
export function enrichmentsOfChunks(
  q: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<Enrichment[]> {
  if (chunkIds.length === 0) return Promise.resolve([])
  return q.query<Enrichment>(
    `select ${COLUMNS} from enrichments e where e.bank_id = $1 and e.chunk_id = any($2::bigint[]) order by e.chunk_id`,
    [bankId, chunkIds],
  )
}

/** For each input that the bank has paid for, whatever the version or source, the latest. */
export function enrichmentsByInput(
  q: Queryable,
  bankId: number,
  inputHashes: readonly string[],
): Promise<Enrichment[]> {
  if (inputHashes.length === 0) return Promise.resolve([])
  return q.query<Enrichment>(
    `select one.* from unnest($2::text[]) as h(hash) cross join lateral (
       select ${COLUMNS} from enrichments e
       where e.bank_id = $1 and e.input_hash = decode(h.hash, 'hex') order by e.made_at desc, e.chunk_id desc limit 1) one`,
    [bankId, [...new Set(inputHashes)]],
  )
}

/** Writes what was asked, in place of what is there. */
export async function writeEnrichments(
  tx: Queryable,
  bankId: number,
  enrichments: readonly Enrichment[],
): Promise<void> {
  if (enrichments.length === 0) return
  await tx.execute(
    `insert into enrichments (bank_id, chunk_id, input_hash, model_id, prompt, made_at, written, kept)
     select $1, chunk_id, decode(hash, 'hex'), model_id, prompt, made_at, written, kept
     from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::smallint[], $8::smallint[])
       as n(chunk_id, hash, model_id, prompt, made_at, written, kept)
     on conflict (bank_id, chunk_id) do update set input_hash = excluded.input_hash, model_id = excluded.model_id,
       prompt = excluded.prompt, made_at = excluded.made_at, written = excluded.written, kept = excluded.kept`,
    [
      bankId,
      enrichments.map((one) => one.chunkId),
      enrichments.map((one) => one.inputHash),
      enrichments.map((one) => one.modelId),
      enrichments.map((one) => one.prompt),
      enrichments.map((one) => one.madeAt.toISOString()),
      enrichments.map((one) => Math.min(one.written, LARGEST_COUNT)),
      enrichments.map((one) => Math.min(one.kept, LARGEST_COUNT)),
    ],
  )
}

/** A column of two bytes. */
const LARGEST_COUNT = 32_767

/** Which of these chunks are still those of a current document. */
export async function standingChunks(
  q: Queryable,
  bankId: number,
  documentId: number,
  chunkIds: readonly number[],
): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select c.chunk_id as id from chunks c join documents d on d.bank_id = $1 and d.document_id = c.document_id
     where c.bank_id = $1 and c.chunk_id = any($2::bigint[]) and c.document_id = $3 and d.state = 'current'
     order by c.chunk_id`,
    [bankId, chunkIds, documentId],
  )
  return rows.map((row) => row.id)
}

/** A current document that a model can write for. */
export interface WritableDocument {
  readonly documentId: number
  readonly source: string
  /** Those that are meant: all, or those without anything of a model's. */
  readonly chunks: number
  /** Of these, in the embedder's tokens. */
  readonly tokens: number
}

/**
 * Current documents that a model can write for, by id. `missing`: only those with chunks that neither a model nor the caller has written for, and no job in line for them.
 * Without a source, those whose questions the caller gave are left out.
 */
export function writableDocuments(
  q: Queryable,
  bankId: number,
  { source, missing }: { readonly source?: string | undefined; readonly missing: boolean },
): Promise<WritableDocument[]> {
  const conditions = [
    `d.bank_id = $1 and d.state = 'current'`,
    source === undefined
      ? `(not exists (select from chunks y join cues x on x.bank_id = $1 and x.chunk_id = y.chunk_id
           where y.bank_id = $1 and y.document_id = d.document_id and x.origin = 'caller')
         or exists (select from chunks y join enrichments x on x.bank_id = $1 and x.chunk_id = y.chunk_id
           where y.bank_id = $1 and y.document_id = d.document_id))`
      : 'd.source = $2',
    ...(missing
      ? [
          'e.chunk_id is null',
          `not exists (select from cues x where x.bank_id = $1 and x.chunk_id = c.chunk_id and x.origin = 'caller')`,
          `not exists (select from jobs j where j.bank_id = $1 and j.document_id = d.document_id
             and j.kind = 'enrich' and j.state in ('waiting', 'running'))`,
        ]
      : []),
  ]
  return q.query<WritableDocument>(
    `select d.document_id as "documentId", d.source, count(*) as chunks, sum(c.tokens) as tokens
     from documents d join chunks c on c.bank_id = $1 and c.document_id = d.document_id
     left join enrichments e on e.bank_id = $1 and e.chunk_id = c.chunk_id
     where ${conditions.join(' and ')}
     group by d.document_id, d.source order by d.document_id`,
    source === undefined ? [bankId] : [bankId, source],
  )
}
