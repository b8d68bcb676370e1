import type { CueKind, CueOrigin } from '../../domain/cue.ts'
import { VECTOR_KINDS, vectorKindNumber } from '../../domain/cue.ts'
import type { CopyColumn, CopyValue, Queryable } from '../database.ts'
import { questionKey } from './question-key.ts'

/** A cue at rest. `ordinal` counts from 0 within its chunk and kind, and is that of its vector. */
export interface StoredCue {
  readonly chunkId: number
  readonly kind: CueKind
  readonly ordinal: number
  readonly origin: CueOrigin
  /** Whether it has a vector of its own. */
  readonly embedded: boolean
  readonly text: string
}

const CUE_COLUMNS: readonly CopyColumn[] = [
  { name: 'bank_id', type: 'int4' },
  { name: 'chunk_id', type: 'int8' },
  { name: 'kind', type: 'int2' },
  { name: 'ordinal', type: 'int2' },
  { name: 'origin', type: 'text' },
  { name: 'embedded', type: 'bool' },
  { name: 'text', type: 'text' },
  { name: 'asked_key', type: 'int8' },
]

function* cueRows(bankId: number, cues: Iterable<StoredCue>): Iterable<readonly CopyValue[]> {
  for (const { chunkId, kind, ordinal, origin, embedded, text } of cues) {
    const key = origin === 'caller' && kind === 'question' ? questionKey(text) : null
    yield [bankId, chunkId, vectorKindNumber(kind), ordinal, origin, embedded, text, key]
  }
}

export function copyCues(tx: Queryable, bankId: number, cues: Iterable<StoredCue>): Promise<number> {
  return tx.copy('cues', CUE_COLUMNS, cueRows(bankId, cues))
}

/** By chunk, kind and ordinal. */
export async function cuesOfChunks(
  q: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<StoredCue[]> {
  if (chunkIds.length === 0) return []
  const rows = await q.query<Omit<StoredCue, 'kind'> & { readonly kind: number }>(
    `select chunk_id as "chunkId", kind, ordinal, origin, embedded, text
     from cues where bank_id = $1 and chunk_id = any($2::bigint[]) order by chunk_id, kind, ordinal`,
    [bankId, chunkIds],
  )
  return rows.map((row) => ({ ...row, kind: VECTOR_KINDS[row.kind] as CueKind })) // copyCues writes cue kinds only
}

/** Which cue of which chunk. */
export type CuePlace = Pick<StoredCue, 'chunkId' | 'kind' | 'ordinal'>

/** The texts of given cues, by chunk id; no two of one chunk. */
export async function cueTexts(
  q: Queryable,
  bankId: number,
  places: readonly CuePlace[],
): Promise<Map<number, string>> {
  if (places.length === 0) return new Map()
  const rows = await q.query<{ chunkId: number; text: string }>(
    `select c.chunk_id as "chunkId", c.text
     from unnest($2::bigint[], $3::smallint[], $4::smallint[]) as p(chunk_id, kind, ordinal)
     join cues c on c.bank_id = $1 and c.chunk_id = p.chunk_id and c.kind = p.kind and c.ordinal = p.ordinal`,
    [
      bankId,
      places.map(({ chunkId }) => chunkId),
      places.map(({ kind }) => vectorKindNumber(kind)),
      places.map(({ ordinal }) => ordinal),
    ],
  )
  return new Map(rows.map(({ chunkId, text }) => [chunkId, text]))
}

/** Removes cues of the given origins (before they are derived anew). Their vectors and terms are the caller's to remove. */
export function deleteCues(
  tx: Queryable,
  bankId: number,
  chunkIds: readonly number[],
  origins: readonly CueOrigin[],
): Promise<number> {
  return tx.execute(
    'delete from cues where bank_id = $1 and chunk_id = any($2::bigint[]) and origin = any($3::text[])',
    [bankId, chunkIds, origins],
  )
}
