import type { BankStore } from '../store/bank-store.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { chunksByIds } from '../store/queries/chunks.ts'
import { cuesOfChunks } from '../store/queries/cues.ts'
import type { DerivedChunks } from './derived-chunks.ts'

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

/**
 * The caller's questions of a version's chunks, for those chunks of the next one that say the same, by ordinal: what was given or edited by hand
 * does not go because another part of its text was changed. Of several that say the same the first takes those of the first.
 */
export async function questionsOfSameChunks(
  store: Pick<BankStore, 'database' | 'bankId'>,
  documentId: number,
  { cut }: Pick<DerivedChunks, 'cut'>,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const { database, bankId } = store
  const stored = await callerQuestionsOf(store, documentId)
  const kept = new Map<number, readonly string[]>()
  if (stored.size === 0) return kept
  const ids = await chunkIdsOfDocuments(database, bankId, [documentId])
  const asked = await chunksByIds(
    database,
    bankId,
    [...stored.keys()].map((ordinal) => ids[ordinal]!),
  )
  const byText = new Map<string, (readonly string[])[]>()
  for (const chunk of asked.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const like = byText.get(saidIn(chunk))
    const questions = stored.get(chunk.ordinal)!
    if (like === undefined) byText.set(saidIn(chunk), [questions])
    else like.push(questions)
  }
  let ordinal = 0
  for (const { draft } of cut) {
    const questions = byText.get(saidIn(draft))?.shift()
    if (questions !== undefined) kept.set(ordinal, questions)
    ordinal += 1
  }
  return kept
}

const saidIn = ({ speaker, text }: { readonly speaker: string | null; readonly text: string }): string =>
  `${speaker ?? ''}\n${text.trim()}`
