import { ProlepsisError } from '../domain/errors.ts'
import type { ExportHeader } from '../domain/portable.ts'
import { createBank } from '../maintain/banks.ts'
import { checkFlag, checkKeys } from '../maintain/check-options.ts'
import { exportBank } from '../maintain/export-bank.ts'
import { importBank } from '../maintain/import-bank.ts'
import { readExport } from '../maintain/import-lines.ts'
import type { Memory } from '../memory-api.ts'
import { checkBankSettings } from '../recall/bank-settings.ts'
import { findBank } from '../store/queries/banks.ts'
import { repeatable } from '../store/repeat.ts'
import { assertWritable, depsOf, type Scope } from './scope.ts'

/** The calls that take a bank out as lines and bring it in again. */
export function portableCalls(scope: Scope): Pick<Memory, 'export' | 'import'> {
  const { engine } = scope
  return {
    export() {
      engine.calls.assertOpen()
      return exported(scope)
    },
    import: (lines, options = {}) =>
      engine.calls.run(async () => {
        checkKeys(options, ['enrich', 'signal', 'onProgress'], 'import')
        const enrich = checkFlag(options.enrich, 'enrich') ? { traceId: engine.ids.next() } : undefined
        checkLines(lines)
        assertWritable(engine)
        const read = await readExport(lines)
        await createFrom(scope, read.header)
        const deps = await depsOf(scope, 'write')
        if (deps.store.language !== read.header.bank.language) {
          const message = `The export is of a bank in ${read.header.bank.language}; this one is in ${deps.store.language}.`
          engine.events.emit({ type: 'warning', code: 'BANK_LANGUAGE', message })
        }
        const { writeVersions } = await import('../retain/write-version.ts')
        const imported = await importBank(
          read,
          (documents, signal) =>
            repeatable(engine.database, async (_, attempt) =>
              // an attempt that failed may have found the bank moved to another model
              writeVersions(attempt === 1 ? deps : await deps.renewed(), documents, { enrich, signal }),
            ),
          options,
        )
        engine.people.invalidate(deps.store.bankId)
        await engine.upkeep.afterBulk(deps.store, imported.chunks, options.signal)
        return imported
      }),
  }
}

/** Callers without types may hand over anything. */
function checkLines(lines: unknown): void {
  if (
    typeof lines === 'object' &&
    lines !== null &&
    (Symbol.iterator in lines || Symbol.asyncIterator in lines)
  )
    return
  throw new ProlepsisError('INVALID_ARGUMENT', 'import takes a list or another iterable of lines.', {
    hint: 'Give what export() yields, line by line.',
    details: { option: 'lines' },
  })
}

async function* exported(scope: Scope): AsyncGenerator<string, void, undefined> {
  const deps = await scope.engine.calls.run(() => depsOf(scope, 'read'))
  yield* exportBank(deps)
}

/** A bank that the import makes gets the language and settings of the exported one. */
async function createFrom({ engine, name, createIfMissing }: Scope, { bank }: ExportHeader): Promise<void> {
  const settings = checkBankSettings(bank.settings)
  if (!createIfMissing || (await findBank(engine.database, name)) !== null) return
  await engine.analysers.of(bank.language)
  const { modelId, dimension } = await engine.embedder.identity()
  const now = new Date(engine.clock.now())
  const { language } = bank
  await createBank(engine.database, { name, language, settings, model: { modelId, dimension }, now })
}
