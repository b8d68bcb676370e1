import { findRelativeTimes } from '../../domain/analysis/relative-dates.ts'
import { plainLine, quotedLines } from '../../domain/quoted-lines.ts'
import type { HistoryMessage } from '../../domain/recall.ts'

/** Estimated tokens that a model is shown: of the message, of any one message before it, of all of those together. */
export const SHOWN_TOKENS: { readonly message: number; readonly before: number; readonly history: number } = {
  message: 2_000,
  before: 600,
  history: 2_000,
}

/** Messages that carry no talk: instructions of the host and output of tools. */
const SILENT_ROLES: ReadonlySet<string> = new Set(['system', 'tool', 'function', 'developer'])
/** Relative times are looked for in so much of a message, from each end. */
const SCANNED_LENGTH = 4_000

/**
 * The message and the conversation before it as a prompt: each line quoted, the latest messages first to be taken, too long ones by start
 * and end. Today's date is told only where the message names a time by it, so that the same message is the same prompt tomorrow.
 */
export function conversationPrompt(
  message: string,
  history: readonly HistoryMessage[],
  now: Date,
): { readonly prompt: string; readonly notes: readonly string[] } {
  const shown = shortened(message.trim(), SHOWN_TOKENS.message)
  const edges = `${message.slice(0, SCANNED_LENGTH)}\n${message.slice(SCANNED_LENGTH).slice(-SCANNED_LENGTH)}`
  const isDated = findRelativeTimes(edges, now).length > 0
  const parts = [
    ...(isDated ? [`Today is ${now.toISOString().slice(0, 10)}.`] : []),
    ...block('conversation', recentMessages(history)),
    ...block('message', [quotedLines(shown)]),
  ]
  const notes =
    shown.length < message.trim().length
      ? ['formulate: the model was shown start and end of the message']
      : []
  return { prompt: parts.join('\n\n'), notes }
}

function block(name: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`<${name}>\n${texts.join('\n')}\n</${name}>`]
}

function recentMessages(history: readonly HistoryMessage[]): string[] {
  const taken: string[] = []
  let room = SHOWN_TOKENS.history
  for (let at = history.length - 1; at >= 0; at--) {
    const { role, content } = history[at] ?? { role: '', content: '' }
    const text = content.trim()
    if (text === '' || SILENT_ROLES.has(role.trim().toLowerCase())) continue
    const shown = `${plainLine(role, 40) || 'someone'}:\n${quotedLines(shortened(text, SHOWN_TOKENS.before))}`
    // and the line break behind it
    room -= estimatedTokens(shown) + 1
    if (room < 0) break
    taken.unshift(shown)
  }
  return taken
}

/** What a character costs in tokens, by and large, whatever the model: a quarter in Latin letters, one in Chinese. */
function costOf(unit: number): number {
  if (unit === 10) return 1
  if (unit < 0x80) return 0.25
  return unit < 0x2e80 ? 0.5 : 1
}

export function estimatedTokens(text: string): number {
  let cost = 0
  for (let i = 0; i < text.length; i++) cost += costOf(text.charCodeAt(i))
  return Math.ceil(cost)
}

/** The text whole, or its start and end with a mark between; never half a surrogate pair. */
function shortened(text: string, tokens: number): string {
  const whole = reach(text, 0, 1, tokens)
  if (whole === text.length) return text
  const start = text.slice(0, reach(text, 0, 1, tokens / 2)).replace(/[\ud800-\udbff]$/, '')
  const end = text.slice(-reach(text, text.length - 1, -1, tokens / 2)).replace(/^[\udc00-\udfff]/, '')
  return `${start} … ${end}`
}

/** How many characters from a place on cost no more than so many tokens. */
function reach(text: string, from: number, step: 1 | -1, tokens: number): number {
  let cost = 0
  let count = 0
  for (let i = from; i >= 0 && i < text.length; i += step) {
    cost += costOf(text.charCodeAt(i))
    if (cost > tokens) break
    count++
  }
  return count
}
