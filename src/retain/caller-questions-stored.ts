import type { BankStore } from '../store/bank-store.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { cuesOfChunks } from '../store/queries/cues.ts'

/** The caller's questions of a document at rest, by chunk ordinal. */
export async function callerQuestionsOf(
  store: Pick<BankStore, 'database' | 'bankId'>,
  documentId: number,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const ids = await chunkIdsOfDocuments(store.database, store.bankId, [documentId])
  const places = new Map(ids.map((id, ordinal) => [id, ordinal]))
  const questions = new Map<number, string[]>()
  for (const cue of await cuesOfChunks(store.database, store.bankId, ids)) {
    if (cue.origin !== 'caller') continue
    const ordinal = places.get(cue.chunkId)!
    questions.set(ordinal, [...(questions.get(ordinal) ?? []), cue.text])
  }
  return questions
}
