import { basename } from 'node:path/posix'
import { isProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { BankStore } from '../../store/bank-store.ts'
import type { Queryable } from '../../store/database.ts'
import { findCurrentDocument, latestVersion, lockSource } from '../../store/queries/documents.ts'
import { deleteSweptFiles, renameSource, type SweptFile, writeSweptFiles } from '../../store/queries/sweep.ts'
import { detectFormat, nameParts } from '../extract/detect-format.ts'
import type { IndexRequest } from '../index/index-options.ts'
import { isFromFolder } from '../index/prune.ts'
import { readStableFile } from '../index/read-file.ts'
import type { FoundFile } from '../index/walk-folder.ts'
import { contentHash } from '../text-hash.ts'
import { noteOf } from './compare.ts'

/** A file that has another path now. */
export interface Move {
  readonly from: SweptFile
  readonly to: FoundFile
  readonly hash: string
}

/**
 * Pairs files that are not there any more with new ones of the same bytes, which read alike under both names (another extension may
 * mean another way of cutting). Only files of the same size are read.
 */
export async function findMoves(
  vanished: readonly SweptFile[],
  fresh: readonly FoundFile[],
  request: IndexRequest,
): Promise<readonly Move[]> {
  const byHash = new Map<string, SweptFile[]>()
  const sizes = new Set<number | null>()
  for (const file of vanished) {
    if (file.contentHash === null || file.problem !== null) continue
    byHash.set(file.contentHash, [...(byHash.get(file.contentHash) ?? []), file])
    sizes.add(file.size)
  }
  const moves: Move[] = []
  if (byHash.size === 0) return moves
  for (const to of fresh) {
    throwIfAborted(request.signal)
    // null: the document alone is known
    if (!sizes.has(to.bytes) && !sizes.has(null)) continue
    const bytes = await readStableFile(to.path, request.maxBytes).catch((error: unknown) => {
      // what cannot be read is told of when it is to be retained
      if (isProlepsisError(error)) return null
      throw error
    })
    if (bytes === null) continue
    const hash = contentHash(bytes)
    const candidates = (byHash.get(hash) ?? []).filter(({ path }) => readsAlike(path, to.relative, bytes))
    const from =
      candidates.find(({ inode }) => inode === to.inode) ??
      candidates.find(({ path }) => basename(path) === basename(to.relative)) ??
      candidates[0]
    if (from === undefined) continue
    moves.push({ from, to, hash })
    byHash.set(
      hash,
      byHash.get(hash)!.filter((one) => one !== from),
    )
  }
  return moves
}

function readsAlike(from: string, to: string, bytes: Uint8Array): boolean {
  const [before, after] = [nameParts(from), nameParts(to)]
  if (before.fileName === after.fileName) return true
  if (before.extension !== after.extension) return false
  if (before.extension !== '') return true
  // without an extension, some names tell (Makefile, Dockerfile)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  const [one, other] = [detectFormat(text, from, null), detectFormat(text, to, null)]
  return one.format === other.format && one.codeLanguage === other.codeLanguage
}

export interface MoveDeps {
  readonly store: BankStore
  readonly rootId: number
  readonly sourcePrefix: string
  /** Id of the folder. */
  readonly from: string
  readonly now: Date
}

/**
 * Gives documents their new sources, in one transaction: all their versions go along, nothing is embedded. One whose document is not what
 * was seen, or whose new source has a history of its own, is left out.
 */
export function carryOutMoves(deps: MoveDeps, moves: readonly Move[]): Promise<readonly Move[]> {
  const { database, bankId } = deps.store
  const sourceOf = (path: string): string => deps.sourcePrefix + path
  return database.transaction(async (tx) => {
    const sources = moves.flatMap(({ from, to }) => [sourceOf(from.path), sourceOf(to.relative)])
    for (const source of [...new Set(sources)].sort()) await lockSource(tx, bankId, source)
    const done: Move[] = []
    for (const move of moves) if (await moveDocument(tx, deps, move)) done.push(move)
    await deleteSweptFiles(
      tx,
      bankId,
      deps.rootId,
      done.map(({ from }) => from.path),
    )
    await writeSweptFiles(
      tx,
      bankId,
      deps.rootId,
      done.map(({ to, hash }) =>
        noteOf(to, { contentHash: hash, problem: null, reason: null, missing: 0 }, deps.now),
      ),
    )
    return done
  })
}

/** False when it must be retained as any other. */
async function moveDocument(tx: Queryable, deps: MoveDeps, { from, to, hash }: Move): Promise<boolean> {
  const { bankId } = deps.store
  const [before, after] = [deps.sourcePrefix + from.path, deps.sourcePrefix + to.relative]
  const current = await findCurrentDocument(tx, bankId, before)
  if (current === null || current.contentHash !== hash) return false
  if (!isFromFolder(current, '', deps.from)) return false
  if ((await latestVersion(tx, bankId, after)) > 0) return false
  await renameSource(tx, bankId, before, after)
  return true
}
