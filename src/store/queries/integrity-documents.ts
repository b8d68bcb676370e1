import type { Queryable } from '../database.ts'
import { lockDerived } from './derived-lock.ts'
import { FORGOTTEN_NOTE } from './forget-chunks.ts'
import type { IntegrityCheck, IntegrityTarget } from './integrity.ts'

/** Runs a statement that yields one count. `$1` is the bank. */
export async function countRows(q: Queryable, sql: string, { bankId }: IntegrityTarget): Promise<number> {
  const rows = await q.query<{ n: number }>(sql, [bankId])
  return rows[0]?.n ?? 0
}

/** Most documents that a finding names. */
const MOST_NAMED = 20

/** Names the documents of a query of `document_id`s. `$1` is the bank. */
export async function nameDocuments(
  q: Queryable,
  sql: string,
  { bankId }: IntegrityTarget,
): Promise<readonly string[]> {
  const rows = await q.query<{ name: string }>(
    `select case when d.state = 'current' then d.source else d.source || '@' || d.version end as name
     from documents d where d.bank_id = $1 and d.document_id in (${sql})
     order by d.source, d.version limit ${MOST_NAMED}`,
    [bankId],
  )
  return rows.map((row) => row.name)
}

const BROKEN_TEXT = `select d.document_id
  from documents d left join chunks c on c.bank_id = $1 and c.document_id = d.document_id
  where d.bank_id = $1
  group by d.document_id, d.chunk_count, d.byte_length, d.text_hash
  having count(c.chunk_id) <> d.chunk_count
    or coalesce(sum(octet_length(c.text)), 0) <> d.byte_length
    or coalesce(sum(c.end_byte - c.start_byte), 0) <> d.byte_length
    or bool_or(octet_length(c.text) <> c.end_byte - c.start_byte)
    or d.text_hash <> sha256(convert_to(coalesce(string_agg(c.text, '' order by c.ordinal), ''), 'UTF8'))`

// A document of which a chunk was forgotten says so in its notes; its other chunks keep their places, in order and without overlaps.
const BROKEN_ORDER = `select c.document_id
  from (select document_id, ordinal, start_byte,
          row_number() over w - 1 as place,
          coalesce(lag(end_byte) over w, 0) as expected_start
        from chunks where bank_id = $1
        window w as (partition by document_id order by ordinal)) c
  join documents d on d.bank_id = $1 and d.document_id = c.document_id
  where c.start_byte < c.expected_start
    or ((c.ordinal <> c.place or c.start_byte <> c.expected_start)
      and not exists (select from unnest(d.notes) as t(note) where starts_with(t.note, '${FORGOTTEN_NOTE}')))
  group by c.document_id`

export const DOCUMENT_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'document-text',
    holds: 'The chunks of every document, joined, are its text as it was kept.',
    detail:
      'Documents whose chunks, joined, are not the text that was kept: it was changed, or a part of it is lost.',
    count: (q, target) => countRows(q, `select count(*) as n from (${BROKEN_TEXT}) broken`, target),
    documents: (q, target) => nameDocuments(q, BROKEN_TEXT, target),
    mend: null,
    mendedBy: null,
  },
  {
    name: 'chunk-order',
    holds: 'The chunks of every document follow one another.',
    detail: 'Documents with gaps or overlaps between their chunks.',
    count: (q, target) => countRows(q, `select count(*) as n from (${BROKEN_ORDER}) broken`, target),
    documents: (q, target) => nameDocuments(q, BROKEN_ORDER, target),
    mend: null,
    mendedBy: null,
  },
  {
    name: 'current-versions',
    holds: 'Every source has one current version at most.',
    detail: 'Sources with more than one current version.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from (
           select source from documents where bank_id = $1 and state = 'current' group by source having count(*) > 1) twice`,
        target,
      ),
    // The newest stays current. Terms of the others are then counted too often, which the lexical checks mend.
    mend: async (db, { bankId }) => {
      await db.execute(
        `update documents d set state = 'superseded', valid_to = n.valid_from
         from (select document_id, source, version, valid_from from documents where bank_id = $1 and state = 'current') n
         where d.bank_id = $1 and d.state = 'current' and n.source = d.source and n.version > d.version`,
        [bankId],
      )
    },
    mendedBy: null,
  },
  {
    name: 'entity-counts',
    holds: 'The mentions of people are counted right.',
    detail: 'People whose mentions are miscounted, or whom nothing mentions.',
    count: (q, target) =>
      countRows(
        q,
        `select count(*) as n from entities e left join (${MENTION_COUNTS}) m on m.entity_id = e.entity_id
         where e.bank_id = $1 and (m.entity_id is null or e.mention_count <> m.mentions or e.speaker_count <> m.speaks)`,
        target,
      ),
    mend: (db, { bankId }) =>
      db.transaction(async (tx) => {
        await lockDerived(tx, bankId)
        await tx.execute(
          `delete from entities e where e.bank_id = $1
           and not exists (select from mentions m where m.bank_id = $1 and m.entity_id = e.entity_id)`,
          [bankId],
        )
        await tx.execute(
          `update entities e set mention_count = m.mentions, speaker_count = m.speaks
           from (${MENTION_COUNTS}) m where e.bank_id = $1 and e.entity_id = m.entity_id`,
          [bankId],
        )
      }),
    mendedBy: null,
  },
]

const MENTION_COUNTS = `select entity_id, count(*) as mentions, count(*) filter (where role = 'speaker') as speaks
  from mentions where bank_id = $1 group by entity_id`
