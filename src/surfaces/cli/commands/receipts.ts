import type { Command } from 'commander'
import type { Explanation, ScoreParts } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { collect, defined } from '../options.ts'
import { printable } from '../render/printable.ts'

interface FeedbackOptions extends CommonOptions {
  readonly used?: readonly string[]
  readonly cited?: readonly string[]
  readonly helpful?: readonly string[]
  readonly unhelpful?: readonly string[]
}

export function registerReceipts(program: Command, context: CliContext): void {
  command(
    program,
    'explain',
    'say why a recall returned what it did, and why not something else',
    'prolepsis explain 0199… --why-not notes.md#4',
  )
    .argument('<receipt>')
    .option(
      '--why-not <ref-or-text>',
      'a ref, or words of a text, that was not returned; repeatable',
      collect,
    )
    .action(async (receipt: string, options: CommonOptions & { whyNot?: readonly string[] }) => {
      const explanation = await context.withMemory(options, (memory) =>
        memory.explain(receipt, defined({ whyNot: options.whyNot })),
      )
      await context.result(options, explanation, renderExplanation(explanation))
    })

  command(
    program,
    'feedback',
    'report what became of a recall: use strengthens, retrieval alone does not',
    'prolepsis feedback 0199… --used notes.md#4',
  )
    .argument('<receipt>')
    .option('--used <ref>', 'was used; repeatable', collect)
    .option('--cited <ref>', 'was cited; repeatable', collect)
    .option('--helpful <ref>', 'helped; repeatable', collect)
    .option('--unhelpful <ref>', 'did not help; repeatable', collect)
    .action(async (receipt: string, options: FeedbackOptions) => {
      const report = defined({
        used: options.used,
        cited: options.cited,
        helpful: options.helpful,
        unhelpful: options.unhelpful,
      })
      await context.withMemory(options, (memory) => memory.feedback(receipt, report))
      await context.result(options, { receipt, ...report }, 'Noted.')
    })
}

function renderExplanation(explanation: Explanation): string {
  const lines = [
    `"${printable(explanation.message)}"`,
    ...explanation.queries.slice(1).map((query) => `  asked as: ${printable(query)}`),
    ...explanation.history.map(
      ({ text, weight }) =>
        `  with what came before (weight ${weight.toFixed(2)}): ${printable(text.slice(0, 200))}`,
    ),
    '',
  ]
  for (const passage of explanation.passages) {
    lines.push(
      `${passage.rank}. ${printable(passage.ref)}  score ${passage.score.toFixed(3)}`,
      `   ${sumOf(passage.parts, explanation)}`,
    )
  }
  for (const missing of explanation.whyNot) {
    const rank = missing.rank === null ? '' : ` (rank ${missing.rank})`
    lines.push('', `not ${printable(missing.ref)}: ${missing.stage}${rank}: ${printable(missing.reason)}`)
    const scored = missing.parts !== null && Object.keys(missing.parts.features).length > 0
    if (missing.parts !== null && scored) lines.push(`   ${sumOf(missing.parts, explanation)}`)
  }
  return lines.join('\n')
}

const signed = (value: number, digits: number): string => `${value >= 0 ? '+' : ''}${value.toFixed(digits)}`

/** What the score is made of, largest first, so that the reader can add it up: parts, the rest, bias, sum, score. */
function sumOf(parts: ScoreParts, { fusion, weights, bias }: Explanation): string {
  const digits = fusion === 'rrf' ? 4 : 2
  const least = 0.5 * 10 ** -digits
  const all =
    fusion === 'rrf'
      ? Object.entries(parts.ranks).map(([name, rank]) => ({
          text: `${name} #${rank}`,
          share: (weights[`rrf_${name}`] ?? 0) / (60 + rank),
        }))
      : Object.entries(parts.features).map(([name, value]) => ({
          text: `${name} ${value.toFixed(2)}`,
          share: value * (weights[name] ?? 0),
        }))
  const shown = all
    .filter(({ share }) => Math.abs(share) >= least)
    .sort((a, b) => Math.abs(b.share) - Math.abs(a.share))
  const sum = all.reduce((total, { share }) => total + share, bias)
  const rounded = (value: number): number => Number(value.toFixed(digits))
  const rest = rounded(
    rounded(sum) - shown.reduce((total, { share }) => total + rounded(share), rounded(bias)),
  )
  return [
    [
      ...shown.map(({ text, share }) => `${text} (${signed(share, digits)})`),
      ...(rest === 0 ? [] : [`small ones and rounding (${signed(rest, digits)})`]),
      ...(bias === 0 ? [] : [`bias (${signed(bias, digits)})`]),
    ].join(', '),
    ` = ${signed(sum, digits)}`,
    ...(fusion === 'learned' ? [`, sigmoid ${parts.fused.toFixed(3)}`] : []),
    ...(parts.lift === 1 ? [] : [`, lifted ×${parts.lift.toFixed(3)} by use`]),
    ...(parts.rerank === null ? [] : [`, reranked ${parts.rerank.toFixed(3)}: its place has the score`]),
    ...(parts.features.asked === 1 ? [", first as the caller's own question"] : []),
  ].join('')
}
