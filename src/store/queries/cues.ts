import type { CueKind, CueOrigin } from '../../domain/cue.ts'
import { VECTOR_KINDS, vectorKindNumber } from '../../domain/cue.ts'
import type { CopyColumn, CopyValue, Queryable } from '../database.ts'

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
]

function* cueRows(bankId: number, cues: Iterable<StoredCue>): Iterable<readonly CopyValue[]> {
  for (const cue of cues) {
    yield [bankId, cue.chunkId, vectorKindNumber(cue.kind), cue.ordinal, cue.origin, cue.embedded, cue.text]
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
