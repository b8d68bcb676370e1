import { extname, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type {
  DraftedEvaluation,
  EvaluateOptions,
  FormulatorChoice,
  Fusion,
  RecallMode,
} from '../../../index.ts'
import { FORMULATOR_CHOICES, FUSIONS, RECALL_MODES } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { readFileLines } from '../files.ts'
import { isTerminal, write } from '../io.ts'
import { defined, positiveNumber, wholeNumber } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import { renderEvaluation } from '../render/evaluation.ts'
import { counted } from '../render/layout.ts'
import { jsonLine, printable } from '../render/printable.ts'
import { writeLines } from '../write-target.ts'

interface RunOptions extends CommonOptions {
  readonly k?: readonly number[]
  readonly ablate?: boolean
  readonly mode?: RecallMode
  readonly fusion?: Fusion
  readonly formulator?: FormulatorChoice
  readonly rerank?: boolean
}

interface MakeOptions extends CommonOptions {
  readonly n?: number
  readonly seed?: number
  readonly out?: string
  readonly force?: boolean
}

export function registerEval(program: Command, context: CliContext): void {
  const group = program.command('eval').description('measure recall on questions whose sources are known')

  const run = command(
    group,
    'run',
    'measure recall on a file of questions; `eval FILE` for short',
    'prolepsis eval run questions.md --k 5,10 --ablate',
    { isDefault: true },
  )
    .argument('<file>', 'JSON lines or Markdown, see docs/library.md; - reads standard input')
    .option('--k <numbers>', 'the k of any@k and recall@k, with commas; 5,10,20 unless given', numbers)
    .option('--ablate', 'measure recall without each channel too')
    .option('--rerank', 'let the reranking model order the best 30 anew')
  run
    .addOption(run.createOption('--mode <mode>', 'which channels').choices(RECALL_MODES))
    .addOption(run.createOption('--fusion <fusion>', 'how channels are joined').choices(FUSIONS))
    .addOption(
      run
        .createOption('--formulator <who>', 'who makes stand-alone questions of a question')
        .choices(FORMULATOR_CHOICES),
    )
    .action(async (file: string, options: RunOptions) => {
      const { parseEvaluation } = await import('../../../index.ts')
      const lines: string[] = []
      for await (const line of readFileLines(file, context.io)) lines.push(line)
      const cases = parseEvaluation(lines.join('\n'))
      const { mode, fusion, formulator, rerank } = options
      const bar = await createProgressBar(context.io, 'evaluate')
      const report = await context.withMemory(options, async (memory) => {
        const evaluateOptions: EvaluateOptions = {
          ...defined({ ks: options.k, ablate: options.ablate }),
          recall: defined({ mode, fusion, formulator, rerank }),
          signal: context.io.signal,
          onProgress: (done, total) => bar.update(done, total, ''),
        }
        try {
          return await memory.evaluate(cases, evaluateOptions)
        } finally {
          bar.stop()
        }
      })
      await context.result(options, report, renderEvaluation(report, context.paint))
    })

  command(
    group,
    'make',
    'draft a file of questions from the bank, for a person to edit: by the language model, else by rules (easy ones)',
    'prolepsis eval make --n 50 --out questions.md',
  )
    .option('--n <number>', 'how many questions, 50 unless given', positiveNumber)
    .option('--seed <number>', 'the same seed takes the same chunks; 1 unless given', wholeNumber)
    .option('--out <file>', 'a new file; JSON lines, or Markdown when it ends with .md')
    .option('--force', 'replace the file when it exists')
    .action(async (options: MakeOptions) => {
      const bar = await createProgressBar(context.io, 'draft')
      const drafted = await context.withMemory(options, async (memory) => {
        try {
          return await memory.draftEvaluation({
            ...defined({ count: options.n, seed: options.seed }),
            signal: context.io.signal,
            onProgress: (done, total) => bar.update(done, total, ''),
          })
        } finally {
          bar.stop()
        }
      })
      await context.note(noteOf(drafted))
      await printDraft(drafted, options, context)
    })
}

async function printDraft(
  drafted: DraftedEvaluation,
  options: MakeOptions,
  context: CliContext,
): Promise<void> {
  const { evaluationJsonLines, evaluationMarkdown } = await import('../../../index.ts')
  const { out } = options
  const { stdout, cwd } = context.io
  const onTerminal = isTerminal(stdout)
  if (out === undefined) {
    if (options.json === true)
      for (const one of drafted.cases) await write(stdout, `${jsonLine(one, onTerminal)}\n`)
    else
      for (const line of evaluationMarkdown(drafted))
        await write(stdout, `${onTerminal ? printable(line) : line}\n`)
    return
  }
  const lines =
    extname(out).toLowerCase() === '.md' ? evaluationMarkdown(drafted) : evaluationJsonLines(drafted)
  await writeLines(out, eachOf(lines), context.io, options.force === true)
  const { by, dropped, cost, cases, traceId } = drafted
  await context.result(
    options,
    { file: resolve(cwd, out), cases: cases.length, dropped, by, cost, traceId },
    `Drafted ${counted(cases.length, 'question')} into ${out}.`,
  )
}

async function* eachOf(lines: Iterable<string>): AsyncGenerator<string> {
  yield* lines
}

function noteOf({ by, dropped, cost }: DraftedEvaluation): string {
  const without = dropped === 0 ? '' : ` No fit question came for ${counted(dropped, 'chunk')}.`
  return by === 'rules'
    ? `Drafted by rules, from the chunks’ own cues: easy questions, on which recall looks better than it is.${without}`
    : `Drafted by the language model: ${counted(cost.calls, 'call')}, ${cost.inputTokens} + ${cost.outputTokens} tokens, $${cost.costUsd.toFixed(4)}.${without}`
}

/** `5,10,20`. */
function numbers(value: string): number[] {
  const parts = value.split(',').map((part) => part.trim())
  if (!parts.every((part) => /^\d+$/.test(part)))
    throw new InvalidArgumentError('Whole numbers with commas are expected: 5,10,20.')
  return parts.map(Number)
}
