import type { CueKind, CueOrigin } from '../../domain/cue.ts'
import { VECTOR_KINDS } from '../../domain/cue.ts'
import type { Document } from '../../domain/document.ts'
import type { Queryable } from '../database.ts'
import { DOCUMENT_COLUMNS, type DocumentRow, documentFromRow } from './documents.ts'

/** A document version with what cannot be derived from its text again. Chunks are named by their ordinal. */
export interface PortableDocument {
  readonly document: Document
  readonly chunks: readonly { readonly ordinal: number; readonly text: string }[]
  /** Cues by callers and models; those by rules are derived anew. */
  readonly cues: readonly {
    readonly ordinal: number
    readonly kind: CueKind
    readonly origin: CueOrigin
    readonly embedded: boolean
    readonly text: string
  }[]
  readonly activity: readonly {
    readonly ordinal: number
    readonly significance: number
    readonly uses: number
    readonly lastUsedAt: Date | null
    readonly pinned: boolean
  }[]
}

/** Versions read in one go; the text of one document at a time is in memory. */
const PAGE = 200

/** Every document version of the bank in the order in which it was written, page by page: no cursor is held open. */
export async function* portableDocuments(q: Queryable, bankId: number): AsyncIterable<PortableDocument> {
  for (let after = 0; ; ) {
    const page = await q.query<DocumentRow>(
      `select ${DOCUMENT_COLUMNS} from documents d where d.bank_id = $1 and d.document_id > $2
       order by d.document_id limit ${PAGE}`,
      [bankId, after],
    )
    for (const row of page) yield portableDocument(q, bankId, documentFromRow(row))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.documentId
  }
}

async function portableDocument(q: Queryable, bankId: number, document: Document): Promise<PortableDocument> {
  const chunks = await q.query<PortableDocument['chunks'][number]>(
    'select ordinal, text from chunks where bank_id = $1 and document_id = $2 order by ordinal',
    [bankId, document.documentId],
  )
  const cues = await q.query<Omit<PortableDocument['cues'][number], 'kind'> & { readonly kind: number }>(
    `select c.ordinal, u.kind, u.origin, u.embedded, u.text
     from chunks c join cues u on u.bank_id = $1 and u.chunk_id = c.chunk_id
     where c.bank_id = $1 and c.document_id = $2 and u.origin <> 'rules'
     order by c.ordinal, u.kind, u.ordinal`,
    [bankId, document.documentId],
  )
  const activity = await q.query<PortableDocument['activity'][number]>(
    `select c.ordinal, a.significance, a.uses, a.last_used_at as "lastUsedAt", a.pinned
     from chunks c join activity a on a.bank_id = $1 and a.chunk_id = c.chunk_id
     where c.bank_id = $1 and c.document_id = $2 order by c.ordinal`,
    [bankId, document.documentId],
  )
  return {
    document,
    chunks,
    cues: cues.map((cue) => ({ ...cue, kind: VECTOR_KINDS[cue.kind] as CueKind })), // copyCues writes cue kinds only
    activity,
  }
}
