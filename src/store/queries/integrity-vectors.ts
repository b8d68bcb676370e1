import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { lockDerived } from './derived-lock.ts'
import type { IntegrityCheck, IntegrityTarget } from './integrity.ts'
import { countRows, nameDocuments } from './integrity-documents.ts'
import { strayCueVectors } from './missing-vectors.ts'
import { bitsTable, integerLiteral, vectorsTable } from './space-tables.ts'
import { codeExpression } from './vector-code.ts'
import { buildIndexes, dropCodeIndexes, listCodeIndexes } from './vector-indexes.ts'
import { deleteVectorsAt } from './vectors-write.ts'

interface SpaceNames {
  readonly space: VectorSpace
  readonly vectors: string
  readonly bits: string
}

/** Statement of a check on the active space; a bank without a space has nothing to break. */
function countInSpace(sql: (names: SpaceNames) => string): IntegrityCheck['count'] {
  return (q, target) => {
    const names = namesOf(target)
    return names === null ? Promise.resolve(0) : countRows(q, sql(names), target)
  }
}

function mendInSpace(statements: (names: SpaceNames) => readonly string[]): IntegrityCheck['mend'] {
  return (db, target) =>
    db.transaction(async (tx) => {
      const names = namesOf(target)
      if (names === null) return
      await lockDerived(tx, target.bankId)
      for (const statement of statements(names)) await tx.execute(statement, [target.bankId])
    })
}

function namesOf({ space }: IntegrityTarget): SpaceNames | null {
  if (space === null) return null
  return {
    space,
    vectors: quoteIdentifier(vectorsTable(space)),
    bits: quoteIdentifier(bitsTable(space)),
  }
}

const noChunk = (alias: string): string =>
  `not exists (select from chunks c where c.bank_id = $1 and c.chunk_id = ${alias}.chunk_id)`
const noVector = (vectors: string): string =>
  `not exists (select from ${vectors} v where v.bank_id = $1 and v.chunk_id = b.chunk_id and v.kind = b.kind
     and v.ordinal = b.ordinal)`

// Codes that are absent or are not what their vector gives.
const wrongCodes = ({ vectors, bits, space }: SpaceNames): string =>
  `select v.chunk_id, v.kind, v.ordinal, v.code from (
     select chunk_id, kind, ordinal, ${codeExpression('embedding', space)} as code
     from ${vectors} where bank_id = $1) v
   left join ${bits} b on b.bank_id = $1 and b.kind = v.kind and b.chunk_id = v.chunk_id and b.ordinal = v.ordinal
   where b.bits is distinct from v.code`

const vectorCounts = ({ vectors, bits }: SpaceNames): string =>
  `select kind, sum(vectors)::bigint as vectors, sum(indexed)::bigint as indexed from (
     select kind, count(*) as vectors, 0 as indexed from ${vectors} where bank_id = $1 group by kind
     union all
     select kind, 0, count(*) from ${bits} where bank_id = $1 and indexed group by kind) n group by kind`

const NO_UNIT = '(abs(vector_norm(v.embedding) - 1) < 0.01) is not true'

const documentsOf = (rows: string, condition: string): string =>
  `select c.document_id from ${rows} join chunks c on c.bank_id = $1 and c.chunk_id = v.chunk_id
   where v.bank_id = $1 and ${condition}`

function namedInSpace(sql: (names: SpaceNames) => string): IntegrityCheck['documents'] {
  return (q, target) => {
    const names = namesOf(target)
    return names === null ? Promise.resolve([]) : nameDocuments(q, sql(names), target)
  }
}

const withoutContent = (vectors: string): string =>
  `not exists (select from ${vectors} v where v.bank_id = $1 and v.chunk_id = c.chunk_id and v.kind = 0)`

export const VECTOR_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'missing-vectors',
    holds: 'Every chunk has a content vector.',
    detail: 'Chunks without a content vector: dense search does not find them.',
    count: countInSpace(
      ({ vectors }) =>
        `select count(*) as n from chunks c where c.bank_id = $1 and ${withoutContent(vectors)}`,
    ),
    documents: namedInSpace(
      ({ vectors }) =>
        `select c.document_id from chunks c where c.bank_id = $1 and ${withoutContent(vectors)}`,
    ),
    mend: null,
    mendedBy: 'rebuild-index',
  },
  {
    name: 'vector-lengths',
    holds: 'Every vector has length 1.',
    detail: 'Vectors whose length is not 1: no model made them.',
    count: countInSpace(
      ({ vectors }) => `select count(*) as n from ${vectors} v where v.bank_id = $1 and ${NO_UNIT}`,
    ),
    documents: namedInSpace(({ vectors }) => documentsOf(`${vectors} v`, NO_UNIT)),
    mend: null,
    mendedBy: 'reembed',
  },
  {
    name: 'same-vectors',
    holds: 'Different texts have different vectors.',
    detail: 'Kinds of vectors in which all texts have the same one: dense search finds nothing by it.',
    count: countInSpace(
      // The mean of unit vectors has length 1 where they are one. A few texts may well be alike to a model: case and marks need not count.
      ({ vectors }) => `select count(*) as n from (
        select kind from ${vectors} where bank_id = $1 group by kind
        having count(distinct text_hash) >= 4 and vector_norm(avg(embedding)) > 0.99999) s`,
    ),
    mend: null,
    mendedBy: 'reembed',
  },
  {
    name: 'missing-cue-vectors',
    holds: 'Every cue that should have a vector has one.',
    detail: 'Cues that should have a vector and have none.',
    count: countInSpace(
      ({ vectors }) => `select count(*) as n from cues u where u.bank_id = $1 and u.embedded and not exists (
        select from ${vectors} v where v.bank_id = $1 and v.chunk_id = u.chunk_id and v.kind = u.kind
          and v.ordinal = u.ordinal)`,
    ),
    mend: null,
    mendedBy: 'rebuild-index',
  },
  {
    name: 'orphan-vectors',
    holds: 'Vectors are of chunks that exist.',
    detail: 'Vectors of chunks that do not exist.',
    count: countInSpace(
      ({ vectors }) => `select count(*) as n from ${vectors} v where v.bank_id = $1 and ${noChunk('v')}`,
    ),
    mend: mendInSpace(({ vectors }) => [`delete from ${vectors} v where v.bank_id = $1 and ${noChunk('v')}`]),
    mendedBy: null,
  },
  {
    name: 'stray-cue-vectors',
    holds: 'Vectors of cues are of cues that exist.',
    detail: 'Vectors of cues that do not exist.',
    count: async (q, { bankId, space }) =>
      space === null ? 0 : (await strayCueVectors(q, bankId, space)).length,
    mend: (db, { bankId, space }) =>
      db.transaction(async (tx) => {
        if (space === null) return
        await lockDerived(tx, bankId)
        await deleteVectorsAt(tx, bankId, space, await strayCueVectors(tx, bankId, space))
      }),
    mendedBy: null,
  },
  {
    name: 'orphan-codes',
    holds: 'Codes are of vectors that exist.',
    detail: 'Codes without their vector.',
    count: countInSpace(
      ({ vectors, bits }) =>
        `select count(*) as n from ${bits} b where b.bank_id = $1 and ${noVector(vectors)}`,
    ),
    mend: mendInSpace(({ vectors, bits }) => [
      `delete from ${bits} b where b.bank_id = $1 and ${noVector(vectors)}`,
    ]),
    mendedBy: null,
  },
  {
    name: 'vector-codes',
    holds: 'Every vector has its code.',
    detail: 'Vectors whose code is absent or wrong: search passes them over.',
    count: countInSpace((names) => `select count(*) as n from (${wrongCodes(names)}) wrong`),
    mend: mendInSpace((names) => [
      `insert into ${names.bits} (bank_id, kind, chunk_id, ordinal, bits)
       select $1, kind, chunk_id, ordinal, code from (${wrongCodes(names)}) wrong
       on conflict (bank_id, kind, chunk_id, ordinal) do update set bits = excluded.bits`,
    ]),
    mendedBy: null,
  },
  {
    name: 'vector-statistics',
    holds: 'Vectors are counted right.',
    detail: 'Kinds whose vectors are miscounted.',
    count: countInSpace(
      (names) => `select count(*) as n from (
          select kind, vector_count, indexed_count from vector_statistics
          where bank_id = $1 and space_id = ${integerLiteral(names.space.spaceId)}) s
        full join (${vectorCounts(names)}) c on c.kind = s.kind
        where coalesce(s.vector_count, 0) <> coalesce(c.vectors, 0)
          or coalesce(s.indexed_count, 0) <> coalesce(c.indexed, 0)`,
    ),
    mend: mendInSpace((names) => {
      const spaceId = integerLiteral(names.space.spaceId)
      return [
        `delete from vector_statistics where bank_id = $1 and space_id = ${spaceId}`,
        `insert into vector_statistics (bank_id, space_id, kind, vector_count, indexed_count)
         select $1, ${spaceId}, kind, vectors, indexed from (${vectorCounts(names)}) c`,
      ]
    }),
    mendedBy: null,
  },
  {
    name: 'vector-indexes',
    holds: 'The vector indexes that there should be are there and whole.',
    detail: 'Vector indexes that are absent where vectors count as indexed, or broken off in building.',
    count: (q, target) => brokenKinds(q, target),
    mend: async (db, target) => {
      const names = namesOf(target)
      if (names === null) return
      await db.transaction(async (tx) => {
        await lockDerived(tx, target.bankId)
        await dropCodeIndexes(tx, names.space, target.bankId)
        await tx.execute(`update ${names.bits} set indexed = false where bank_id = $1 and indexed`, [
          target.bankId,
        ])
        await tx.execute(
          'update vector_statistics set indexed_count = 0 where bank_id = $1 and space_id = $2',
          [target.bankId, names.space.spaceId],
        )
      })
      await buildIndexes(db, names.space, { bankId: target.bankId })
    },
    mendedBy: null,
  },
]

async function brokenKinds(q: Queryable, target: IntegrityTarget): Promise<number> {
  const names = namesOf(target)
  if (names === null) return 0
  const indexes = await listCodeIndexes(q, names.space)
  const own = indexes.filter((index) => index.bankId === target.bankId)
  const valid = new Set(own.filter((index) => index.valid).map((index) => index.kind))
  const kinds = await q.query<{ kind: number }>(
    `select distinct kind from ${names.bits} where bank_id = $1 and indexed`,
    [target.bankId],
  )
  const absent = kinds.filter((row) => !valid.has(row.kind)).length
  return absent + own.filter((index) => !index.valid).length
}
