import {
  addDays,
  dayRange,
  formatDay,
  formatMonth,
  monthRange,
  startOfDay,
  startOfWeek,
  type TimeRange,
  WEEKDAYS,
  yearRange,
} from './calendar.ts'

/** A relative time expression of an English text. */
export interface RelativeTime extends TimeRange {
  /** Position in the text, UTF-16 units. */
  readonly index: number
  readonly text: string
  /** The same time in absolute words: `on 7 May 2023`, `in the week before 8 May 2023`. */
  readonly phrase: string
}

const WEEKDAY =
  'mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?'
const AMOUNT =
  '\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?few|(?:a )?couple'
const RELATIVE = new RegExp(
  [
    '\\b(?:the day before yesterday|the day after tomorrow|yesterday|today|tonight|tomorrow',
    'this (?:morning|afternoon|evening)|last night',
    '(?<which>last|(?:this|the) past|past|this|next|the coming) (?:(?<span>week|weekend|month|year)|(?<weekday>WEEKDAY))',
    '(?<amount>AMOUNT)(?: of)? (?<unit>day|week|month|year)s? ago)(?![\\p{L}\\p{N}])',
  ]
    .join('|')
    .replace('WEEKDAY', WEEKDAY)
    .replace('AMOUNT', AMOUNT),
  'giu',
)
const HINT = /\b(?:yesterday|today|tonight|tomorrow|last|past|this|next|coming|ago)\b/i
const AMOUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
}

interface Reading extends TimeRange {
  readonly phrase: string
}

/** Relative time expressions of an English text, in order, read from the day of `now` (UTC). */
export function findRelativeTimes(text: string, now: Date): RelativeTime[] {
  if (Number.isNaN(now.getTime()) || !HINT.test(text)) return []
  const today = startOfDay(now)
  const found: RelativeTime[] = []
  for (const match of text.matchAll(RELATIVE)) {
    const reading = read(match[0].toLowerCase(), match.groups ?? {}, today)
    if (reading !== null) found.push({ index: match.index, text: match[0], ...reading })
  }
  return found
}

const PREPOSITION_BEFORE =
  /(?:^|[^\p{L}])(?:in|on|at|since|by|until|till|from|for|before|after|over|during|of|through|than|between|around|about|within)\s+$/iu
const LEADING = /^(?:in|on|around) /

/**
 * An English text with its relative times made absolute: `I ran yesterday` on 8 May 2023 → `I ran on 7 May 2023`.
 * Everything else stays as it is.
 */
export function resolveRelativeDates(text: string, now: Date): string {
  let resolved = ''
  let end = 0
  for (const time of findRelativeTimes(text, now)) {
    const before = text.slice(end, time.index)
    const after = text.slice(time.index + time.text.length)
    const bare =
      PREPOSITION_BEFORE.test(text.slice(Math.max(0, time.index - 12), time.index)) || /^['’]s\b/.test(after)
    const phrase = bare ? time.phrase.replace(LEADING, '') : time.phrase
    resolved +=
      before + (/^\p{Lu}/u.test(time.text) ? phrase.charAt(0).toUpperCase() + phrase.slice(1) : phrase)
    end = time.index + time.text.length
  }
  return end === 0 ? text : resolved + text.slice(end)
}

function read(text: string, groups: Record<string, string | undefined>, today: Date): Reading | null {
  if (groups.unit !== undefined)
    return readAgo(groups.amount?.toLowerCase() ?? '', groups.unit.toLowerCase(), today)
  if (groups.weekday !== undefined)
    return readWeekday(groups.which?.toLowerCase() ?? '', groups.weekday, today)
  if (groups.span !== undefined)
    return readSpan(groups.which?.toLowerCase() ?? '', groups.span.toLowerCase(), today)
  switch (text) {
    case 'the day before yesterday':
      return onDay(addDays(today, -2))
    case 'yesterday':
      return onDay(addDays(today, -1))
    case 'last night':
      return { phrase: `on the night of ${formatDay(addDays(today, -1))}`, ...dayRange(addDays(today, -1)) }
    case 'tomorrow':
      return onDay(addDays(today, 1))
    case 'the day after tomorrow':
      return onDay(addDays(today, 2))
    default:
      return onDay(today)
  }
}

function onDay(day: Date): Reading {
  return { phrase: `on ${formatDay(day)}`, ...dayRange(day) }
}

function readAgo(amount: string, unit: string, today: Date): Reading {
  const vague = /few|couple/.test(amount)
  const count = vague ? (amount.includes('few') ? 3 : 2) : (AMOUNTS[amount] ?? Number(amount))
  if (unit === 'day' && !vague) return onDay(addDays(today, -count))
  if (unit === 'day' || unit === 'week') {
    const day = addDays(today, unit === 'day' ? -count : -7 * count)
    return { phrase: `around ${formatDay(day)}`, from: addDays(day, -3), to: addDays(day, 4) }
  }
  if (unit === 'month') {
    const range = monthRange(today, -count)
    return { phrase: `in ${formatMonth(range.from)}`, ...range }
  }
  return inYear(today.getUTCFullYear() - count)
}

function inYear(year: number): Reading {
  return { phrase: `in ${year}`, ...yearRange(year) }
}

/** -1, 0 or 1: before, in, after the present one. */
function direction(which: string): number {
  if (which === 'this') return 0
  return which === 'next' || which === 'the coming' ? 1 : -1
}

function readWeekday(which: string, weekday: string, today: Date): Reading {
  const wanted = WEEKDAYS.findIndex((name) => name.startsWith(weekday.slice(0, 3).toLowerCase()))
  const present = today.getUTCDay()
  if (direction(which) < 0) return onDay(addDays(today, -((present - wanted + 7) % 7 || 7)))
  // `this Friday` may be today; `next Friday` is not
  const ahead = (wanted - present + 7) % 7
  return onDay(addDays(today, which === 'this' ? ahead : ahead || 7))
}

function readSpan(which: string, span: string, today: Date): Reading {
  const step = direction(which)
  const day = formatDay(today)
  switch (span) {
    case 'week': {
      const from = addDays(startOfWeek(today), 7 * step)
      const place = step === 0 ? 'in the week of' : step < 0 ? 'in the week before' : 'in the week after'
      return { phrase: `${place} ${day}`, from, to: addDays(from, 7) }
    }
    case 'weekend': {
      const from = weekendStart(which, today)
      const place = which === 'last' ? 'before' : step > 0 ? 'after' : 'of'
      return { phrase: `on the weekend ${place} ${day}`, from, to: addDays(from, 2) }
    }
    case 'month': {
      const range = monthRange(today, step)
      return { phrase: `in ${formatMonth(range.from)}`, ...range }
    }
    default:
      return inYear(today.getUTCFullYear() + step)
  }
}

/** Saturday of the weekend meant: the last one over, this week's, or next week's. */
function weekendStart(which: string, today: Date): Date {
  const step = direction(which)
  const thisSaturday = addDays(startOfWeek(today), 5)
  return step < 0 ? addDays(thisSaturday, -7) : addDays(thisSaturday, 7 * step)
}
