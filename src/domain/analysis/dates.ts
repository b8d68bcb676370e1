import {
  addDays,
  dayRange,
  MONTHS,
  monthRange,
  startOfDay,
  type TimeRange,
  utcDay,
  yearRange,
} from './calendar.ts'
import { findRelativeTimes } from './relative-dates.ts'

/** A time that an English text names. */
export interface TimeExpression extends TimeRange {
  readonly text: string
}

const MONTH = MONTHS.map((name) => (name === 'May' ? name : `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`))
  .join('|')
  .replace('Sep(?:tember)?', 'Sept?(?:ember)?')
const DAY = '(?<day>0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?'
const YEAR = '(?<year>(?:19|20)\\d\\d)'
const END = '(?![\\p{L}\\p{N}])'
const START = '(?<![\\p{L}\\p{N}])'

/** In order of preference: an earlier pattern wins where two overlap. */
const PATTERNS: readonly RegExp[] = [
  `${YEAR}-(?<digits>0[1-9]|1[0-2])-${DAY}`,
  `${DAY}(?: of)? (?<month>${MONTH}),? ${YEAR}`,
  `(?<month>${MONTH}) ${DAY},? ${YEAR}`,
  `(?<month>${MONTH}),?(?: of)? ${YEAR}`,
  `${DAY}(?: of)? (?<month>${MONTH})`,
  `(?<month>${MONTH}) ${DAY}`,
  `(?:in|during|since|until|till|by|of|before|after|early|late|mid|(?<which>last|this|next)) (?<month>${MONTH})`,
  `(?:in|during|since|until|till|by|of|before|after|from|year|summer|winter|spring|autumn|fall) ${YEAR}`,
  `(?:the )?(?:last|past) (?<count>\\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|few|couple(?: of)?) (?<unit>day|week|month|year)s`,
].map((pattern) => new RegExp(`${START}(?:${pattern})${END}`, 'giu'))

const COUNTS: readonly string[] = 'zero one two three four five six seven eight nine ten'.split(' ')

/**
 * Times that an English text names, in order, none overlapping: dates, months, years, and relative times read from the
 * UTC day of `now`. A date without a year is its latest occurrence up to now. `to` is exclusive.
 */
export function findTimes(text: string, now: Date): TimeExpression[] {
  if (Number.isNaN(now.getTime())) return []
  const found: (TimeExpression & { readonly index: number })[] = []
  const add = (index: number, words: string, range: TimeRange | null): void => {
    const free = found.every(
      (time) => index + words.length <= time.index || index >= time.index + time.text.length,
    )
    if (range !== null && free) found.push({ index, text: words, from: range.from, to: range.to })
  }
  for (const pattern of PATTERNS) {
    for (const match of text.matchAll(pattern)) add(match.index, match[0], read(match.groups ?? {}, now))
  }
  for (const time of findRelativeTimes(text, now)) add(time.index, time.text, time)
  return found
    .sort((a, b) => a.index - b.index)
    .map(({ text: words, from, to }) => ({ text: words, from, to }))
}

function read(groups: Record<string, string | undefined>, now: Date): TimeRange | null {
  const today = startOfDay(now)
  if (groups.unit !== undefined) return readSpan(groups.count ?? '', groups.unit, today)
  const year = groups.year === undefined ? null : Number(groups.year)
  const month = groups.digits === undefined ? monthNumber(groups.month) : Number(groups.digits) - 1
  if (month === null) return year === null ? null : yearRange(year)
  if (groups.day !== undefined && year === null && /^(?:may|march)$/.test(groups.month ?? '')) return null // verbs
  if (groups.day !== undefined) return readDay(year, month, Number(groups.day), today)
  if (year !== null) return monthRange(utcDay(year, month, 1), 0)
  return readMonth(month, groups.which?.toLowerCase(), today)
}

function monthNumber(name: string | undefined): number | null {
  if (name === undefined) return null
  const start = name.slice(0, 3).toLowerCase()
  const month = MONTHS.findIndex((known) => known.toLowerCase().startsWith(start))
  return month < 0 ? null : month
}

/** Null for a day that the month does not have. */
function readDay(year: number | null, month: number, day: number, today: Date): TimeRange | null {
  const present = today.getUTCFullYear()
  // without a year: the latest one in which the day exists and is not still to come (29 February: up to 8 years back)
  for (let candidate = year ?? present; candidate >= (year ?? present - 8); candidate--) {
    const date = utcDay(candidate, month, day)
    if (date.getUTCMonth() === month && (year !== null || date <= today)) return dayRange(date)
  }
  return null
}

function readMonth(month: number, which: string | undefined, today: Date): TimeRange {
  const present = today.getUTCMonth()
  const year = today.getUTCFullYear()
  if (which === 'next') return monthRange(utcDay(month > present ? year : year + 1, month, 1), 0)
  if (which === 'this') return monthRange(utcDay(year, month, 1), 0)
  const passed = which === 'last' ? month < present : month <= present
  return monthRange(utcDay(passed ? year : year - 1, month, 1), 0)
}

function readSpan(count: string, unit: string, today: Date): TimeRange {
  const word = count.toLowerCase()
  const amount =
    word === 'few'
      ? 3
      : word.startsWith('couple')
        ? 2
        : COUNTS.includes(word)
          ? COUNTS.indexOf(word)
          : Number(word)
  const to = addDays(today, 1)
  switch (unit.toLowerCase()) {
    case 'day':
      return { from: addDays(today, -amount), to }
    case 'week':
      return { from: addDays(today, -7 * amount), to }
    case 'month':
      return { from: monthsBack(today, amount), to }
    default:
      return { from: monthsBack(today, 12 * amount), to }
  }
}

/** The same day `months` months ago, or that month's last day where it is shorter. */
function monthsBack(day: Date, months: number): Date {
  const { from, to } = monthRange(day, -months)
  const same = addDays(from, day.getUTCDate() - 1)
  return same < to ? same : addDays(to, -1)
}
