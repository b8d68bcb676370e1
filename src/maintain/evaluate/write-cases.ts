import { isProlepsisError } from '../../domain/errors.ts'
import type { DraftedEvaluation, EvaluationCase, Expectation } from '../../domain/evaluation.ts'
import { parseEvaluation } from './read-cases.ts'

/** What a drafted file says of itself, so that nobody takes its figures for more than they are. */
function noteOf({ by, cases, cost }: DraftedEvaluation): readonly string[] {
  return [
    `${cases.length} question${cases.length === 1 ? '' : 's'} drafted ${by === 'model' ? 'by a model' : 'by rules'} from the bank's own chunks. Edit them: what people ask is worded otherwise, and often needs more than one place.`,
    ...(by === 'rules'
      ? [
          'They are made of the chunks’ own cues, so they are EASY: recall looks far better on them than on what people ask.',
        ]
      : [
          `It took ${cost.calls} model call${cost.calls === 1 ? '' : 's'}, ${cost.inputTokens + cost.outputTokens} tokens.`,
        ]),
  ]
}

/** A drafted file as Markdown that `parseEvaluation` reads; a note counts the cases that this form cannot hold (JSON lines can). */
export function* markdownLines(drafted: DraftedEvaluation): Generator<string> {
  const blocks = drafted.cases.map(blockOf)
  const held = blocks.filter((block, at) => isHeld(block, drafted.cases[at]!))
  yield '# Questions with what they should bring back'
  yield ''
  for (const line of noteOf(drafted)) yield line
  const lost = blocks.length - held.length
  if (lost > 0)
    yield `${lost} cases are left out: Markdown cannot hold their sources or texts. JSON lines can.`
  for (const block of held) yield* ['', ...block]
}

function blockOf({ id, question, expect, class: name, answer }: EvaluationCase): readonly string[] {
  return [
    `## ${id ?? ''}${name === undefined ? '' : ` | ${name}`}`,
    oneLine(question),
    ...expect.map((one) => `expect: ${expectationText(one)}`),
    ...(answer === undefined ? [] : [`answer: ${oneLine(answer)}`]),
  ]
}

/** Whether a block reads back as its case, white space aside. */
function isHeld(block: readonly string[], one: EvaluationCase): boolean {
  try {
    const [read] = parseEvaluation(block.join('\n'))
    return oneLine(JSON.stringify(read)) === oneLine(JSON.stringify(spaced(one)))
  } catch (error) {
    if (isProlepsisError(error) && error.code === 'EVAL_INVALID') return false
    throw error
  }
}

/** The case with its members in the order of a reader, each text on one line. */
function spaced({ id, question, expect, class: name, answer }: EvaluationCase): EvaluationCase {
  return {
    ...(id === undefined ? {} : { id }),
    question: oneLine(question),
    expect: expect.map(({ source, ref, passage }) => ({
      source,
      ...(ref === undefined ? {} : { ref }),
      ...(passage === undefined ? {} : { passage: oneLine(passage) }),
    })),
    ...(name === undefined ? {} : { class: name }),
    ...(answer === undefined ? {} : { answer: oneLine(answer) }),
  }
}

/** The same as JSON lines, behind comments. */
export function* jsonLines(drafted: DraftedEvaluation): Generator<string> {
  for (const line of noteOf(drafted)) yield `# ${line}`
  for (const one of drafted.cases) yield JSON.stringify(one satisfies EvaluationCase)
}

function expectationText({ source, ref, passage }: Expectation): string {
  return `${ref ?? source}${passage === undefined ? '' : ` "${oneLine(passage)}"`}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
