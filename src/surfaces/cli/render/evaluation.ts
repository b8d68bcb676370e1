import type { EvaluationReport, RetrievalFigures } from '../../../index.ts'
import { counted } from './layout.ts'
import type { Paint } from './paint.ts'
import { printable } from './printable.ts'
import { table } from './table.ts'

/** Misses and what is absent that are shown; `--json` has all. */
const MOST_SHOWN = 20

export function renderEvaluation(report: EvaluationReport, paint: Paint): string {
  const { ks, overall, cost } = report
  const figures = figureTable(ks, [
    ['all', overall],
    ...Object.entries(report.byClass).map(([name, of]) => [printable(name), of] as const),
  ])
  const channels = Object.entries(report.byChannel).map(([name, of]) => [name, of] as const)
  const without = Object.entries(report.without).map(([name, of]) => [`without ${name}`, of] as const)
  const money =
    cost.calls === 0
      ? 'no model calls'
      : `${counted(cost.calls, 'model call')}, ${cost.inputTokens} + ${cost.outputTokens} tokens, $${cost.costUsd.toFixed(4)}`
  return [
    figures,
    ...(channels.length === 0 ? [] : ['', 'Each channel alone:', figureTable(ks, channels)]),
    ...(without.length === 0
      ? []
      : ['', 'Recall without a channel:', figureTable(ks, [['as it is', overall], ...without])]),
    '',
    `${report.p50Ms.toFixed(0)} ms a recall (95 %: ${report.p95Ms.toFixed(0)} ms), ${report.tokens.toFixed(0)} tokens a result; ${money}`,
    ...missLines(report, paint),
    ...absentLines(report, paint),
  ].join('\n')
}

function figureTable(ks: readonly number[], rows: readonly (readonly [string, RetrievalFigures])[]): string {
  const columns = [
    ...['', 'cases', ...ks.map((k) => `any@${k}`)],
    ...[...ks.map((k) => `recall@${k}`), 'MRR'],
  ]
  const percent = (share: number | undefined): string => `${(100 * (share ?? 0)).toFixed(1)} %`
  return table(
    columns,
    rows.map(([name, { cases, any, recall, mrr }]) => [
      ...[name, cases, ...ks.map((k) => percent(any[k]))],
      ...[...ks.map((k) => percent(recall[k])), mrr.toFixed(3)],
    ]),
  )
}

function missLines({ cases }: EvaluationReport, paint: Paint): string[] {
  const misses = cases.filter(({ rank, expected }) => rank === null && expected > 0)
  return listed(
    misses.map(({ id, question }) => `  ${paint.bad('miss')}  ${printable(id)}: ${oneLine(question)}`),
    `Missed, ${misses.length}:`,
  )
}

function absentLines({ cases, absent }: EvaluationReport, paint: Paint): string[] {
  const lines = cases.flatMap((one) =>
    one.absent.map(({ source, ref, passage }) => {
      const words = passage === undefined ? '' : ` "${oneLine(passage)}"`
      return `  ${paint.accent('absent')}  ${printable(one.id)}: ${printable(ref ?? source)}${words}`
    }),
  )
  const head = `Not in the bank, so no miss, ${lines.length} (${absent} of ${counted(cases.length, 'case')} left out):`
  return listed(lines, head)
}

function listed(lines: readonly string[], head: string): string[] {
  if (lines.length === 0) return []
  const more = lines.length - MOST_SHOWN
  return ['', head, ...lines.slice(0, MOST_SHOWN), ...(more > 0 ? [`  and ${more} more`] : [])]
}

function oneLine(text: string): string {
  const line = printable(text.replace(/\s+/g, ' ').trim())
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}
