/** Values on their way in and out as PostgreSQL text, the same for every driver. */
import { ProlepsisError } from '../domain/errors.ts'
import type { SqlValue } from './database.ts'

// With the u flag this matches a surrogate only where it has no partner.
const LONE_SURROGATE = /[\uD800-\uDFFF]/u

/** @throws ProlepsisError INVALID_TEXT for what PostgreSQL's UTF-8 cannot hold: encoders would replace it silently. */
export function requireStorableText(text: string): string {
  if (text.includes('\0')) throw unstorable('a NUL character')
  if (LONE_SURROGATE.test(text)) throw unstorable('half of a surrogate pair')
  return text
}

function unstorable(what: string): ProlepsisError {
  return new ProlepsisError('INVALID_TEXT', `The text holds ${what}, which the store cannot keep.`, {
    hint: 'Remove or replace it before storing the text.',
  })
}

/** PostgreSQL's text form of a bound value; null stays null. */
export function encodeParameter(value: SqlValue): string | null {
  if (value === null) return null
  if (typeof value === 'string') return requireStorableText(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return encodeTimestamp(value)
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  return encodeArray(value)
}

/** ISO 8601, but for the years that it writes with a sign. @throws RangeError for an invalid date. */
function encodeTimestamp(date: Date): string {
  const [, year = '', rest = ''] = /^([+-]\d{6}|\d{4})(.*)$/.exec(date.toISOString()) ?? []
  if (year.startsWith('-')) return `${String(1 - Number(year)).padStart(4, '0')}${rest} BC`
  // The year 0 is 1 BC.
  if (year === '0000') return `0001${rest} BC`
  return `${year.startsWith('+') ? Number(year) : year}${rest}`
}

function encodeArray(values: readonly (string | number | null)[]): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL'
    if (typeof value === 'number') return String(value)
    return `"${requireStorableText(value).replace(/["\\]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}

export type ValueParser = (text: string) => unknown

const asNumber: ValueParser = Number
const asText: ValueParser = (text) => text
const asBytes: ValueParser = (text) => {
  const bytes = Buffer.from(text.slice(2), 'hex')
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Parsers by type oid. What is not in the table stays text. */
export const VALUE_PARSERS: ReadonlyMap<number, ValueParser> = new Map<number, ValueParser>([
  [16, (text) => text === 't'], // bool
  [17, asBytes], // bytea
  [20, asNumber], // int8
  [21, asNumber], // int2
  [23, asNumber], // int4
  [26, asNumber], // oid
  [700, asNumber], // float4
  [701, asNumber], // float8
  [114, JSON.parse], // json
  [3802, JSON.parse], // jsonb
  [1184, parseTimestamp], // timestamptz
  [1005, (text) => parseArray(text, asNumber)], // int2[]
  [1007, (text) => parseArray(text, asNumber)], // int4[]
  [1016, (text) => parseArray(text, asNumber)], // int8[]
  [1021, (text) => parseArray(text, asNumber)], // float4[]
  [1022, (text) => parseArray(text, asNumber)], // float8[]
  [1009, (text) => parseArray(text, asText)], // text[]
  [1015, (text) => parseArray(text, asText)], // varchar[]
])

/** One-dimensional arrays only: the schema has no others. */
export function parseArray(text: string, parse: ValueParser): unknown[] {
  if (text === '{}') return []
  if (!text.includes('"')) {
    return text
      .slice(1, -1)
      .split(',')
      .map((item) => (item === 'NULL' ? null : parse(item)))
  }
  const values: unknown[] = []
  let at = 1
  while (at < text.length) {
    if (text[at] === '"') {
      let item = ''
      at += 1
      while (text[at] !== '"') {
        if (text[at] === '\\') at += 1
        item += text[at]
        at += 1
      }
      at += 1
      values.push(parse(item))
    } else {
      let end = text.indexOf(',', at)
      if (end < 0) end = text.length - 1
      const item = text.slice(at, end)
      values.push(item === 'NULL' ? null : parse(item))
      at = end
    }
    at += 1
  }
  return values
}

/** `2024-05-01 10:00:00.123456+00`, years past 9999 or BC included; infinity is not a date and stays null-like `Invalid Date`. */
export function parseTimestamp(text: string): Date {
  const parts =
    /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/.exec(
      text,
    )
  if (parts === null) return new Date(Number.NaN)
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    zone = '+00',
    zoneMinutes = '0',
    zoneSeconds = '0',
    bc,
  ] = parts
  const fullYear = bc === undefined ? Number(year) : 1 - Number(year)
  const date = new Date(0)
  date.setUTCFullYear(fullYear, Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)))
  const sign = zone.startsWith('-') ? -1 : 1
  const offset = Math.abs(Number(zone)) * 3600 + Number(zoneMinutes) * 60 + Number(zoneSeconds)
  return new Date(date.getTime() - sign * offset * 1000)
}

/** A quoted SQL identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The floats in what `vector_send(v)` returns (bytea): far cheaper to read than a vector as text. */
export function decodeVector(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const vector = new Float32Array(view.getUint16(0))
  for (let index = 0; index < vector.length; index += 1) vector[index] = view.getFloat32(4 + index * 4)
  return vector
}

/**
 * Settings live as long as a transaction: `set local`. A session is shared by all who use the embedded store, and a pooled
 * connection by all transactions. @throws ProlepsisError STORE_MISUSE.
 */
export function requireLocalSettings(sql: string): void {
  if (!/^\s*(re)?set\s/i.test(sql) || /^\s*set\s+(local|transaction|constraints)\s/i.test(sql)) return
  throw new ProlepsisError('STORE_MISUSE', 'A setting would outlive its transaction.', {
    hint: 'Use set local in a transaction.',
  })
}
