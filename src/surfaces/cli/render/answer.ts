import type {
  AnswerSentence,
  AskAllEstimate,
  Citation,
  DroppedSentence,
  ModelSpending,
} from '../../../index.ts'
import { counted, layOut } from './layout.ts'
import type { Paint } from './paint.ts'
import { printable } from './printable.ts'
import { day } from './table.ts'

export const NOT_IN_MEMORY = 'Not in memory.'

export interface AnswerStyle {
  readonly paint: Paint
  /** Of the terminal; null writes lines as long as they are. */
  readonly columns: number | null
}

/** Numbers sources in the order in which sentences cite them, also while sentences still come. */
export interface AnswerWriter {
  /** The sentence with its marks: `Kelly was born in 1990. [1][2]`. */
  sentence(sentence: AnswerSentence): string
  /** One line a source: mark, source and lines, date, ref. */
  sources(): string[]
}

export function createAnswerWriter({ paint, columns }: AnswerStyle): AnswerWriter {
  const numbers = new Map<string, number>()
  const cited: Citation[] = []
  const mark = (citation: Citation): number => {
    // one number a passage, whatever part of it is quoted
    const known = numbers.get(citation.ref)
    if (known !== undefined) return known
    cited.push(citation)
    numbers.set(citation.ref, cited.length)
    return cited.length
  }
  return {
    sentence({ text, citations, support }) {
      const marks = [...new Set(citations.map(mark))].map((number) => `[${number}]`).join('')
      const doubt = support === 'located' ? ' (unchecked)' : ''
      return `${printable(text)}${doubt} ${paint.accent(marks)}`
    },
    sources: () =>
      cited.flatMap(({ ref, source, span, occurredAt, trust }, i) => {
        const lines = `${span.startLine}${span.endLine > span.startLine ? `-${span.endLine}` : ''}`
        const facts = [day(occurredAt), ref, trust === 'web' ? 'web, unverified' : '']
          .filter((fact) => fact !== null && fact !== '')
          .map((fact) => printable(fact ?? ''))
        const line = `[${i + 1}] ${printable(source)}:${lines}  ${paint.faint(facts.join(' · '))}`
        return layOut(line, '', columns)
      }),
  }
}

/** An answer as a whole, for a person: the sentences, then the sources. */
export function renderAnswer(
  sentences: readonly AnswerSentence[],
  form: 'running' | 'list',
  style: AnswerStyle,
): string {
  if (sentences.length === 0) return NOT_IN_MEMORY
  const writer = createAnswerWriter(style)
  const said = sentences.map(writer.sentence)
  const body =
    form === 'running'
      ? layOut(said.join(' '), '', style.columns)
      : said.flatMap((one) => layOut(`- ${one}`, '', style.columns))
  return [...body, '', ...writer.sources()].join('\n')
}

/** What the checks took out, for a person who asks why. */
export function renderDropped(dropped: readonly DroppedSentence[]): string[] {
  return dropped.map(({ text, why }) => `left out (${why}): ${printable(text)}`)
}

/** What reading everything takes. */
export function renderEstimate(estimate: AskAllEstimate): string {
  const { documents, chunks, textTokens, calls, inputTokens, outputTokens, costUsd } = estimate
  const cost =
    costUsd === null ? 'price unknown (set input_price and output_price)' : `about ${money(costUsd)}`
  return `${counted(documents, 'document')}, ${counted(chunks, 'chunk')}, ${whole(textTokens)} tokens of text: about ${counted(calls, 'call')}, ${whole(inputTokens)} tokens in, ${whole(outputTokens)} out; ${cost}.`
}

export function renderSpending({ calls, inputTokens, outputTokens, costUsd }: ModelSpending): string {
  const cost = costUsd === null ? '' : `, ${money(costUsd)}`
  return `${counted(calls, 'call')}, ${whole(inputTokens)} tokens in, ${whole(outputTokens)} out${cost}`
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}

function money(usd: number): string {
  return `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`
}
