import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'
import { plainQuestion, questionKey } from './question-key.ts'

export interface AskedSearch {
  readonly questions: readonly string[]
  readonly filter: Filter
  /** Most chunks, those that came last. */
  readonly limit: number
}

/** The chunks to which the caller gave one of these very questions, as `plainQuestion` has it. */
export async function chunksAsked(
  q: Queryable,
  bankId: number,
  { questions, filter, limit }: AskedSearch,
): Promise<number[]> {
  const asked = new Set(questions.map(plainQuestion))
  if (asked.size === 0) return []
  const parameters = createParameters(bankId)
  const keys = parameters.bind(questions.map(questionKey))
  const rows = await q.query<{ chunkId: number; text: string }>(
    `select a.chunk_id as "chunkId", a.text from cues a
     join chunks c on c.bank_id = $1 and c.chunk_id = a.chunk_id
     join documents d on d.bank_id = $1 and d.document_id = c.document_id
     where a.bank_id = $1 and a.asked_key is not null and a.asked_key = any(${keys}::bigint[])
       and ${renderFilter(filter, parameters)}
     order by a.chunk_id desc limit ${parameters.bind(limit)}::integer`,
    parameters.values,
  )
  const same = rows.filter(({ text }) => asked.has(plainQuestion(text)))
  return [...new Set(same.map(({ chunkId }) => chunkId))]
}
