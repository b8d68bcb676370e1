/** PostgreSQL's binary COPY format (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"). */
import { ProlepsisError } from '../domain/errors.ts'
import type { CopyColumn, CopyType, CopyValue } from './database.ts'
import { quoteIdentifier, requireStorableText } from './sql-values.ts'

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const TRAILER = Buffer.from([0xff, 0xff])
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)
const ELEMENT_OIDS = { 'text[]': 25, 'int4[]': 23, 'int2[]': 21 } as const

/** A part of a COPY: complete by itself (`whole`), or to be sent one after another as one stream. */
export interface CopyPiece {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly rows: number
}

export interface EncodeCopyOptions {
  /** A piece is closed when it has reached this size. @default 4 MiB */
  readonly pieceBytes?: number
  /** Every piece is a complete COPY with header and trailer. @default false */
  readonly whole?: boolean
}

export function copyStatement(table: string, columns: readonly CopyColumn[], from: string): string {
  const names = columns.map((column) => quoteIdentifier(column.name)).join(', ')
  return `copy ${quoteIdentifier(table)} (${names}) from ${from} with (format binary)`
}

/** Encodes rows lazily, so that memory is bounded by a piece. @throws ProlepsisError INVALID_ARGUMENT, INVALID_TEXT. */
export function* encodeCopy(
  columns: readonly CopyColumn[],
  rows: Iterable<readonly CopyValue[]>,
  options: EncodeCopyOptions = {},
): Generator<CopyPiece> {
  const pieceBytes = options.pieceBytes ?? 4 * 1024 * 1024
  const whole = options.whole ?? false
  const out = new GrowingBuffer(64 * 1024)
  let count = 0
  out.bytes(SIGNATURE)
  for (const row of rows) {
    writeRow(out, columns, row)
    count += 1
    if (out.length < pieceBytes) continue
    if (whole) out.bytes(TRAILER)
    yield { bytes: out.take(), rows: count }
    count = 0
    if (whole) out.bytes(SIGNATURE)
  }
  if (whole && count === 0) return
  out.bytes(TRAILER)
  yield { bytes: out.take(), rows: count }
}

function writeRow(out: GrowingBuffer, columns: readonly CopyColumn[], row: readonly CopyValue[]): void {
  if (row.length !== columns.length) {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      `A row to copy has ${row.length} values for ${columns.length} columns.`,
    )
  }
  out.int16(columns.length)
  for (const [index, column] of columns.entries()) {
    const value = row[index]
    if (value === null || value === undefined) {
      out.int32(-1)
      continue
    }
    const lengthAt = out.length
    out.int32(0)
    writeValue(out, column, value)
    out.setInt32(lengthAt, out.length - lengthAt - 4)
  }
}

function writeValue(out: GrowingBuffer, column: CopyColumn, value: CopyValue): void {
  switch (column.type) {
    case 'int2':
      out.int16(integer(column, value, -32_768, 32_767))
      break
    case 'int4':
      out.int32(integer(column, value, -2_147_483_648, 2_147_483_647))
      break
    case 'int8':
      out.int64(BigInt(integer(column, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)))
      break
    case 'float4':
      out.float32(number(column, value))
      break
    case 'bool':
      if (typeof value !== 'boolean') throw misfit(column)
      out.int8(value ? 1 : 0)
      break
    case 'text':
      if (typeof value !== 'string') throw misfit(column)
      out.text(value)
      break
    case 'jsonb':
      if (typeof value !== 'string') throw misfit(column)
      out.int8(1)
      out.text(value)
      break
    case 'bytea':
      if (!(value instanceof Uint8Array)) throw misfit(column)
      out.bytes(value)
      break
    case 'timestamptz':
      if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw misfit(column)
      out.int64(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n)
      break
    case 'vector':
      if (!(value instanceof Float32Array)) throw misfit(column)
      writeVector(out, value)
      break
    case 'bit':
      if (!(value instanceof Float32Array)) throw misfit(column)
      writeSigns(out, value)
      break
    case 'text[]':
    case 'int4[]':
    case 'int2[]':
      writeArray(out, column, column.type, value)
      break
    default:
      column.type satisfies never
  }
}

function writeArray(
  out: GrowingBuffer,
  column: CopyColumn,
  type: keyof typeof ELEMENT_OIDS,
  value: CopyValue,
): void {
  if (!Array.isArray(value) && !(value instanceof Int32Array)) throw misfit(column)
  out.int32(value.length === 0 ? 0 : 1)
  out.int32(0) // no nulls
  out.int32(ELEMENT_OIDS[type])
  if (value.length === 0) return
  out.int32(value.length)
  out.int32(1)
  for (const item of value) {
    if (type === 'text[]') {
      if (typeof item !== 'string') throw misfit(column)
      const lengthAt = out.length
      out.int32(0)
      out.text(item)
      out.setInt32(lengthAt, out.length - lengthAt - 4)
    } else if (type === 'int4[]') {
      out.int32(4)
      out.int32(integer(column, item, -2_147_483_648, 2_147_483_647))
    } else {
      out.int32(2)
      out.int16(integer(column, item, -32_768, 32_767))
    }
  }
}

/** pgvector's `vector_recv`: dimension, a reserved 0, big-endian floats. */
function writeVector(out: GrowingBuffer, vector: Float32Array): void {
  out.int16(vector.length)
  out.int16(0)
  for (const value of vector) out.float32(value)
}

/** `bit(n)`: the number of bits, then the bits, first one highest; as `binary_quantize`, 1 where the value is > 0. */
function writeSigns(out: GrowingBuffer, vector: Float32Array): void {
  out.int32(vector.length)
  for (let start = 0; start < vector.length; start += 8) {
    let byte = 0
    for (let bit = 0; bit < 8; bit += 1) {
      if ((vector[start + bit] ?? 0) > 0) byte |= 128 >> bit
    }
    out.int8(byte)
  }
}

function number(column: CopyColumn, value: unknown): number {
  if (typeof value !== 'number') throw misfit(column)
  return value
}

function integer(column: CopyColumn, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw misfit(column)
  return value
}

function misfit(column: { readonly name: string; readonly type: CopyType }): ProlepsisError {
  return new ProlepsisError(
    'INVALID_ARGUMENT',
    `A value to copy into ${column.name} is not of type ${column.type}.`,
    {
      details: { column: column.name, type: column.type },
    },
  )
}

class GrowingBuffer {
  #buffer: Buffer<ArrayBuffer>
  length = 0

  constructor(size: number) {
    this.#buffer = Buffer.from(new ArrayBuffer(size))
  }

  #reserve(size: number): number {
    const at = this.length
    const needed = at + size
    if (needed > this.#buffer.length) {
      const grown = Buffer.from(new ArrayBuffer(Math.max(needed, this.#buffer.length * 2)))
      this.#buffer.copy(grown, 0, 0, at)
      this.#buffer = grown
    }
    this.length = needed
    return at
  }

  int8(value: number): void {
    // the place first: making room may put another buffer in this one's stead
    const at = this.#reserve(1)
    this.#buffer[at] = value
  }
  int16(value: number): void {
    const at = this.#reserve(2)
    this.#buffer.writeInt16BE(value, at)
  }
  int32(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeInt32BE(value, at)
  }
  int64(value: bigint): void {
    const at = this.#reserve(8)
    this.#buffer.writeBigInt64BE(value, at)
  }
  float32(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeFloatBE(value, at)
  }
  text(value: string): void {
    requireStorableText(value)
    const at = this.#reserve(Buffer.byteLength(value))
    this.#buffer.write(value, at)
  }
  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length)
    this.#buffer.set(value, at)
  }
  setInt32(at: number, value: number): void {
    this.#buffer.writeInt32BE(value, at)
  }

  /** What was written, in an ArrayBuffer of its own (so that it can be transferred), and starts anew. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.length)
    taken.set(this.#buffer.subarray(0, this.length))
    this.length = 0
    return taken
  }
}
