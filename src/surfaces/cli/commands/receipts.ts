import type { Command } from 'commander'
import type { Explanation } from '../../../index.ts'
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
    '',
  ]
  for (const passage of explanation.passages) {
    lines.push(
      `${passage.rank}. ${printable(passage.ref)}  score ${passage.score.toFixed(3)}`,
      `   ${parts(passage.parts.features, explanation.weights)}`,
    )
  }
  for (const missing of explanation.whyNot) {
    const rank = missing.rank === null ? '' : ` (rank ${missing.rank})`
    lines.push('', `not ${printable(missing.ref)}: ${missing.stage}${rank}: ${printable(missing.reason)}`)
    if (missing.parts !== null) lines.push(`   ${parts(missing.parts.features, explanation.weights)}`)
  }
  return lines.join('\n')
}

/** Features by how much they moved the score, largest first. */
function parts(
  features: Readonly<Record<string, number>>,
  weights: Readonly<Record<string, number>>,
): string {
  return Object.entries(features)
    .map(([name, value]) => ({ name, value, share: value * (weights[name] ?? 0) }))
    .filter(({ share }) => Math.abs(share) >= 0.005)
    .sort((a, b) => Math.abs(b.share) - Math.abs(a.share))
    .map(
      ({ name, value, share }) => `${name} ${value.toFixed(2)} (${share >= 0 ? '+' : ''}${share.toFixed(2)})`,
    )
    .join(', ')
}
