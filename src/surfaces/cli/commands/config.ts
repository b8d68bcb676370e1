import type { Command } from 'commander'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { defined } from '../options.ts'
import { printable } from '../render/printable.ts'
import { table } from '../render/table.ts'

export function registerConfig(program: Command, context: CliContext): void {
  command(
    program,
    'config',
    'print every setting with its origin, secrets hidden',
    'prolepsis config',
  ).action(async (options: CommonOptions) => {
    const { bank, dataDir, databaseUrl } = options
    const [{ resolveSettings }, { processContext }] = await Promise.all([
      import('../../../config/resolve.ts'),
      import('../../../config/sources.ts'),
    ])
    const { values, location, unknownVariables, passedOver } = resolveSettings(
      defined({ bank, dataDir, databaseUrl }),
      processContext(context.io.cwd),
    )
    const store = 'dataDir' in location ? 'embedded' : 'server'
    const settings = values.map(({ key, shown, origin }) => ({
      key,
      value: shown,
      origin: origin.kind,
      where: origin.where,
    }))
    const rows = settings.map(({ key, value, origin, where }) => [
      key,
      value === null ? '–' : printable(String(value)),
      where === origin || where === '' ? origin : `${origin}: ${where}`,
    ])
    await context.result(
      options,
      { store, settings, unknownVariables, passedOver },
      `${table(['setting', 'value', 'origin'], rows)}\n\nstore: ${store}`,
    )
    for (const { path, key, reason } of passedOver) {
      const what = key === null ? path : `${key} in ${path}`
      await context.note(`warning: ${printable(what)} is passed over: ${reason}.`)
    }
    for (const name of unknownVariables) await context.note(`warning: ${name} names no setting.`)
  })
}
