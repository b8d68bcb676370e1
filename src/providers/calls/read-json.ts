import { jsonrepair } from 'jsonrepair'
import { closeCut, scanJson } from './scan-json.ts'

/** Why a reply is not what was asked for: nothing in it, no JSON in it, JSON past repair, JSON of another form. */
export type ReplyErrorKind = 'empty' | 'prose' | 'malformed' | 'schema'

export type JsonReading =
  | { readonly values: readonly [unknown, ...unknown[]] }
  | { readonly errorKind: Exclude<ReplyErrorKind, 'schema'> }

/**
 * JSON values that a model's reply may mean, likeliest first: the whole reply; whole objects and arrays in it, the longest first; a cut one,
 * closed after its last whole item; what can be repaired (trailing commas, single quotes, comments, missing brackets). Thinking, fences and
 * prose around are passed over, and so is what the reply repeats of `prompts`. Never throws.
 */
export function readJson(reply: string, prompts: readonly string[] = []): JsonReading {
  const spoken = withoutThinking(reply).trim()
  const text = withoutPrompts(spoken, prompts).trim()
  // the whole reply may speak of thinking, or of the prompt, inside its strings
  const values = [...parsed(reply, JSON.parse), ...parsed(text, JSON.parse)]
  if (text === '' && values.length === 0) return { errorKind: spoken === '' ? 'empty' : 'prose' }
  const { whole, cut, brackets } = jsonIn(text)
  const found = whole.flatMap((source) => parsed(source, JSON.parse).map((value) => ({ source, value })))
  values.push(...found.toSorted((a, b) => b.source.length - a.source.length).map(({ value }) => value))
  values.push(...cut.flatMap((source) => parsed(source, JSON.parse)))
  // one value a line, or one after the other
  if (found.length > 1) values.push(found.map(({ value }) => value))
  for (const source of brackets.slice(0, 4).flatMap((start) => repairable(text, start))) {
    values.push(...parsed(source, (broken) => JSON.parse(jsonrepair(broken))).filter(isContainer))
  }
  const [first, ...others] = values
  // JSON has no undefined: there is no first
  if (first !== undefined) return { values: [first, ...others] }
  return { errorKind: brackets.length > 0 ? 'malformed' : 'prose' }
}

function parsed(source: string, parse: (source: string) => unknown): unknown[] {
  try {
    return [parse(source)]
  } catch {
    // no JSON: another reading is tried
    return []
  }
}

/** What begins there, to the last closing bracket, and to the end. */
function repairable(text: string, start: number): string[] {
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1
  return [...(last > start && last < text.length ? [text.slice(start, last)] : []), text.slice(start)]
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

/** Text before and between thinking that a model wrote into its reply; thinking that never ends is all there is. */
export function withoutThinking(reply: string): string {
  const closed = reply.replaceAll(/<(think|thinking|reasoning)>[\s\S]*?<\/\1>/gi, '')
  // the opening tag is often part of the chat template and not of the reply
  const end = /^[\s\S]*<\/(?:think|thinking|reasoning)>/i.exec(closed)
  const rest = end === null ? closed : closed.slice(end[0].length)
  const open = /^\s*<(?:think|thinking|reasoning)>/i.exec(rest)
  return open === null ? rest : ''
}

/** A prompt that is repeated word for word, or from its start on, is no reply; short ones may be quoted. */
const LEAST_ECHO = 40

function withoutPrompts(reply: string, prompts: readonly string[]): string {
  let text = reply
  for (const prompt of prompts.map((some) => some.trim()).filter((some) => some.length >= LEAST_ECHO)) {
    const at = text.indexOf(prompt.slice(0, LEAST_ECHO))
    if (at < 0) continue
    let end = 0
    while (end < prompt.length && prompt[end] === text[at + end]) end++
    text = text.slice(0, at) + text.slice(at + end)
  }
  return text
}

/** Characters that may be looked at more than once, for each character of the text: many brackets that are none cost no more. */
const MOST_RESCANS = 16

function jsonIn(text: string): { whole: string[]; cut: string[]; brackets: number[] } {
  const whole: string[] = []
  const cut: string[] = []
  const brackets: number[] = []
  const opening = /[{[]/g
  let work = MOST_RESCANS * text.length + 10_000
  for (let found = opening.exec(text); found !== null && work > 0; found = opening.exec(text)) {
    const end = scanJson(text, found.index)
    if (typeof end === 'number') {
      whole.push(text.slice(found.index, end))
      opening.lastIndex = end
      continue
    }
    brackets.push(found.index)
    if (end === null) continue
    work -= text.length - found.index
    if (cut.length === 0) cut.push(...closeCut(text, found.index, end).slice(0, 8))
  }
  return { whole, cut, brackets }
}
