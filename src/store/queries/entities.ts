import type { Mention } from '../../domain/cue.ts'
import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { lockDerived } from './derived-lock.ts'
import { entityNorm } from './entity-norm.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'

export interface Person {
  readonly entityId: number
  readonly name: string
  /** Folded form under which the name is found (see entity-norm.ts). */
  readonly norm: string
  readonly isSpeaker: boolean
  /** Chunks in which the person speaks or is named, superseded ones too. */
  readonly mentionCount: number
}

/** Writes mentions with their entities and counts. The same mention twice is one. */
export async function writeMentions(
  tx: Queryable,
  bankId: number,
  mentions: readonly { readonly chunkId: number; readonly mention: Mention }[],
): Promise<void> {
  const names = new Map<string, { kind: string; norm: string; name: string }>()
  for (const { mention } of mentions) {
    const norm = entityNorm(mention.name)
    if (norm === '') continue
    const key = `${mention.kind}\n${norm}`
    if (!names.has(key)) names.set(key, { kind: mention.kind, norm, name: mention.name.trim() })
  }
  if (names.size === 0) return
  await lockDerived(tx, bankId)
  const sorted = [...names].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((entry) => entry[1])
  const entities = await tx.query<{ id: number; kind: string; norm: string }>(
    `insert into entities (bank_id, entity_id, kind, name, norm)
     select $1, nextval('entity_ids'), kind, name, norm from unnest($2::text[], $3::text[], $4::text[]) as t(kind, name, norm)
     on conflict (bank_id, kind, norm) do update set norm = excluded.norm
     returning entity_id as id, kind, norm`,
    [bankId, sorted.map((e) => e.kind), sorted.map((e) => e.name), sorted.map((e) => e.norm)],
  )
  const ids = new Map(entities.map((entity) => [`${entity.kind}\n${entity.norm}`, entity.id]))
  const rows = mentions.flatMap(({ chunkId, mention }) => {
    const id = ids.get(`${mention.kind}\n${entityNorm(mention.name)}`)
    return id === undefined ? [] : [{ id, chunkId, role: mention.role }]
  })
  await tx.execute(
    `with written as (
       insert into mentions (bank_id, entity_id, chunk_id, role)
       select distinct $1::integer, id, chunk, role from unnest($2::bigint[], $3::bigint[], $4::text[]) as t(id, chunk, role)
       on conflict do nothing returning entity_id, role
     ), counted as (
       select entity_id, count(*) as mentions, count(*) filter (where role = 'speaker') as speaks
       from written group by entity_id
     )
     update entities e set mention_count = e.mention_count + c.mentions, speaker_count = e.speaker_count + c.speaks
     from counted c where e.bank_id = $1 and e.entity_id = c.entity_id`,
    [bankId, rows.map((row) => row.id), rows.map((row) => row.chunkId), rows.map((row) => row.role)],
  )
}

/** Every person of the bank, most mentioned first. */
export function peopleOfBank(q: Queryable, bankId: number): Promise<Person[]> {
  return q.query<Person>(
    `select entity_id as "entityId", name, norm, speaker_count > 0 as "isSpeaker", mention_count as "mentionCount"
     from entities where bank_id = $1 and kind = 'person' order by mention_count desc, entity_id`,
    [bankId],
  )
}

/**
 * Chunks in which the people speak (1 each) or are named (0.5 each), the later ones first among equals. Score is the sum.
 */
export async function searchPeople(
  q: Queryable,
  bankId: number,
  request: { readonly entityIds: readonly number[]; readonly filter: Filter; readonly limit: number },
): Promise<{ readonly chunkId: number; readonly score: number }[]> {
  if (request.entityIds.length === 0 || request.limit < 1) return []
  const parameters = createParameters(bankId)
  const ids = parameters.bind(request.entityIds)
  return q.query<{ chunkId: number; score: number }>(
    `select s.chunk_id as "chunkId", s.score from (
       select chunk_id, sum(weight)::real as score from (
         select m.chunk_id, m.entity_id, max(case m.role when 'speaker' then 1 else 0.5 end) as weight
         from mentions m where m.bank_id = $1 and m.entity_id = any(${ids}::bigint[])
         group by m.chunk_id, m.entity_id) best
       group by chunk_id) s
     join chunks c on c.bank_id = $1 and c.chunk_id = s.chunk_id
     join documents d on d.bank_id = $1 and d.document_id = c.document_id
     where ${renderFilter(request.filter, parameters)}
     order by s.score desc, s.chunk_id desc limit ${parameters.bind(request.limit)}`,
    parameters.values,
  )
}

export interface StoredMention {
  readonly chunkId: number
  readonly entityId: number
  readonly name: string
  readonly norm: string
  readonly kind: string
  readonly role: 'speaker' | 'mentioned'
}

export function mentionsOfChunks(
  q: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<StoredMention[]> {
  if (chunkIds.length === 0) return Promise.resolve([])
  return q.query<StoredMention>(
    `select m.chunk_id as "chunkId", m.entity_id as "entityId", e.name, e.norm, e.kind, m.role
     from mentions m join entities e on e.bank_id = $1 and e.entity_id = m.entity_id
     where m.bank_id = $1 and m.chunk_id = any($2::bigint[]) order by m.chunk_id, m.entity_id, m.role`,
    [bankId, chunkIds],
  )
}

/** Removes the mentions of chunks, and the entities that nothing mentions any more. */
export async function deleteMentions(
  tx: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<void> {
  if (chunkIds.length === 0) return
  await lockDerived(tx, bankId)
  const touched = await tx.query<{ id: number }>(
    `with gone as (
       delete from mentions where bank_id = $1 and chunk_id = any($2::bigint[]) returning entity_id, role
     )
     update entities e
     set mention_count = e.mention_count - c.mentions, speaker_count = e.speaker_count - c.speaks
     from (select entity_id, count(*) as mentions, count(*) filter (where role = 'speaker') as speaks
           from gone group by entity_id) c
     where e.bank_id = $1 and e.entity_id = c.entity_id
     returning e.entity_id as id`,
    [bankId, chunkIds],
  )
  await tx.execute(
    `delete from entities e where e.bank_id = $1 and e.entity_id = any($2::bigint[])
     and not exists (select from mentions m where m.bank_id = $1 and m.entity_id = e.entity_id)`,
    [bankId, touched.map((row) => row.id)],
  )
}
