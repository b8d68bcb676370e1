import { plainLine, quotedLines } from '../domain/quoted-lines.ts'
import type { HistoryMessage } from '../domain/recall.ts'
import type { Evidence } from './evidence.ts'

/** The last messages of a conversation are what a question leans on. */
const SHOWN_MESSAGES = 6
const SHOWN_CHARACTERS = 1_000

/**
 * Evidence as numbered blocks of a prompt. Each stored line is quoted, so that no text can close its block or pose as another; headings are
 * ours, on one line.
 */
export function evidenceBlock(evidence: readonly Evidence[]): string {
  return evidence
    .map((one) => `<passage ${heading(one)}>\n${quotedLines(one.text)}\n</passage ${one.id}>`)
    .join('\n\n')
}

function heading(one: Evidence): string {
  const facts = [
    String(one.id),
    `from ${fact(one.ref)}`,
    ...(one.label === null ? [] : [fact(one.label)]),
    ...(one.speaker === null ? [] : [`said by ${fact(one.speaker)}`]),
    ...(one.occurredAt === null ? [] : [one.occurredAt.toISOString().slice(0, 10)]),
    `trust: ${one.trust}${one.trust === 'web' ? ' (unverified)' : ''}`,
  ]
  return facts.join(' | ')
}

/** A bar parts the facts of a heading: a stored one would add facts of its own. */
function fact(text: string): string {
  return plainLine(text.replaceAll('|', ' '), 160)
}

/** The question, with the conversation before it; day is the date of asking. */
export function questionBlock(
  question: string,
  history: readonly HistoryMessage[],
  day: string,
  also: readonly string[] = [],
): string {
  const before = history.slice(-SHOWN_MESSAGES).map(({ role, content }) => {
    const said = content.length > SHOWN_CHARACTERS ? `${content.slice(0, SHOWN_CHARACTERS)}…` : content
    return quotedLines(`${plainLine(role, 40)}: ${said}`)
  })
  const others = also.filter((query) => query !== question)
  return [
    ...(before.length === 0 ? [] : [`The conversation before:\n${before.join('\n')}`]),
    `The question, asked on ${day}:\n${quotedLines(question)}`,
    ...(others.length === 0
      ? []
      : [`In other words:\n${others.map((query) => quotedLines(query)).join('\n')}`]),
  ].join('\n\n')
}
