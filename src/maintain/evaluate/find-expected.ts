import type { Expectation } from '../../domain/evaluation.ts'
import { parseRef } from '../../domain/ref.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { chunkIdsOfDocuments } from '../../store/queries/chunk-ids.ts'
import { chunkByRef, chunksOfDocument } from '../../store/queries/chunks.ts'
import { findCurrentDocument } from '../../store/queries/documents.ts'
import type { NamedCase } from './check-case.ts'

/** What a case expects, as chunks of the bank: any chunk of a group fulfils its expectation. */
export interface ExpectedChunks {
  /** One a fulfillable expectation. */
  readonly groups: readonly ReadonlySet<number>[]
  /** Expectations that nothing in the bank answers to. */
  readonly absent: readonly Expectation[]
}

/** Looks the expectations of all cases up, a source at a time: the texts of one document are in memory at once. */
export async function findExpected(
  store: BankStore,
  cases: readonly NamedCase[],
): Promise<readonly ExpectedChunks[]> {
  const bySource = new Map<string, Expectation[]>()
  for (const expectation of cases.flatMap(({ expect }) => expect)) {
    const some = bySource.get(expectation.source)
    if (some === undefined) bySource.set(expectation.source, [expectation])
    else some.push(expectation)
  }
  const found = new Map<Expectation, ReadonlySet<number>>()
  for (const [source, expectations] of bySource) {
    for (const [expectation, ids] of await chunksOfSource(store, source, expectations))
      found.set(expectation, ids)
  }
  return cases.map(({ expect }) => ({
    groups: expect.flatMap((expectation) => {
      const ids = found.get(expectation)
      return ids === undefined || ids.size === 0 ? [] : [ids]
    }),
    absent: expect.filter((expectation) => (found.get(expectation)?.size ?? 0) === 0),
  }))
}

async function chunksOfSource(
  { database, bankId }: BankStore,
  source: string,
  expectations: readonly Expectation[],
): Promise<Map<Expectation, ReadonlySet<number>>> {
  const found = new Map<Expectation, ReadonlySet<number>>()
  const document = await findCurrentDocument(database, bankId, source)
  if (document === null) return found
  const { documentId } = document
  const all = await chunkIdsOfDocuments(database, bankId, [documentId])
  const asksForText = expectations.some(({ passage }) => passage !== undefined)
  const chunks = asksForText ? await chunksOfDocument(database, bankId, documentId) : []
  const texts = chunks.map(({ chunkId, text }) => ({ chunkId, text: comparable(text) }))
  for (const expectation of expectations) {
    const { ref, passage } = expectation
    let ids = all
    if (ref !== undefined) {
      const place = parseRef(ref)
      const chunk = place === null ? null : await chunkByRef(database, bankId, withoutNull(place))
      ids = chunk === null ? [] : [chunk.chunkId]
    }
    if (passage !== undefined) {
      const wanted = comparable(passage)
      const having = new Set(texts.filter(({ text }) => text.includes(wanted)).map(({ chunkId }) => chunkId))
      ids = ids.filter((id) => having.has(id))
    }
    found.set(expectation, new Set(ids))
  }
  return found
}

function withoutNull(place: NonNullable<ReturnType<typeof parseRef>>): {
  readonly source: string
  readonly ordinal: number
  readonly version: number | undefined
} {
  return { ...place, version: place.version ?? undefined }
}

/** Case and runs of white space do not count. */
const comparable = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase()
