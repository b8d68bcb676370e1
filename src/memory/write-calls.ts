import { ProlepsisError } from '../domain/errors.ts'
import type { RetainItem, RetainManyResult } from '../domain/retain.ts'
import { checkKeys } from '../maintain/check-options.ts'
import type { Memory, RetainManyOptions } from '../memory-api.ts'
import { awaitEnriched, gather, gathering, readAwait } from './await-enriched.ts'
import { callOn, depsOf, type Scope } from './scope.ts'

/** The calls of a bank that add text. What they run is loaded at the first of them: who only recalls needs no parsers. */
export function writeCalls(scope: Scope): Pick<Memory, 'retain' | 'retainMany' | 'index'> {
  const { engine } = scope
  return {
    async retain(content, options) {
      const { waits, onProgress } = readAwait(options, 'onProgress')
      const gathered = gather()
      const result = await callOn(scope, 'write', async (deps) => {
        const { retain } = await import('../retain/retain.ts')
        const retained = await retain(gathering(deps, gathered), content, options)
        engine.people.invalidate(deps.store.bankId)
        engine.upkeep.noteWrite()
        return retained
      })
      if (!waits) return result
      gathered.documentIds.push(result.document.documentId)
      const enrichment = await awaitEnriched(scope, gathered, { signal: options?.signal, onProgress })
      return { ...result, enrichment }
    },
    retainMany(items, options = {}) {
      engine.calls.assertOpen()
      checkKeys(options, RETAIN_MANY_OPTIONS, 'retainMany')
      readAwait(options, 'onJobProgress')
      if (
        typeof items !== 'object' ||
        items === null ||
        !(Symbol.iterator in items || Symbol.asyncIterator in items)
      ) {
        throw new ProlepsisError(
          'INVALID_ARGUMENT',
          'retainMany takes a list or another iterable of items.',
          {
            hint: 'Give items of the form { content, source, … }.',
            details: { option: 'items' },
          },
        )
      }
      return stream(scope, items, options)
    },
    async index(path, options) {
      const { waits, onProgress } = readAwait(options, 'onJobProgress')
      const gathered = gather()
      const result = await callOn(scope, 'write', async (deps) => {
        const { indexFolder } = await import('../retain/index/index-folder.ts')
        const { settings, location } = engine.resolved
        const indexed = await indexFolder(
          {
            ...gathering(deps, gathered),
            maxFileBytes: settings.maxFileBytes,
            exclude: 'dataDir' in location ? [location.dataDir] : [],
            onDocument: (documentId) => void gathered.documentIds.push(documentId),
          },
          path,
          options,
        )
        engine.people.invalidate(deps.store.bankId)
        await engine.upkeep.afterBulk(deps.store, indexed.chunks, options?.signal)
        return indexed
      })
      if (!waits) return result
      const enrichment = await awaitEnriched(scope, gathered, { signal: options?.signal, onProgress })
      return { ...result, enrichment }
    },
  }
}

const RETAIN_MANY_OPTIONS = ['await', 'onEnriched', 'onJobProgress', 'onProgress', 'signal']

async function* stream(
  scope: Scope,
  items: Iterable<RetainItem> | AsyncIterable<RetainItem>,
  options: RetainManyOptions,
): AsyncGenerator<RetainManyResult, void, undefined> {
  const { onProgress, onEnriched, signal } = options
  const awaited = readAwait(options, 'onJobProgress')
  const gathered = gather()
  const { retainMany } = await import('../retain/retain-many.ts')
  const { calls, upkeep } = scope.engine
  const deps = gathering(await calls.run(() => depsOf(scope, 'write')), gathered)
  let done = 0
  let chunks = 0
  // each batch is a call of its own: closing waits for what is being written, not for who reads the results
  for await (const result of retainMany(deps, items, signal, calls.run)) {
    scope.engine.people.invalidate(deps.store.bankId)
    done++
    chunks += result.status === 'failed' ? 0 : result.chunks
    if (result.status !== 'failed') gathered.documentIds.push(result.document.documentId)
    const source = result.status === 'failed' ? (result.source ?? '') : result.document.source
    onProgress?.({ done, source, status: result.status })
    yield result
  }
  // when the memory is closing, the last texts are safe, and the next memory looks after the indexes
  if (chunks > 0 && !calls.hasEnded()) await calls.run(() => upkeep.afterBulk(deps.store, chunks, signal))
  if (!awaited.waits || calls.hasEnded()) return
  const enrichment = await awaitEnriched(scope, gathered, { signal, onProgress: awaited.onProgress })
  onEnriched?.(enrichment)
}
