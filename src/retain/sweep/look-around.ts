import { stat } from 'node:fs/promises'
import { isProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { RetainItem } from '../../domain/retain.ts'
import { findCurrentDocument } from '../../store/queries/documents.ts'
import { type SweptFile, sweepRootsOf, sweptFiles, writeSweptFiles } from '../../store/queries/sweep.ts'
import { folderId, isOfAnotherFolder, itemOf, OF_ANOTHER_FOLDER } from '../index/folder-item.ts'
import type { IndexRequest } from '../index/index-options.ts'
import { documentsFrom, isFromFolder, looksUnmounted } from '../index/prune.ts'
import { type FoundFile, type Walk, walkFolder } from '../index/walk-folder.ts'
import { retainMany } from '../retain-many.ts'
import { contentHash } from '../text-hash.ts'
import type { Claim } from './claim.ts'
import { type Comparison, compare, noteOf } from './compare.ts'
import { settleMissing } from './missing.ts'
import { carryOutMoves, findMoves } from './moves.ts'
import type { PassManner, SweepDeps } from './sweep-folder.ts'
import { labelsHash } from './sweep-options.ts'
import type { SweepTally } from './sweep-tally.ts'

/** What a look tells beside its counts. */
export interface Seen {
  /** Null: as before. */
  readonly device: string | null
  /** Absolute paths of the folders that were entered. */
  readonly folders: readonly string[]
  /** Whether another look is due soon: a file is gone and must be looked for again, or its writer may not be done. */
  readonly unsettled: boolean
}

const AWAY: Seen = { device: null, folders: [], unsettled: false }
/** Few, so that a recall that comes meanwhile does not wait long for the model and the store. */
const BATCH_VECTORS = 64
const MOVES_AT_A_TIME = 64
const NOTES_AT_A_TIME = 64

interface Look {
  readonly deps: SweepDeps
  readonly claim: Claim
  readonly request: IndexRequest
  readonly tally: SweepTally
  /** Id of the folder. */
  readonly from: string
}

/** Walks the folder and brings its documents in step with it. */
export async function lookAround(
  deps: SweepDeps,
  claim: Claim,
  request: IndexRequest,
  manner: PassManner,
  tally: SweepTally,
): Promise<Seen> {
  const { root, rootId, device, labels } = await claim.take()
  const look: Look = { deps, claim, request, tally, from: folderId(root) }
  const walk = await walkIfThere(deps, root, request)
  if (walk === null) {
    tally.away = 'the folder is not there: nothing was marked as deleted'
    return AWAY
  }
  tally.total = walk.files.length
  tally.hidden = walk.hidden
  const known = new Map(
    (await sweptFiles(deps.store.database, deps.store.bankId, rootId)).map((file) => [file.path, file]),
  )
  if (manner.whole) await addIndexed(look, known)
  tally.away = await whyAway(walk, known, device, request)
  if (tally.away !== null) return AWAY

  for (const skipped of walk.skipped) tally.skip(skipped.path, skipped.reason)
  for (const closed of walk.unreadable) tally.fail(closed.path, closed.code, closed.reason)
  const anew = labels !== null && labels !== labelsHash(request)
  const { settleMs, stableInodes } = manner
  const found = compare(walk, known, {
    ...{ now: deps.clock.now(), settleMs, stableInodes, anew },
    isOverdue: manner.patience.isOver,
  })
  manner.patience.putOff(found.young.map((file) => file.relative))
  tally.hasPutOff = found.young.length > 0
  await noteSame(look, found.same)
  const { rest, vanished } = await move(look, found, known)
  await retainFiles(look, rest, known)
  const unsettled = await prune(look, walk, vanished, known, manner.graceMs)
  return { device: walk.device, folders: walk.folders, unsettled: unsettled || found.young.length > 0 }
}

async function walkIfThere(deps: SweepDeps, root: string, request: IndexRequest): Promise<Walk | null> {
  try {
    return await walkFolder(root, { ...request, exclude: deps.exclude })
  } catch (error) {
    if (isProlepsisError(error) && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** Documents that index made of the folder, or a sweep that was killed before it noted them. */
async function addIndexed(
  { deps, claim, request, from }: Look,
  known: Map<string, SweptFile>,
): Promise<void> {
  const { database, bankId } = deps.store
  const changedAt = new Date(deps.clock.now())
  // swept under a longer prefix too, the folder has documents that are not of this one
  const others = (await sweepRootsOf(database, bankId, claim.root.root))
    .map((one) => one.sourcePrefix)
    .filter((prefix) => prefix !== request.sourcePrefix && prefix.startsWith(request.sourcePrefix))
  for await (const document of documentsFrom(deps, request, from)) {
    const path = document.source.slice(request.sourcePrefix.length)
    if (known.has(path) || !isFromFolder(document, '', from)) continue
    if (others.some((prefix) => document.source.startsWith(prefix))) continue
    const { contentHash } = document
    const unseen = { size: null, modifiedMs: null, inode: null, problem: null, reason: null }
    known.set(path, { path, contentHash, ...unseen, missing: 0, changedAt })
  }
}

/** Why what is there now says nothing about what was there before; null when it does. */
async function whyAway(
  walk: Walk,
  known: ReadonlyMap<string, SweptFile>,
  device: string | null,
  { prune }: IndexRequest,
): Promise<string | null> {
  const now = await stat(walk.root).catch(() => null)
  if (now === null || String(now.dev) !== walk.device)
    return 'the folder went away while it was looked at: nothing was retained or marked as deleted'
  if (device === null || device === walk.device || prune === 'force') return null
  // the numbers of devices change with a restart: then the files are there
  const there = walk.files.filter((file) => known.has(file.relative)).length
  if (there * 2 >= known.size) return null
  return `the folder is on another file system than before, and ${known.size - there} of its ${known.size} files are not there: nothing was retained or marked as deleted`
}

async function noteSame({ deps, claim, tally }: Look, same: readonly SweptFile[]): Promise<void> {
  const back: SweptFile[] = []
  for (const file of same) {
    if (file.problem === null) tally.same(file.path)
    else tally.problem(file.path, file.problem, file.reason ?? file.problem)
    if (file.missing > 0 && file.problem !== 'EMPTY_TEXT') back.push({ ...file, missing: 0 })
  }
  await note(deps, claim, back)
}

function note(deps: SweepDeps, claim: Claim, files: readonly SweptFile[]): Promise<void> {
  return writeSweptFiles(deps.store.database, deps.store.bankId, claim.root.rootId, files)
}

/** Carries out renames. Gives what is still to be read, and what is still gone. */
async function move(
  { deps, claim, request, tally, from }: Look,
  found: Comparison,
  known: ReadonlyMap<string, SweptFile>,
): Promise<{ readonly rest: readonly FoundFile[]; readonly vanished: readonly SweptFile[] }> {
  const fresh = found.toRead.filter((file) => !known.has(file.relative))
  const moves = await findMoves(found.vanished, fresh, request)
  const moved = new Set<FoundFile | SweptFile>()
  for (let at = 0; at < moves.length; at += MOVES_AT_A_TIME) {
    throwIfAborted(request.signal)
    await claim.hold()
    const { rootId } = claim.root
    const scope = { store: deps.store, rootId, sourcePrefix: request.sourcePrefix, from }
    const now = new Date(deps.clock.now())
    for (const done of await carryOutMoves({ ...scope, now }, moves.slice(at, at + MOVES_AT_A_TIME))) {
      moved.add(done.from).add(done.to)
      tally.move(done.from.path, done.to.relative)
    }
  }
  return {
    rest: found.toRead.filter((file) => !moved.has(file)),
    vanished: found.vanished.filter((file) => !moved.has(file)),
  }
}

/** Lasting: the same bytes fail again in the same way. */
const OF_CONTENT: ReadonlySet<string> = new Set(['EMPTY_TEXT', 'UNSUPPORTED_MEDIA', 'INVALID_TEXT'])

async function retainFiles(
  { deps, claim, request, tally, from }: Look,
  files: readonly FoundFile[],
  known: Map<string, SweptFile>,
): Promise<void> {
  const given: FoundFile[] = []
  let notes: SweptFile[] = []
  async function* items(): AsyncGenerator<RetainItem, void, undefined> {
    for (const file of files) {
      throwIfAborted(request.signal)
      if (await isOfAnotherFolder(deps, file, request, from)) {
        tally.skip(file.relative, OF_ANOTHER_FOLDER)
        continue
      }
      const item = await itemOf(file, request, from, tally.unreadable)
      const before = known.get(file.relative)
      if (before !== undefined && (await wasTakenAway(deps, item, before))) {
        tally.same(file.relative)
        const { contentHash, problem, reason, missing } = before
        notes.push(noteOf(file, { contentHash, problem, reason, missing }, new Date(deps.clock.now())))
        continue
      }
      given.push(file)
      yield item
    }
  }
  const flush = async (): Promise<void> => {
    const batch = notes
    notes = []
    await note(deps, claim, batch)
    await claim.hold()
  }
  let at = 0
  try {
    for await (const result of retainMany(deps, items(), request.signal, undefined, BATCH_VECTORS)) {
      const file = given[at++]!
      const problem = tally.take(result, file)
      if (problem !== null && (tally.unreadable.has(file) || !OF_CONTENT.has(problem.code))) {
        tally.hasPutOff = true
        continue
      }
      if (result.status !== 'failed') deps.onDocument?.(result.document.documentId)
      const before = known.get(file.relative)
      const seen =
        result.status === 'failed'
          ? { contentHash: before?.contentHash ?? null, missing: before?.missing ?? 0 }
          : { contentHash: result.document.contentHash, missing: 0 }
      const noted = noteOf(
        file,
        { ...seen, problem: problem?.code ?? null, reason: problem?.reason ?? null },
        // since when an emptied file is marked stays
        before !== undefined && seen.missing > 0 ? before.changedAt : new Date(deps.clock.now()),
      )
      known.set(file.relative, noted)
      notes.push(noted)
      if (notes.length >= NOTES_AT_A_TIME) await flush()
      await yielded()
    }
  } finally {
    // what is committed is noted, also when the pass ends here
    await note(deps, claim, notes)
  }
}

/** Whether a file has the bytes that were seen, and its document was removed or forgotten by hand since: it stays so until the file changes. */
async function wasTakenAway(
  { store }: SweepDeps,
  { content, source }: RetainItem,
  { contentHash: hash, problem, missing }: SweptFile,
): Promise<boolean> {
  if (hash === null || problem !== null || missing > 0) return false
  if (!(content instanceof Uint8Array) || contentHash(content) !== hash) return false
  return source !== undefined && (await findCurrentDocument(store.database, store.bankId, source)) === null
}

/** Lets what waits in this process go first. */
const yielded = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Marks what is gone, deletes what was marked before. Whether there is something to look for again. */
async function prune(
  { deps, claim, request, tally, from }: Look,
  walk: Walk,
  vanished: readonly SweptFile[],
  known: ReadonlyMap<string, SweptFile>,
  graceMs: number,
): Promise<boolean> {
  if (request.prune === false || !walk.complete) return false
  const emptied = walk.files
    .map((file) => known.get(file.relative))
    .filter((file) => file?.problem === 'EMPTY_TEXT' && file.contentHash !== null)
    .filter((file) => file !== undefined)
  const gone = [...vanished, ...emptied]
  if (gone.length === 0) return false
  if (request.prune !== 'force') {
    const of = known.size
    if (walk.files.length === 0 && walk.skipped.length === 0)
      tally.away = `all ${of} files are gone, as if a mount were missing: none was marked as deleted; sweep with prune "force" does so`
    else if (looksUnmounted(gone.length, of))
      tally.away = `${gone.length} of ${of} files are gone, as if a mount were missing: none was marked as deleted; sweep with prune "force" does so`
    if (tally.away !== null) return false
  }
  await claim.hold()
  const { rootId } = claim.root
  const scope = { ...deps, rootId, sourcePrefix: request.sourcePrefix, from, signal: request.signal }
  const settled = await settleMissing(scope, gone, new Set(emptied.map(({ path }) => path)), graceMs)
  tally.missing(settled.marked)
  for (const source of settled.deleted) tally.delete(source)
  return gone.some((file) => file.missing < 2 && !settled.deleted.includes(request.sourcePrefix + file.path))
}
