/** The little of tar (ustar, https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html) that a data folder needs. */
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ProlepsisError } from '../../../domain/errors.ts'

const BLOCK = 512

/** Every file and folder under `folder`, as tar bytes. @throws STORE_FAILED when a file changes its size meanwhile. */
export async function* tarFolder(folder: string): AsyncGenerator<Uint8Array> {
  yield* tarEntries(folder, '')
  yield new Uint8Array(2 * BLOCK)
}

async function* tarEntries(folder: string, prefix: string): AsyncGenerator<Uint8Array> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) {
      yield header(`${name}/`, 0, '5')
      yield* tarEntries(folder, name)
    } else if (entry.isFile()) {
      yield* tarFile(join(folder, name), name)
    }
  }
}

async function* tarFile(path: string, name: string): AsyncGenerator<Uint8Array> {
  const { size } = await stat(path)
  yield header(name, size, '0')
  if (size === 0) return
  let sent = 0
  for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: 1024 * 1024 })) {
    // A stream without an encoding yields buffers.
    const bytes = chunk as Buffer
    sent += bytes.length
    yield bytes
  }
  if (sent !== size) throw new ProlepsisError('STORE_FAILED', `The file ${name} changed while it was copied.`)
  if (size % BLOCK !== 0) yield new Uint8Array(BLOCK - (size % BLOCK))
}

function header(name: string, size: number, type: '0' | '5'): Uint8Array {
  const block = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(name) > 100) {
    throw new ProlepsisError('STORE_FAILED', `The name ${name} is too long for the copy.`)
  }
  block.write(name, 0)
  block.write(type === '5' ? '0000700\0' : '0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\0', 257)
  block.write('00', 263)
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** Unpacks into `folder`, which exists; nothing is flushed to disk. @throws IMPORT_INVALID for what is not such a tar. */
export async function untarInto(folder: string, tar: AsyncIterable<Uint8Array>): Promise<void> {
  const reader = new BlockReader(tar)
  const made = new Set<string>()
  const makeFolder = async (path: string): Promise<void> => {
    if (made.has(path)) return
    await mkdir(path, { recursive: true, mode: 0o700 })
    made.add(path)
  }
  let files = 0
  for (;;) {
    const block = await reader.block()
    if (block === undefined) break
    if (block.every((byte) => byte === 0)) {
      await reader.rest()
      if (files === 0) throw invalid('it holds no file')
      return
    }
    const entry = parseHeader(block)
    const path = join(folder, safeName(entry.name))
    if (entry.type === '5') {
      await makeFolder(path)
    } else if (entry.type === '0' || entry.type === '\0') {
      await makeFolder(dirname(path))
      await writeFile(path, reader, entry.size)
      files += 1
    } else {
      throw invalid(`an entry of kind ${JSON.stringify(entry.type)}`)
    }
  }
  throw invalid('it ends too early')
}

async function writeFile(path: string, reader: BlockReader, size: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of reader.bytes(size)) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
  await reader.skip((BLOCK - (size % BLOCK)) % BLOCK)
}

function parseHeader(block: Uint8Array): { name: string; size: number; type: string } {
  const text = Buffer.from(block).toString('latin1')
  let sum = 0
  for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 32 : byte
  if (Number.parseInt(text.slice(148, 156), 8) !== sum) throw invalid('a checksum is wrong')
  const field = (start: number, length: number): string =>
    text.slice(start, start + length).split('\0')[0] ?? ''
  const prefix = field(345, 155)
  const name = field(0, 100)
  const size = Number.parseInt(field(124, 12), 8)
  if (!Number.isInteger(size) || size < 0) throw invalid('a size is wrong')
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, type: text[156] ?? '' }
}

function safeName(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  // A backslash and a drive's colon would lead out on Windows; PostgreSQL's own files have neither.
  if (parts.includes('..') || /[\\:]/.test(name)) throw invalid('a name leads out of the folder')
  return parts.join('/')
}

function invalid(why: string): ProlepsisError {
  return new ProlepsisError('IMPORT_INVALID', `This is not a backup of a store: ${why}.`, {
    hint: 'Give the file that `prolepsis backup` wrote.',
  })
}

/** Cuts a stream of chunks into pieces of wanted sizes. */
class BlockReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #left: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** The next 512 bytes; undefined at the end. */
  async block(): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = []
    let missing = BLOCK
    while (missing > 0) {
      const part = await this.#take(missing)
      if (part === undefined) break
      parts.push(part)
      missing -= part.length
    }
    if (missing === BLOCK) return undefined
    if (missing > 0) throw invalid('it ends too early')
    return Buffer.concat(parts)
  }

  async *bytes(count: number): AsyncGenerator<Uint8Array> {
    let missing = count
    while (missing > 0) {
      const part = await this.#take(missing)
      if (part === undefined) throw invalid('it ends too early')
      missing -= part.length
      yield part
    }
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.bytes(count));
  }

  /** Reads on to the end, so that a decompressor upstream checks its sum. */
  async rest(): Promise<void> {
    while ((await this.#take(Number.POSITIVE_INFINITY)) !== undefined);
  }

  async #take(most: number): Promise<Uint8Array | undefined> {
    while (this.#left.length === 0) {
      const next = await this.#chunks.next()
      if (next.done) return undefined
      this.#left = next.value
    }
    const part = this.#left.subarray(0, most)
    this.#left = this.#left.subarray(part.length)
    return part
  }
}
