import { throwIfAborted } from '../../domain/errors.ts'
import { findCurrentDocument } from '../../store/queries/documents.ts'
import { deleteSweptSources, type SweptFile, writeSweptFiles } from '../../store/queries/sweep.ts'
import { closeAsDeleted, isFromFolder } from '../index/prune.ts'
import type { RetainDeps } from '../retain-deps.ts'

export interface MissingDeps extends RetainDeps {
  readonly rootId: number
  readonly sourcePrefix: string
  /** Id of the folder. */
  readonly from: string
  readonly signal: AbortSignal | undefined
}

export interface Settled {
  /** Paths that were marked. */
  readonly marked: readonly string[]
  /** Sources of documents that were marked as deleted. */
  readonly deleted: readonly string[]
}

/**
 * Marks files that are gone for the first time, and deletes the documents of those that a pass before has marked, `graceMs` ago at least.
 *
 * @param emptied those of them that are there, without any text
 */
export async function settleMissing(
  deps: MissingDeps,
  gone: readonly SweptFile[],
  emptied: ReadonlySet<string>,
  graceMs: number,
): Promise<Settled> {
  const { database, bankId } = deps.store
  const now = new Date(deps.clock.now())
  const marked: SweptFile[] = []
  const deleted: string[] = []
  for (const file of gone) {
    throwIfAborted(deps.signal)
    if (file.missing === 0) {
      marked.push({ ...file, missing: 1, changedAt: now })
      continue
    }
    // a clock that was put back makes nobody wait
    if (file.missing > 1 || Math.abs(now.getTime() - file.changedAt.getTime()) < graceMs) continue
    const source = deps.sourcePrefix + file.path
    const isEmptied = emptied.has(file.path)
    // before the document: what is noted and has none was taken away by hand, and stays so
    if (!isEmptied) await deleteSweptSources(database, bankId, [source])
    if (await deleteDocument(deps, source)) deleted.push(source)
    if (isEmptied)
      await writeSweptFiles(database, bankId, deps.rootId, [{ ...file, missing: 2, changedAt: now }])
  }
  await writeSweptFiles(database, bankId, deps.rootId, marked)
  return { marked: marked.map(({ path }) => path), deleted }
}

/** False when there is none, or one that did not come from the folder. */
async function deleteDocument(deps: MissingDeps, source: string): Promise<boolean> {
  const { database, bankId } = deps.store
  const document = await findCurrentDocument(database, bankId, source)
  if (document === null || !isFromFolder(document, '', deps.from)) return false
  return closeAsDeleted(deps, document)
}
