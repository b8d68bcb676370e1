import { vectorKindNumber } from '../../domain/cue.ts'
import type { IntegrityCheck } from './integrity.ts'
import { countRows } from './integrity-documents.ts'
import { questionKey } from './question-key.ts'

const KEYLESS = `from cues where bank_id = $1 and origin = 'caller' and kind = ${vectorKindNumber('question')} and asked_key is null`
const PAGE = 1000

export const QUESTION_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'asked-questions',
    holds: 'Questions of the caller are found by their own words.',
    detail: 'Questions of the caller that are not found by their own words.',
    count: (q, target) => countRows(q, `select count(*) as n ${KEYLESS}`, target),
    mend: async (db, { bankId }) => {
      for (;;) {
        const rows = await db.query<{ chunkId: number; ordinal: number; text: string }>(
          `select chunk_id as "chunkId", ordinal, text ${KEYLESS} limit ${PAGE}`,
          [bankId],
        )
        if (rows.length === 0) return
        await db.execute(
          `update cues c set asked_key = k.key
           from unnest($2::bigint[], $3::smallint[], $4::bigint[]) as k(chunk_id, ordinal, key)
           where c.bank_id = $1 and c.chunk_id = k.chunk_id and c.kind = $5 and c.ordinal = k.ordinal`,
          [
            bankId,
            rows.map(({ chunkId }) => chunkId),
            rows.map(({ ordinal }) => ordinal),
            rows.map(({ text }) => questionKey(text)),
            vectorKindNumber('question'),
          ],
        )
      }
    },
    mendedBy: null,
  },
]
