const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = `(${MONTHS.join('|')})[a-z]*\\.?`

const ISO = /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/
const DAY_MONTH = new RegExp(`(\\d{1,2})(?:st|nd|rd|th)?[ ]+(?:of[ ]+)?${MONTH},?[ ]+(\\d{4})`, 'i')
const MONTH_DAY = new RegExp(`${MONTH}[ ]+(\\d{1,2})(?:st|nd|rd|th)?,?[ ]+(\\d{4})`, 'i')
const NUMERIC = /(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/
const TIME = /(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[ \u00a0\u202f]?([ap])\.?m\.?)?/i
const ZONE = /(?:Z|([+-])(\d{2}):?(\d{2}))$/i

export interface TimeContext {
  /** The log's date, for stamps that give only the time of day. */
  readonly day: Date | null
  /** Whether `3/4/2023` is 3 April; null: cannot be told, so such a date is no date. */
  readonly dayFirst: boolean | null
}

export const NO_CONTEXT: TimeContext = { day: null, dayFirst: null }

/** Reads the order of numeric dates off those that leave no choice. */
export function numericDateOrder(stamps: readonly string[]): boolean | null {
  for (const stamp of stamps) {
    const match = ISO.test(stamp) ? null : NUMERIC.exec(stamp)
    if (match === null) continue
    if (Number(match[1]) > 12) return true
    if (Number(match[2]) > 12) return false
  }
  return null
}

/** Whether a text is a time stamp at all: it has a time of day or a date and nothing much else. */
export function isTimeStamp(stamp: string): boolean {
  let rest = stamp
  for (const pattern of [ISO, DAY_MONTH, MONTH_DAY, NUMERIC, TIME]) rest = rest.replace(pattern, '')
  return (
    rest !== stamp &&
    /^(?:[\s,\-–T.]|Z|[+-]\d{2}:?\d{2}|UTC|GMT|on|at|mon|tue|wed|thu|fri|sat|sun|[a-z]*day)*$/i.test(rest)
  )
}

/** The moment a stamp names, without a zone in UTC; null when it does not name one. */
export function parseChatTime(stamp: string, context: TimeContext = NO_CONTEXT): Date | null {
  const text = stamp.trim()
  const day = dayOf(text, context)
  if (day === null) return null
  const afterDate = text.replace(ISO, ' ').replace(NUMERIC, ' ')
  const time = TIME.exec(afterDate)
  if (time === null) return hasDate(text) ? day : null
  let hour = Number(time[1])
  const half = time[5]?.toLowerCase()
  if (half === 'p' && hour < 12) hour += 12
  if (half === 'a' && hour === 12) hour = 0
  const [minute, second] = [Number(time[2]), Number(time[3] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59) return null
  const millisecond = Math.floor(Number(`0.${time[4] ?? 0}`) * 1000)
  const zone = ZONE.exec(text)
  const offsetMinutes =
    zone?.[1] === undefined ? 0 : (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3]))
  const startOfDay = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate())
  return new Date(startOfDay + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + millisecond)
}

function hasDate(text: string): boolean {
  return ISO.test(text) || DAY_MONTH.test(text) || MONTH_DAY.test(text) || NUMERIC.test(text)
}

function dayOf(text: string, context: TimeContext): Date | null {
  const iso = ISO.exec(text)
  if (iso !== null) return utcDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const dayMonth = DAY_MONTH.exec(text)
  if (dayMonth !== null) return utcDay(Number(dayMonth[3]), monthNumber(dayMonth[2]), Number(dayMonth[1]))
  const monthDay = MONTH_DAY.exec(text)
  if (monthDay !== null) return utcDay(Number(monthDay[3]), monthNumber(monthDay[1]), Number(monthDay[2]))
  const numeric = NUMERIC.exec(text)
  if (numeric === null) return context.day
  if (context.dayFirst === null) return null
  const [first, second, year] = [Number(numeric[1]), Number(numeric[2]), Number(numeric[3])]
  const fullYear = year < 100 ? 2000 + year : year
  return context.dayFirst ? utcDay(fullYear, second, first) : utcDay(fullYear, first, second)
}

function monthNumber(name: string | undefined): number {
  return MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1
}

function utcDay(year: number, month: number, day: number): Date | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1
  return exists ? date : null
}

/** A JSON value that gives a time: an ISO or written date, or seconds or milliseconds since 1970. */
export function timeOfValue(value: unknown): Date | null {
  if (typeof value === 'number' && Number.isFinite(value)) {
    // Seconds until the year 5138 are below the milliseconds of 1973.
    const date = new Date(Math.abs(value) < 1e11 ? value * 1000 : value)
    return Number.isNaN(date.getTime()) ? null : date
  }
  if (typeof value !== 'string' || value.trim() === '') return null
  return parseChatTime(value)
}
