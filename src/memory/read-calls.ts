import type { RecallOptions } from '../domain/recall.ts'
import { checkKeys, checkWhole } from '../maintain/check-options.ts'
import { readDocument, readDocuments, readVersions } from '../maintain/read-documents.ts'
import type { Memory } from '../memory-api.ts'
import { explain } from '../recall/explain.ts'
import { feedback } from '../recall/feedback.ts'
import { chunkAt, passageOf, requireChunk } from '../recall/passages.ts'
import { recall } from '../recall/recall.ts'
import { similarPassages } from '../recall/similar.ts'
import { neighbourChunks } from '../store/queries/chunks.ts'
import { type CallKind, callOn, type Scope } from './scope.ts'

type Reads =
  | 'recall'
  | 'get'
  | 'neighbours'
  | 'similar'
  | 'explain'
  | 'feedback'
  | 'document'
  | 'documents'
  | 'versions'

/** What is only looked up by its words needs no vectors, and works on a bank of another model too. */
export function recallKind(options: RecallOptions | undefined): CallKind {
  if (options?.mode === undefined) return 'recall-by-mode'
  return options.mode === 'lexical' ? 'read' : 'recall'
}

/** The calls of a bank that change nothing but receipts. */
export function readCalls(scope: Scope): Pick<Memory, Reads> {
  return {
    recall: (query, options) => callOn(scope, recallKind(options), (deps) => recall(deps, query, options)),
    get: (ref) =>
      callOn(scope, 'read', async (deps) => {
        const chunk = await chunkAt(deps, ref)
        return chunk === null ? null : passageOf(chunk)
      }),
    neighbours: (ref, options = {}) =>
      callOn(scope, 'read', async (deps) => {
        checkKeys(options, ['before', 'after'], 'neighbours')
        const bounds = { least: 0, most: 1000, default: 1 }
        const before = checkWhole(options.before, 'before', bounds)
        const after = checkWhole(options.after, 'after', bounds)
        const { documentId, ordinal } = await requireChunk(deps, ref)
        const { database, bankId } = deps.store
        return (await neighbourChunks(database, bankId, documentId, ordinal, before, after)).map((chunk) =>
          passageOf(chunk),
        )
      }),
    similar: (ref, options) => callOn(scope, 'read', (deps) => similarPassages(deps, ref, options)),
    explain: (receipt, options) => callOn(scope, 'recall', (deps) => explain(deps, receipt, options)),
    feedback: (receipt, report) => callOn(scope, 'change', (deps) => feedback(deps, receipt, report)),
    document: (source, options) => callOn(scope, 'read', (deps) => readDocument(deps, source, options)),
    documents: (options) => callOn(scope, 'read', (deps) => readDocuments(deps, options)),
    versions: (source) => callOn(scope, 'read', (deps) => readVersions(deps, source)),
  }
}
