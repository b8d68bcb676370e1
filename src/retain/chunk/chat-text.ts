import { isTimeStamp, numericDateOrder, parseChatTime, type TimeContext } from './chat-time.ts'
import { ROLE_NAMES, type Turn, takeCaption } from './chat-turn.ts'

/** A line that may open a turn. */
interface Header {
  readonly start: number
  readonly contentStart: number
  readonly name: string
  readonly stamp: string | null
}

interface Lines {
  readonly headers: readonly Header[]
  /** Lines that are not blank. */
  readonly lineCount: number
  /** Blocks of lines set apart by blank lines. */
  readonly paragraphCount: number
}

const HEADER_LENGTH = 160
const HEADER =
  /^[ \t]*(?:\[(?<bracket>[^\]\n]{3,48})\][ \t]*(?:-[ \t]*)?|(?<bare>\d[\d:./,\- T\u202f]*\d(?:[ \u202f]?[ap]\.?m\.?)?Z?)(?:[ \t]+[-–])?[ \t]+)?(?:\*\*|__)?(?<name>[\p{L}\p{N}@+~][\p{L}\p{M}\p{N}'’._@+~ -]{0,39}?)(?:\*\*|__)?(?:[ \t]*\((?<paren>[^)\n]{3,40})\))?(?:[::])(?:\*\*|__)?(?=\s|$|[^\x00-\x7f])[ \t]*/iu
const MAX_NAME_WORDS = 4
/** Words that open a line of a form, a letter or a note far more often than a turn. */
const FIELD_NAMES = new Set(
  'note notes warn debug trace fatal verbose warning tip tips info todo fixme important caution danger hint example examples result results summary title subject date time from to cc bcc sent name names age address phone email author version status type description id url link source sources location budget price total step steps goal output input question answer q a pros cons usage see default returns error key value ingredients instructions overview conclusion update edit ps re fwd'.split(
    ' ',
  ),
)
/** A name that opens fewer turns than this part of the most frequent one is a line of somebody's turn. */
const RARE_SPEAKER = 0.2
const ONE_LINE_TURNS = 0.8
const MAX_PREAMBLE_LINES = 3
const ONE_SIDED_WORDS = 10
/** Of the turns of a conversation at least so many ask or exclaim. */
const LIVELY_TURNS = 0.1
const FORM_ORDER = 0.8
const MAX_PREAMBLE_CHARS = 160

function scan(text: string): Lines {
  const headers: Header[] = []
  let lineCount = 0
  let paragraphCount = 0
  let afterBlank = true
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at)
    const next = found === -1 ? text.length : found + 1
    const head = text.slice(at, Math.min(next, at + HEADER_LENGTH))
    if (head.trim() === '') afterBlank = true
    else {
      lineCount++
      if (afterBlank) paragraphCount++
      afterBlank = false
      const header = readHeader(head, at)
      if (header !== null) headers.push(header)
    }
    at = next
  }
  return { headers, lineCount, paragraphCount }
}

function readHeader(head: string, start: number): Header | null {
  if (!/[::]/.test(head)) return null
  const match = HEADER.exec(head)
  if (match?.groups === undefined) return null
  const { bracket, bare, paren } = match.groups
  const name = (match.groups.name ?? '').trim()
  const stamp = bracket ?? bare ?? paren ?? null
  if (stamp !== null && !isTimeStamp(stamp)) return null
  if (name.split(/\s+/).length > MAX_NAME_WORDS) return null
  // A number or handle is a name only behind a time.
  if (stamp === null && !/^\p{L}/u.test(name)) return null
  return { start, contentStart: start + match[0].length, name, stamp }
}

/** The headers that open turns, or none when the text shows no speakers. */
function turnHeaders(lines: Lines): readonly Header[] {
  const [first] = lines.headers
  if (first === undefined) return []
  const roles = lines.headers.filter((header) => isRole(header.name))
  const roleNames = new Set(roles.map((header) => header.name))
  if (isRole(first.name)) {
    return roleNames.size > 1 || first.stamp === null
      ? roles.filter((header) => (header.stamp === null) === (first.stamp === null))
      : lines.headers.filter((header) => header.stamp !== null)
  }
  if (first.stamp !== null) return lines.headers.filter((header) => header.stamp !== null)
  const named = lines.headers.filter(
    (header) => header.stamp === null && !FIELD_NAMES.has(header.name.toLowerCase()),
  )
  if (named.length >= lines.lineCount * ONE_LINE_TURNS) return named
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(name, (counts.get(name) ?? 0) + 1)
  const most = Math.max(...counts.values())
  if (most < 2) return named
  const frequent = named.filter(
    ({ name }) => (counts.get(name) ?? 0) >= Math.max(2, most * RARE_SPEAKER) || name === named[0]?.name,
  )
  return new Set(frequent.map(({ name }) => name)).size > 1 ? frequent : named
}

function isRole(name: string): boolean {
  return Object.hasOwn(ROLE_NAMES, name.toLowerCase())
}

/** Turns of a `Speaker: words` log, or null when no line opens one. What stands before the first turn goes to it if it is short. */
export function parseTextTurns(text: string): readonly Turn[] | null {
  const headers = turnHeaders(scan(text))
  const [first] = headers
  if (first === undefined) return null
  const preamble = text.slice(0, first.start)
  const isShort =
    preamble.trim().length <= MAX_PREAMBLE_CHARS &&
    preamble.split('\n').filter((line) => line.trim() !== '').length <= MAX_PREAMBLE_LINES
  const stamps = headers.map((header) => header.stamp).filter((stamp) => stamp !== null)
  const dayFirst = numericDateOrder([preamble.slice(0, MAX_PREAMBLE_CHARS), ...stamps])
  const day = isShort ? dateInPreamble(preamble, dayFirst) : null
  const turns = headers.map((header, index): Turn => {
    const end = headers[index + 1]?.start ?? text.length
    const raw = text.slice(header.contentStart, end)
    const lead = raw.length - raw.trimStart().length
    const { rest, caption } = takeCaption(raw.trimStart())
    return {
      start: index === 0 && isShort ? 0 : header.start,
      end,
      speaker: header.name,
      occurredAt: header.stamp === null ? day : parseChatTime(header.stamp, { day, dayFirst }),
      content: rest,
      contentAt: Math.min(header.contentStart + lead, end),
      caption,
    }
  })
  if (isShort) return turns
  const content = preamble.trim()
  const lead = preamble.length - preamble.trimStart().length
  return [
    { start: 0, end: first.start, speaker: null, occurredAt: null, content, contentAt: lead, caption: null },
    ...turns,
  ]
}

function dateInPreamble(preamble: string, dayFirst: TimeContext['dayFirst']): Date | null {
  for (const line of preamble.split('\n')) {
    const date = line.trim() === '' ? null : parseChatTime(line, { day: null, dayFirst })
    if (date !== null) return date
  }
  return null
}

/**
 * Whether a text is a log beyond doubt: at least two speakers who take turns from the head of the text on, over most
 * of its lines or paragraphs. Forms, notes and letters have lines like `Name: value` too, and are not.
 */
export function looksLikeTextChat(text: string): boolean {
  const lines = scan(text)
  const headers = turnHeaders(lines)
  const [first] = headers
  if (first === undefined) return false
  const before = text.slice(0, first.start).trim()
  if (before.length > MAX_PREAMBLE_CHARS || before.split('\n').length > MAX_PREAMBLE_LINES) return false
  const speakers = new Set(headers.map((header) => header.name))
  const said = headers.map((header, index) =>
    text.slice(header.contentStart, headers[index + 1]?.start ?? text.length),
  )
  const wordsPerTurn = said.reduce((sum, words) => sum + words.split(/\s+/).length, 0) / said.length
  // One side of a conversation with an assistant; `User: admin` is a line of a form.
  if (speakers.size === 1) return isRole(first.name) && before === '' && wordsPerTurn >= ONE_SIDED_WORDS
  const changes = headers.filter((header, index) => index > 0 && header.name !== headers[index - 1]?.name)
  if (changes.length < (headers.length - 1) / 2) return false
  if ([...speakers].every(isRole)) return true
  const coverage = headers.length / Math.max(1, Math.min(lines.lineCount, lines.paragraphCount))
  const lineCoverage = headers.length / Math.max(1, lines.lineCount)
  if (first.stamp !== null) return headers.length > 2 ? coverage >= 0.5 : lineCoverage >= 0.5
  // Keys of a form come once each or repeat in the same order; speakers come back, ask and exclaim.
  if (headers.length < 3 || speakers.size > headers.length * 0.75 || comeInOrder(headers)) return false
  const lively = said.filter((words) => /[?!？！؟]/.test(words)).length
  if (lively < Math.max(1, headers.length * LIVELY_TURNS)) return false
  return wordsPerTurn >= 3 && (lineCoverage >= 0.6 || (coverage >= 0.6 && lines.paragraphCount > 2))
}

/** Whether each of three or more names is nearly always followed by the same other one. */
function comeInOrder(headers: readonly Header[]): boolean {
  const followers = new Map<string, Map<string, number>>()
  for (const [index, { name }] of headers.slice(0, -1).entries()) {
    const next = headers[index + 1]?.name ?? ''
    const counts = followers.get(name) ?? new Map<string, number>()
    followers.set(name, counts.set(next, (counts.get(next) ?? 0) + 1))
  }
  if (followers.size < 3) return false
  const usual = [...followers.values()].map((counts) => Math.max(...counts.values()))
  return usual.reduce((sum, count) => sum + count, 0) >= (headers.length - 1) * FORM_ORDER
}
