import type { Document } from '../domain/document.ts'
import {
  EXPORT_VERSION,
  type ExportedDocument,
  type ExportedPart,
  type ExportHeader,
  type ExportLine,
} from '../domain/portable.ts'
import type { BankStore } from '../store/bank-store.ts'
import { type Activity, activityOf } from '../store/queries/activity.ts'
import { chunksOfDocument, type StoredChunk } from '../store/queries/chunks.ts'
import { cuesOfChunks, type StoredCue } from '../store/queries/cues.ts'
import { findDocument, findDocumentIds } from '../store/queries/documents.ts'
import { type Enrichment, enrichmentsOfChunks } from '../store/queries/enrichments.ts'
import { readSnapshot } from '../store/queries/read-snapshot.ts'
import { requireBank } from './banks.ts'
import type { MaintainDeps } from './maintain-deps.ts'

/**
 * The bank as JSON lines without line breaks: a header, one document version a line in the order in which they came, and an end
 * line. What is retained meanwhile comes along; what is forgotten meanwhile does not. One document is in memory at a time.
 */
export async function* exportBank(deps: MaintainDeps): AsyncGenerator<string, void, undefined> {
  const { store } = deps
  yield line(await headerOf(deps))
  let documents = 0
  const seen = new Set<number>()
  // again until nothing is new: a document may become visible after one that began later
  for (;;) {
    const ids = (await findDocumentIds(store.database, store.bankId, {})).filter((id) => !seen.has(id))
    if (ids.length === 0) break
    for (const id of ids) {
      seen.add(id)
      const exported = await exportDocument(store, id)
      if (exported === null) continue
      documents++
      yield line(exported)
    }
  }
  yield line({ type: 'end', documents })
}

const line = (value: ExportLine): string => JSON.stringify(value)

async function headerOf({ store, clock }: MaintainDeps): Promise<ExportHeader> {
  const { name, language, settings } = await requireBank(store.database, store.bank)
  const { modelId, dimension } = store.space
  return {
    type: 'header',
    format: 'prolepsis-export',
    version: EXPORT_VERSION,
    exportedAt: new Date(clock.now()).toISOString(),
    engine: store.database.engine,
    bank: { name, language, settings },
    model: { modelId, dimension },
  }
}

/** The document as it stands at one moment. */
function exportDocument(
  { database, bankId }: BankStore,
  documentId: number,
): Promise<ExportedDocument | null> {
  return database.transaction(async (tx) => {
    await readSnapshot(tx)
    const document = await findDocument(tx, bankId, documentId)
    if (document === null) return null
    const chunks = await chunksOfDocument(tx, bankId, documentId)
    // forgotten since it was found
    if (chunks.length === 0) return null
    const ids = chunks.map((chunk) => chunk.chunkId)
    const cues = await cuesOfChunks(tx, bankId, ids)
    const activity = await activityOf(tx, bankId, ids)
    const enrichments = new Map((await enrichmentsOfChunks(tx, bankId, ids)).map((one) => [one.chunkId, one]))
    return exportedOf(document, chunks, cues, activity, enrichments)
  })
}

function exportedOf(
  document: Document,
  chunks: readonly StoredChunk[],
  cues: readonly StoredCue[],
  activity: ReadonlyMap<number, Activity>,
  enrichments: ReadonlyMap<number, Enrichment>,
): ExportedDocument {
  const { documentId: _id, byteLength: _bytes, chunkCount: _count, ...fields } = document
  const made = cues.filter((cue) => cue.origin !== 'rules')
  const parts: ExportedPart[] = []
  let startByte = 0
  for (const { chunkId, text } of chunks) {
    const state = activity.get(chunkId)
    const own = made.filter((cue) => cue.chunkId === chunkId)
    const enrichment = enrichments.get(chunkId)
    if (own.length > 0 || state !== undefined || enrichment !== undefined) {
      parts.push({
        startByte,
        cues: own.map(cueOf),
        activity: state === undefined ? null : stateOf(state),
        ...(enrichment === undefined ? {} : { enrichment: askedOf(enrichment) }),
      })
    }
    startByte += Buffer.byteLength(text)
  }
  return {
    type: 'document',
    ...fields,
    occurredAt: document.occurredAt?.toISOString() ?? null,
    retainedAt: document.retainedAt.toISOString(),
    validFrom: document.validFrom.toISOString(),
    validTo: document.validTo?.toISOString() ?? null,
    text: chunks.map((chunk) => chunk.text).join(''),
    parts,
  }
}

function askedOf({ chunkId: _id, madeAt, ...asked }: Enrichment): NonNullable<ExportedPart['enrichment']> {
  return { ...asked, madeAt: madeAt.toISOString() }
}

function cueOf({ kind, origin, embedded, text }: StoredCue): ExportedPart['cues'][number] {
  return { kind, origin: origin === 'caller' ? 'caller' : 'model', embed: embedded, text }
}

function stateOf({ significance, uses, lastUsedAt, pinned }: Activity): ExportedPart['activity'] {
  return { significance, uses, lastUsedAt: lastUsedAt?.toISOString() ?? null, pinned }
}
