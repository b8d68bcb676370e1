import { type Node, parseTree } from 'jsonc-parser'
import { timeOfValue } from './chat-time.ts'
import { keepable, speakerOfRole, type Turn, type TurnList, takeCaption } from './chat-turn.ts'
import { tooLargeToParse } from './key-units.ts'
import { createOffsetRecorder, type OffsetRecorder } from './said-offsets.ts'

const SPEAKER_KEYS = ['speaker', 'name', 'author', 'from', 'sender', 'role']
const CONTENT_KEYS = ['content', 'text', 'message', 'body']
const TIME_KEYS = [
  'time',
  'timestamp',
  'at',
  'date',
  'datetime',
  'created_at',
  'createdAt',
  'create_time',
  'ts',
]
const CAPTION_KEYS = ['caption', 'blip_caption', 'image_caption']
/** Lines looked at to tell whether a file of JSON lines is a conversation. */
const SAMPLE_LINES = 50
const MESSAGE_PART = 0.8

interface Line {
  readonly start: number
  /** With its line break. */
  readonly end: number
}

/** Turns of a log in JSON lines, or null when its first line is no JSON object. */
export function parseJsonTurns(text: string): TurnList | null {
  if (!/^[\s\uFEFF]*\{/.test(text)) return null
  const turns: Turn[] = []
  let strange = 0
  for (const line of linesOf(text)) {
    const turn = readMessage(text, line)
    if (turn === null && turns.length === 0) return null
    if (turn === null) strange++
    turns.push(turn ?? record(text, line))
  }
  const notes = strange === 0 ? [] : [`${strange} lines of the log are no messages: kept as they are`]
  return { turns, notes }
}

/** Whether nearly all of the first lines are messages, of speakers who come back or of two. */
export function looksLikeJsonChat(text: string): boolean {
  if (!/^[\s\uFEFF]*\{/.test(text)) return false
  let seen = 0
  let messages = 0
  const speakers = new Set<string | null>()
  for (const line of linesOf(text)) {
    const turn = readMessage(text, line)
    if (turn !== null) {
      messages++
      speakers.add(turn.speaker)
    }
    seen++
    if (seen === SAMPLE_LINES || (seen === 3 && messages === 0)) break
  }
  return messages > 0 && messages >= seen * MESSAGE_PART && speakers.size <= Math.max(2, messages / 2)
}

function* linesOf(text: string): Generator<Line> {
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at)
    const end = found === -1 ? text.length : found + 1
    if (text.slice(at, end).trim() !== '') yield { start: at, end }
    at = end
  }
}

function record(text: string, line: Line): Turn {
  const raw = text.slice(line.start, line.end)
  const lead = raw.length - raw.trimStart().length
  return {
    ...line,
    speaker: null,
    occurredAt: null,
    content: raw.trim(),
    contentAt: line.start + lead,
    caption: null,
  }
}

function readMessage(text: string, line: Line): Turn | null {
  const raw = text.slice(line.start, line.end).replace(/^\uFEFF/, ' ')
  const root = parseStrictly(raw)
  if (root === null) return null
  // Some logs wrap the message: {"type":"user","message":{"role":…,"content":…},"timestamp":…}
  const wrapped = field(root, ['message'])
  const message = wrapped?.type === 'object' ? wrapped : root
  const speaker = speakerOf(message) ?? speakerOf(root)
  const body = field(message, CONTENT_KEYS)
  const parts = body === null ? null : textParts(body)
  if (speaker === null || parts === null) return null
  const said = decode(raw, parts, line.start)
  const trimmedStart = said.content.trimStart()
  const lead = said.content.length - trimmedStart.length
  const { rest, caption } = takeCaption(trimmedStart)
  const named = field(message, CAPTION_KEYS)
  return {
    ...line,
    speaker,
    occurredAt: timeOfValue((field(message, TIME_KEYS) ?? field(root, TIME_KEYS))?.value),
    ...placed(text, said, rest, lead, line.end),
    caption:
      typeof named?.value === 'string' && named.value.trim() !== '' ? keepable(named.value.trim()) : caption,
  }
}

/** The content where it stands in the text, when it stands there as it is. */
function placed(
  text: string,
  said: Said,
  content: string,
  lead: number,
  end: number,
): Pick<Turn, 'content' | 'contentAt'> {
  if (said.verbatimAt === null) {
    return { content, contentAt: said.recorder.offsets(lead, lead + content.length, end) }
  }
  const contentAt = said.verbatimAt + lead
  return { content: text.slice(contentAt, contentAt + content.length), contentAt }
}

function parseStrictly(raw: string): Node | null {
  if (tooLargeToParse(raw)) return null
  const errors: { error: number; offset: number; length: number }[] = []
  try {
    const root = parseTree(raw, errors)
    return errors.length === 0 && root?.type === 'object' ? root : null
  } catch (cause) {
    // nested too deep for the parser's stack: no message of anybody
    if (cause instanceof RangeError) return null
    throw cause
  }
}

function field(object: Node, names: readonly string[]): Node | null {
  for (const name of names) {
    for (const property of object.children ?? []) {
      const [key, value] = property.children ?? []
      if (key?.value === name && value !== undefined && value.type !== 'null') return value
    }
  }
  return null
}

function speakerOf(message: Node): string | null {
  for (const key of SPEAKER_KEYS) {
    const found = field(message, [key])
    const node = found?.type === 'object' ? field(found, ['name', 'role']) : found
    if (typeof node?.value === 'string' && node.value.trim() !== '') {
      const name = keepable(node.value.trim())
      return key === 'role' || key === 'author' || key === 'from' ? speakerOfRole(name) : name
    }
  }
  return null
}

/** The strings of a message's content: itself, or its text parts; null when it has none. */
function textParts(body: Node): readonly Node[] | null {
  if (body.type === 'string') return [body]
  if (body.type === 'object') {
    const inner = field(body, ['parts', 'text', 'content'])
    return inner === null ? null : textParts(inner)
  }
  if (body.type !== 'array') return null
  const parts = (body.children ?? []).flatMap((part) => {
    if (part.type === 'string') return [part]
    const inner = part.type === 'object' ? field(part, ['text']) : null
    return inner?.type === 'string' ? [inner] : []
  })
  return parts.length === 0 ? null : parts
}

interface Said {
  readonly content: string
  /** Where the content begins in the document when it is one string without an escape, else null. */
  readonly verbatimAt: number | null
  readonly recorder: OffsetRecorder
}

/** What the strings say, joined by line breaks, with each character's offset in the document. */
function decode(raw: string, parts: readonly Node[], lineStart: number): Said {
  const recorder = createOffsetRecorder()
  const [only] = parts
  if (parts.length === 1 && only !== undefined) {
    const content = String(only.value)
    if (raw.startsWith(content, only.offset + 1) && content.length === only.length - 2) {
      return { content: keepable(content), verbatimAt: lineStart + only.offset + 1, recorder }
    }
  }
  const words: string[] = []
  for (const part of parts) {
    const end = part.offset + part.length - 1
    if (words.length > 0) recorder.add(lineStart + part.offset)
    for (let at = part.offset + 1; at < end; ) {
      recorder.add(lineStart + at)
      at += raw[at] !== '\\' ? 1 : raw[at + 1] === 'u' ? 6 : 2
    }
    words.push(keepable(String(part.value)))
  }
  return { content: words.join('\n'), verbatimAt: null, recorder }
}
