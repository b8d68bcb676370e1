import type { Command } from 'commander'
import type { BankInfo } from '../../../index.ts'
import { ProlepsisError } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { defined, keyValue } from '../options.ts'
import { day, table } from '../render/table.ts'

const SETTINGS =
  'fusion, mode, limit, tokenBudget, formulator, rerank, weights (JSON, a multiplier a channel: weights={"entity":2}), prompts (JSON, a text a prompt: prompts={"questions":"Ask …"}); they are the defaults of its calls'

export function registerBank(program: Command, context: CliContext): void {
  const bank = program.command('bank').description('banks: units of isolation and of configuration')

  command(bank, 'list', 'list the banks', 'prolepsis bank list').action(async (options: CommonOptions) => {
    const banks = await context.withMemory(options, (memory) => memory.banks.list())
    await context.result(options, { banks }, renderBanks(banks))
  })

  command(bank, 'create', 'make a bank', 'prolepsis bank create alice --language english')
    .argument('<name>')
    .option(
      '--language <language>',
      'language of its texts: stemming and stop words (none switches them off)',
    )
    .option('--set <key=value>', `setting, repeatable: ${SETTINGS}`, keyValue)
    .action(
      async (
        name: string,
        options: CommonOptions & { language?: string; set?: Readonly<Record<string, unknown>> },
      ) => {
        const made = await context.withMemory(options, (memory) =>
          memory.banks.create(name, defined({ language: options.language, settings: options.set })),
        )
        await context.result(options, made, `Bank ${made.name} is ready.`)
      },
    )

  command(bank, 'show', 'show a bank', 'prolepsis bank show alice')
    .argument('<name>')
    .action(async (name: string, options: CommonOptions) => {
      const info = await context.withMemory(options, (memory) => memory.banks.info(name))
      if (info === null) throw noBank(name)
      await context.result(options, info, renderBanks([info]))
    })

  command(
    bank,
    'config',
    'show or change the settings of a bank: the defaults of its recalls',
    'prolepsis bank config alice --set fusion=standard',
  )
    .argument('<name>')
    .option('--set <key=value>', `setting, repeatable; null removes it: ${SETTINGS}`, keyValue)
    .action(async (name: string, options: CommonOptions & { set?: Readonly<Record<string, unknown>> }) => {
      const { set } = options
      const info = await context.withMemory(options, (memory) =>
        set === undefined ? memory.banks.info(name) : memory.banks.configure(name, set),
      )
      if (info === null) throw noBank(name)
      const settings = Object.entries(info.settings).map(
        ([key, value]) => `${key} = ${JSON.stringify(value)}`,
      )
      await context.result(
        options,
        info,
        settings.length === 0 ? 'No settings: every value is the default.' : settings.join('\n'),
      )
    })

  command(bank, 'delete', 'delete a bank with everything in it', 'prolepsis bank delete alice --yes')
    .argument('<name>')
    .option('--yes', 'confirm')
    .action(async (name: string, options: CommonOptions & { yes?: boolean }) => {
      if (options.yes !== true)
        throw new ProlepsisError('INVALID_ARGUMENT', `Deleting ${name} removes all its documents for good.`, {
          hint: 'Add --yes to confirm.',
        })
      if (!(await context.withMemory(options, (memory) => memory.banks.delete(name)))) throw noBank(name)
      await context.result(options, { name, deleted: true }, `Deleted bank ${name}.`)
    })
}

function noBank(name: string): ProlepsisError {
  return new ProlepsisError('BANK_NOT_FOUND', `There is no bank ${name}.`, {
    hint: 'prolepsis bank list shows the banks.',
  })
}

function renderBanks(banks: readonly BankInfo[]): string {
  if (banks.length === 0) return 'No banks yet: the first retain makes one.'
  return table(
    ['bank', 'language', 'embedding model', 'dimensions', 'made'],
    banks.map((bank) => [bank.name, bank.language, bank.modelId, bank.dimension, day(bank.createdAt)]),
  )
}
