import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { IndexResult } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { promptsOf } from '../files.ts'
import { type FolderOptions, folderOptions, folderOptionsOf } from '../folder-options.ts'
import { createProgressBar } from '../progress.ts'
import { enrichmentFailure, renderEnrichment } from '../render/enrichment.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'

interface IndexCommandOptions extends CommonOptions, FolderOptions {
  readonly verbose?: boolean
  readonly enrich: boolean
  readonly await?: boolean
  readonly prompt?: string
}

export function registerIndex(program: Command, context: CliContext): void {
  folderOptions(
    command(
      program,
      'index',
      'retain the files of a folder; unchanged ones cost nothing',
      'prolepsis index ./docs --tag docs',
    ),
  )
    .alias('ingest')
    .argument('<dir>', 'folder (or one file)')
    .option('--no-enrich', 'let no model write questions of the files')
    .option('--prompt <file>', 'a text in place of the prompt of the model that writes questions')
    .option('--await', 'wait until the model has written its questions, and tell what that took')
    .option('--verbose', 'name every file that was skipped')
    .action(async (dir: string, options: IndexCommandOptions) => {
      const prompts = await promptsOf(options.prompt, context.io)
      const bar = await createProgressBar(context.io, 'index')
      const result = await context.withMemory(options, async (memory) => {
        try {
          return await memory.index(resolve(context.io.cwd, dir), {
            ...folderOptionsOf(options),
            ...prompts,
            ...(options.enrich ? {} : { enrich: false }),
            ...(options.await === true ? { await: 'enriched' } : {}),
            onJobProgress: ({ done, total, source }) => bar.update(done, total, source ?? ''),
            signal: context.io.signal,
            onProgress: ({ done, total, source }) => bar.update(done, total, source),
          })
        } finally {
          bar.stop()
        }
      })
      await context.result(options, result, renderIndexed(result, options.verbose === true))
      const failure = result.enrichment === undefined ? null : enrichmentFailure(result.enrichment)
      if (failure !== null) await context.failed(...failure)
      if (result.failed.length > 0) {
        await context.failed(
          `${counted(result.failed.length, 'file')} could not be retained; all others were.`,
          'The result lists them; index again once they can be read.',
        )
      }
    })
}

const SHOWN_SKIPPED = 5

function renderIndexed(result: IndexResult, verbose: boolean): string {
  const { created, updated, unchanged, deleted, skipped, failed } = result
  const jobs = result.jobs === 0 ? '' : `, ${counted(result.jobs, 'job')}`
  const lines = [
    `${counted(result.files, 'file')} in ${(result.tookMs / 1000).toFixed(1)} s: ${created} new, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted, ${skipped.length} skipped, ${failed.length} failed; ${counted(result.chunks, 'chunk')}, ${result.vectors} vectors${jobs}.`,
    ...(result.enrichment === undefined ? [] : [renderEnrichment(result.enrichment)]),
  ]
  if (result.hidden > 0)
    lines.push(
      `  ${result.hidden} hidden ${result.hidden === 1 ? 'path' : 'paths'} left out (--hidden takes them)`,
    )
  for (const { path, reason } of verbose ? skipped : skipped.slice(0, SHOWN_SKIPPED))
    lines.push(`  skipped ${printable(path)}: ${printable(reason)}`)
  if (!verbose && skipped.length > SHOWN_SKIPPED)
    lines.push(`  … and ${skipped.length - SHOWN_SKIPPED} more (--verbose names them)`)
  for (const { path, code, reason } of failed)
    lines.push(`  failed ${printable(path)}: ${printable(reason)} (${code})`)
  return lines.join('\n')
}
