/** Calendar days in UTC. A day is the Date of its first millisecond. */

export const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** From Sunday, as Date counts them. */
export const WEEKDAYS: readonly string[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
]

/** From inclusive, to exclusive. */
export interface TimeRange {
  readonly from: Date
  readonly to: Date
}

/** Months count from 0 and may be out of range: -1 is December of the year before. */
export function utcDay(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date
}

export function startOfDay(time: Date): Date {
  return utcDay(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate())
}

export function addDays(day: Date, days: number): Date {
  return utcDay(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate() + days)
}

/** Monday of the day's week. */
export function startOfWeek(day: Date): Date {
  return addDays(day, -((day.getUTCDay() + 6) % 7))
}

export function dayRange(day: Date): TimeRange {
  return { from: day, to: addDays(day, 1) }
}

/** The month `offset` months after the day's. */
export function monthRange(day: Date, offset: number): TimeRange {
  const year = day.getUTCFullYear()
  const month = day.getUTCMonth() + offset
  return { from: utcDay(year, month, 1), to: utcDay(year, month + 1, 1) }
}

export function yearRange(year: number): TimeRange {
  return { from: utcDay(year, 0, 1), to: utcDay(year + 1, 0, 1) }
}

/** `8 May 2023`. */
export function formatDay(day: Date): string {
  return `${day.getUTCDate()} ${formatMonth(day)}`
}

/** `May 2023`. */
export function formatMonth(day: Date): string {
  return `${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`
}
