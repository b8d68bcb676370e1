import { ProlepsisError } from './errors.ts'

/**
 * ISO 8601, extended or basic: a date (to the year, month or day) and perhaps a time with any offset. Groups: year,
 * month, day, hour, minute, second, fraction, zone.
 */
const ISO_TIME =
  /^(\d{4})(?:-?(\d{2})(?:-?(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i

const MINUTE_MS = 60_000

/**
 * Reads a time given by a caller. A string is ISO 8601 with any offset, or none, which means UTC; a date alone is its
 * midnight in UTC, a month or year alone its first day. Years 0001 to 9999. A number is refused: its unit is unknown.
 *
 * @param option name of the value, for the message
 * @throws ProlepsisError INVALID_TIME
 */
export function parseTime(value: unknown, option: string): Date {
  const time =
    value instanceof Date ? value.getTime() : typeof value === 'string' ? readIso(value) : Number.NaN
  const date = new Date(time)
  const year = date.getUTCFullYear()
  if (Number.isNaN(time) || year < 1 || year > 9999) {
    throw new ProlepsisError('INVALID_TIME', `${option} is not a time: ${shown(value)}.`, {
      hint: 'Give a Date or ISO 8601: 2023-05-08, 2023-05-08T13:56:00Z, 2023-05-08T13:56+02:00. Without an offset it is UTC.',
      details: { option },
    })
  }
  return date
}

function readIso(text: string): number {
  const match = ISO_TIME.exec(text.trim())
  if (match === null) return Number.NaN
  const [, year, month, day, hour, minute, second, fraction, zone] = match
  const parts = [Number(year), Number(month ?? 1), Number(day ?? 1)] as const
  const clock = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)] as const
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return Number.NaN
  const milliseconds = Math.floor(Number(`0.${fraction ?? 0}`) * 1000)
  const date = new Date(0)
  // not Date.UTC, which reads years under 100 as of the 20th century
  date.setUTCFullYear(parts[0], parts[1] - 1, parts[2])
  if (date.getUTCMonth() !== parts[1] - 1 || date.getUTCDate() !== parts[2]) return Number.NaN
  date.setUTCHours(clock[0], clock[1], clock[2], milliseconds)
  return date.getTime() - offsetMinutes(zone) * MINUTE_MS
}

function offsetMinutes(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const digits = zone.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2) || 0)
  if (hours > 18 || minutes > 59) return Number.NaN
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function shown(value: unknown): string {
  if (value instanceof Date) return 'an invalid Date'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  return `a value of type ${value === null ? 'null' : typeof value}`
}
