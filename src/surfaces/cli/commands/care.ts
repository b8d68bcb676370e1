import type { Command } from 'commander'
import type { BankStats, DoctorReport } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { createProgressBar } from '../progress.ts'
import { counted } from '../render/layout.ts'
import type { Paint } from '../render/paint.ts'
import { printable } from '../render/printable.ts'
import { bytes, table } from '../render/table.ts'

export function registerCare(program: Command, context: CliContext): void {
  command(program, 'stats', 'count what the bank holds', 'prolepsis stats').action(
    async (options: CommonOptions) => {
      const stats = await context.withMemory(options, (memory) => memory.stats())
      await context.result(options, stats, renderStats(stats))
    },
  )

  command(
    program,
    'doctor',
    'check that text, vectors and words agree; mend what can be mended',
    'prolepsis doctor --mend',
  )
    .option('--mend', 'mend what can be mended')
    .action(async (options: CommonOptions & { mend?: boolean }) => {
      const report = await context.withMemory(options, (memory) =>
        memory.doctor({ mend: options.mend === true }),
      )
      await context.result(options, report, renderDoctor(report, context.paint))
      if (!report.clean) {
        const hints = report.findings.flatMap(({ hint }) => hint ?? [])
        await context.failed('The bank is not clean.', [...new Set(hints)].join(' '))
      }
    })

  command(
    program,
    'rebuild-index',
    'derive chunks, cues, vectors and words anew from the texts',
    'prolepsis rebuild-index',
  )
    .option(
      '--reembed',
      'embed every text again; moves the bank to the embedding model that is configured now, at once and for good (embedder migrate does it with a look and a way back)',
    )
    .action(async (options: CommonOptions & { reembed?: boolean }) => {
      const bar = await createProgressBar(context.io, 'rebuild')
      const result = await context.withMemory(options, async (memory) => {
        try {
          return await memory.rebuildIndex({
            reembed: options.reembed === true,
            signal: context.io.signal,
            onProgress: (done, total) => bar.update(done, total, ''),
          })
        } finally {
          bar.stop()
        }
      })
      await context.result(
        options,
        result,
        `Rebuilt ${counted(result.documents, 'document')}, ${counted(result.chunks, 'chunk')}.`,
      )
    })
}

function renderStats(stats: BankStats): string {
  const { bank, documents } = stats
  const rows: (string | number)[][] = [
    ['bank', bank.name],
    ['language', bank.language],
    ['embedding model', `${bank.modelId}, ${bank.dimension} dimensions`],
    [
      'documents',
      `${documents.current} current, ${documents.superseded} superseded, ${documents.deleted} deleted`,
    ],
    ['text', bytes(stats.textBytes)],
    ['chunks', String(stats.chunks)],
    ...Object.entries(stats.cues).map(([kind, count]) => [`cues, ${kind}`, String(count)]),
    ...Object.entries(stats.vectors).map(([kind, count]) => [`vectors, ${kind}`, String(count)]),
    ['terms', String(stats.terms)],
    ['postings', String(stats.postings)],
    ['receipts', String(stats.receipts)],
    ...Object.entries(stats.jobs)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => [`jobs, ${state}`, String(count)]),
    ...lastDayRows(stats.lastDay),
    ...stats.modelUsage.map(({ modelId, purpose, calls, inputTokens, outputTokens, costUsd }) => [
      `today (UTC), ${modelId}, ${purpose}`,
      `${counted(calls, 'call')}, ${inputTokens} tokens in, ${outputTokens} out, $${costUsd.toFixed(4)}`,
    ]),
    ...Object.entries(stats.byFormat).map(([format, count]) => [`documents, ${format}`, String(count)]),
    ...Object.entries(stats.store).map(([name, value]) => [
      `store, ${name}`,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  ]
  return table(['what', 'value'], rows)
}

function lastDayRows(counts: BankStats['lastDay']): string[][] {
  const { recalls, retains, answers, errors, modelCalls, modelErrors, fallbacks, fallbackRate } = counts
  const listed = (counted: Readonly<Record<string, number>>): string =>
    Object.entries(counted)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none'
  const share = fallbackRate === null ? '' : ` (${(100 * fallbackRate).toFixed(1)} %)`
  return [
    [
      'last 24 h',
      `${counted(retains, 'retain')}, ${counted(recalls, 'recall')}, ${counted(answers, 'answer')}`,
    ],
    ['last 24 h, errors', String(errors)],
    [
      'last 24 h, model calls',
      `${modelCalls}, ${modelErrors} failed; ${counts.modelTokens} tokens, $${counts.costUsd.toFixed(4)}`,
    ],
    ['last 24 h, formulated by', listed(counts.formulated)],
    ['last 24 h, rules stood in for the model', listed(counts.standIns)],
    ['last 24 h, formulated by rules for an unreadable reply', `${fallbacks}${share}`],
  ]
}

function renderDoctor(report: DoctorReport, paint: Paint): string {
  const lines = report.findings.flatMap((finding) => {
    const mark = finding.ok ? paint.good('ok  ') : finding.mended ? paint.accent('mend') : paint.bad('FAIL')
    const head = `${mark}  ${finding.check}${finding.count === 0 ? '' : ` (${finding.count})`}: ${printable(finding.detail)}`
    const named = finding.documents.map(printable).join(', ')
    return [head, ...(named === '' ? [] : [`      in ${named}`])]
  })
  return [...lines, '', report.clean ? paint.good('Clean.') : paint.bad('Not clean.')].join('\n')
}
