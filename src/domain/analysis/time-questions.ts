import { MONTHS } from './calendar.ts'

const MONTH_NAMES = MONTHS.join('|')
const MONTH = new RegExp(`(?<![\\p{L}\\p{N}])(?:${MONTH_NAMES})(?![\\p{L}\\p{N}])`, 'giu')
const YEAR = /(?<![\p{L}\p{N}.,-])(?:19|20)\d\d(?![\p{L}\p{N}])/gu
const ASKS_WHEN =
  /^\s*(?:(?:and|but|so|then),?\s+)?(?:when|what (?:date|day|year|month|time)|which (?:year|month|day|date)|how long|(?:on|in) (?:what|which) (?:date|day|year|month))\b/i
const TELLS_TIME = new RegExp(
  [
    `\\b(?:${MONTH_NAMES}|(?:19|20)\\d\\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|today|tonight|tomorrow|recently|just)\\b`,
    '\\blast (?:week|month|year|night|summer|winter|spring|fall|autumn|mon|tue|wed|thu|fri|sat|sun)',
    '\\b(?:next|this) (?:week|month|year|summer|winter|spring|fall|autumn|morning|evening)',
    '\\b[\\p{L}\\p{N}]+ (?:day|week|month|year)s? ago\\b',
    '\\b(?:for|since) [\\p{L}\\p{N}]+ (?:day|week|month|year)s?\\b',
  ].join('|'),
  'iu',
)

/** Months (from 0) and years that an English text names, whatever the year of the month. */
export interface NamedDates {
  readonly months: readonly number[]
  readonly years: readonly number[]
}

/** `What did Ann do in May 2023?` → months [4], years [2023]. Lower-case `may` and `march` are verbs. */
export function namedDates(text: string): NamedDates {
  const months = (text.match(MONTH) ?? [])
    .filter((name) => name !== 'may' && name !== 'march')
    .map((name) => MONTHS.findIndex((month) => month.toLowerCase() === name.toLowerCase()))
  return { months: [...new Set(months)], years: [...new Set((text.match(YEAR) ?? []).map(Number))] }
}

/**
 * Whether a time (UTC) lies in a month and a year that are named; null when neither is named.
 */
export function agreesWithDates(dates: NamedDates, time: Date): boolean | null {
  if (dates.months.length === 0 && dates.years.length === 0) return null
  return (
    (dates.months.length === 0 || dates.months.includes(time.getUTCMonth())) &&
    (dates.years.length === 0 || dates.years.includes(time.getUTCFullYear()))
  )
}

/** Whether an English question asks for a time: `When did…`, `How long…`. */
export function asksForTime(question: string): boolean {
  return ASKS_WHEN.test(question)
}

/** Whether an English text holds a time expression of any kind. */
export function tellsTime(text: string): boolean {
  return TELLS_TIME.test(text)
}
