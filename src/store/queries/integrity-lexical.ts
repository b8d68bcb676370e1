import type { Queryable } from '../database.ts'
import { lockDerived } from './derived-lock.ts'
import type { IntegrityCheck, IntegrityTarget } from './integrity.ts'
import { countRows, nameDocuments } from './integrity-documents.ts'

// One row a posting that the forward index says there should be.
const FORWARD = `select x.chunk_id, x.length, u.term_id, u.frequency
  from chunk_terms x cross join unnest(x.term_ids, x.frequencies) as u(term_id, frequency) where x.bank_id = $1`

const COUNTED_TERMS = `select u.term_id, count(*)::integer as count
  from documents d join chunks c on c.bank_id = $1 and c.document_id = d.document_id
  join chunk_terms x on x.bank_id = $1 and x.chunk_id = c.chunk_id cross join unnest(x.term_ids) as u(term_id)
  where d.bank_id = $1 and d.state = 'current' group by u.term_id`

const COUNTED_FIELDS = `select x.field, count(*) as chunks, sum(x.length)::bigint as length
  from documents d join chunks c on c.bank_id = $1 and c.document_id = d.document_id
  join chunk_terms x on x.bank_id = $1 and x.chunk_id = c.chunk_id
  where d.bank_id = $1 and d.state = 'current' group by x.field`

const NO_CHUNK = (alias: string): string =>
  `not exists (select from chunks c where c.bank_id = $1 and c.chunk_id = ${alias}.chunk_id)`

const PAGE = 1000
const MOST_LOOKED_UP = 1000

/** Chunks without terms of their own whose text has some: of marks or stop words only, a chunk has none by right. */
async function chunksWithoutTerms(
  q: Queryable,
  { bankId, hasTerms = () => true }: IntegrityTarget,
): Promise<{ readonly chunkId: number; readonly documentId: number }[]> {
  const found: { chunkId: number; documentId: number }[] = []
  let after = 0
  for (;;) {
    const page = await q.query<{ chunkId: number; documentId: number; text: string }>(
      `select c.chunk_id as "chunkId", c.document_id as "documentId",
         case when c.content is null then c.text else concat_ws(' ', c.speaker, c.content) end as text
       from chunks c where c.bank_id = $1 and c.chunk_id > $2 and not exists (
         select from chunk_terms x where x.bank_id = $1 and x.chunk_id = c.chunk_id and x.field = 0)
       order by c.chunk_id limit ${PAGE}`,
      [bankId, after],
    )
    for (const { chunkId, documentId, text } of page) {
      if (hasTerms(text)) found.push({ chunkId, documentId })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return found
    after = last.chunkId
  }
}

export const LEXICAL_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'orphan-terms',
    holds: 'Terms are of chunks that exist.',
    detail: 'Terms of chunks that do not exist.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from chunk_terms x where x.bank_id = $1 and ${NO_CHUNK('x')}`,
        target,
      ),
    mend: async (db, { bankId }) => {
      await db.execute(`delete from chunk_terms x where x.bank_id = $1 and ${NO_CHUNK('x')}`, [bankId])
    },
    mendedBy: null,
  },
  {
    name: 'orphan-postings',
    holds: 'Postings are of chunks that exist.',
    detail: 'Postings of chunks that do not exist.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from (select distinct chunk_id from postings where bank_id = $1) p where ${NO_CHUNK('p')}`,
        target,
      ),
    mend: async (db, { bankId }) => {
      await db.execute(`delete from postings p where p.bank_id = $1 and ${NO_CHUNK('p')}`, [bankId])
    },
    mendedBy: null,
  },
  {
    name: 'missing-terms',
    holds: 'Chunks with words have terms.',
    detail: 'Chunks that have words but no terms: no lexical search finds them.',
    count: async (q, target) => (await chunksWithoutTerms(q, target)).length,
    documents: async (q, target) => {
      const ids = [...new Set((await chunksWithoutTerms(q, target)).map((chunk) => chunk.documentId))]
      return nameDocuments(
        q,
        ids.length === 0 ? 'select -1' : ids.slice(0, MOST_LOOKED_UP).join(', '),
        target,
      )
    },
    mend: null,
    mendedBy: 'rebuild-index',
  },
  {
    name: 'postings',
    holds: 'Postings are those of the terms of their chunks.',
    detail: 'Postings that differ from the terms of their chunks.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from (${FORWARD}) f full join (
           select chunk_id, length, term_id, frequency from postings where bank_id = $1) p
           on p.term_id = f.term_id and p.chunk_id = f.chunk_id
         where p.chunk_id is null or f.chunk_id is null or p.frequency <> f.frequency or p.length <> f.length`,
        target,
      ),
    mend: (db, { bankId }) =>
      db.transaction(async (tx) => {
        await lockDerived(tx, bankId)
        await tx.execute('delete from postings where bank_id = $1', [bankId])
        await tx.execute(
          `insert into postings (bank_id, term_id, chunk_id, frequency, length)
           select $1, term_id, chunk_id, frequency, length from (${FORWARD}) f order by term_id, chunk_id`,
          [bankId],
        )
      }),
    mendedBy: null,
  },
  {
    name: 'unknown-terms',
    holds: 'Postings are of terms that have an entry.',
    detail: 'Postings of terms that have no entry: the term was lost, its text must be analysed anew.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from (select distinct term_id from postings where bank_id = $1) p
         where not exists (select from terms t where t.bank_id = $1 and t.term_id = p.term_id)`,
        target,
      ),
    mend: null,
    mendedBy: 'rebuild-index',
  },
  {
    name: 'term-frequencies',
    holds: 'Terms are counted right.',
    detail: 'Terms whose document frequency is not that of current documents, or that no chunk has.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from terms t left join (${COUNTED_TERMS}) c on c.term_id = t.term_id
         where t.bank_id = $1 and (t.document_frequency <> coalesce(c.count, 0)
           or (c.count is null and not exists (
                 select from postings p where p.bank_id = $1 and p.term_id = t.term_id)))`,
        target,
      ),
    mend: (db, { bankId }) =>
      db.transaction(async (tx) => {
        await lockDerived(tx, bankId)
        await tx.execute(
          `delete from terms t where t.bank_id = $1
           and not exists (select from postings p where p.bank_id = $1 and p.term_id = t.term_id)`,
          [bankId],
        )
        await tx.execute(
          `update terms t set document_frequency = coalesce(n.count, 0)
           from (select t.term_id, c.count from terms t left join (${COUNTED_TERMS}) c on c.term_id = t.term_id
                 where t.bank_id = $1) n
           where t.bank_id = $1 and t.term_id = n.term_id and t.document_frequency <> coalesce(n.count, 0)`,
          [bankId],
        )
      }),
    mendedBy: null,
  },
  {
    name: 'field-statistics',
    holds: 'Chunks and lengths of the fields are counted right.',
    detail: 'Fields whose number of chunks or total length is not that of current documents.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from (select field, chunk_count, total_length from field_statistics where bank_id = $1) s
         full join (${COUNTED_FIELDS}) c on c.field = s.field
         where coalesce(s.chunk_count, 0) <> coalesce(c.chunks, 0)
           or coalesce(s.total_length, 0) <> coalesce(c.length, 0)`,
        target,
      ),
    mend: (db, { bankId }) =>
      db.transaction(async (tx) => {
        await lockDerived(tx, bankId)
        await tx.execute('delete from field_statistics where bank_id = $1', [bankId])
        await tx.execute(
          `insert into field_statistics (bank_id, field, chunk_count, total_length)
           select $1, field, chunks, length from (${COUNTED_FIELDS}) c`,
          [bankId],
        )
      }),
    mendedBy: null,
  },
]
