import type { Readable, Writable } from 'node:stream'
import { errorCodeOf, ProlepsisError } from '../schema/names.ts'

/** The terminal as a command sees it; injected, so that every command can be run in a test. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly cwd: string
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal
  /** Null: by whether standard output is a terminal. */
  readonly color: boolean | null
  /** Print the stack of an unexpected error. @default false */
  readonly debug?: boolean
}

export function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true
}

/**
 * Writes and waits where the reader is slower, so that a pipe gets everything before the process ends.
 * @throws ProlepsisError STORE_FULL, UNREADABLE_FILE for what the system says
 */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown): void => {
      const code = errorCodeOf(error)
      // A reader that went away (`| head`) is not an error of ours.
      if (!error || code === 'EPIPE') resolve()
      else reject(outputError(error, code))
    }
    try {
      stream.write(text, done)
    } catch (error) {
      // a stream onto a file may throw at once
      done(error)
    }
  })
}

function outputError(error: unknown, code: unknown): unknown {
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? new ProlepsisError('STORE_FULL', 'The output cannot be written: no space is left.', {
        hint: 'Free space, or write it to another device.',
        cause: error,
      })
    : new ProlepsisError('UNREADABLE_FILE', `The output cannot be written: ${code}.`, {
        hint: 'Check where it goes.',
        cause: error,
      })
}

/** Everything that a stream gives, as bytes; it is read no further than `most`. @throws ProlepsisError TEXT_TOO_LARGE, CANCELLED */
export async function readAll(
  stream: Readable,
  name: string,
  most: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of abortable(stream, signal)) {
    size += part.length
    if (size > most) throw tooLarge(name, `more than ${most}`, most)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export function tooLarge(name: string, bytes: number | string, most: number): ProlepsisError {
  return new ProlepsisError('TEXT_TOO_LARGE', `${name} has ${bytes} bytes; the limit is ${most}.`, {
    hint: 'Split it, or raise max_text_bytes in prolepsis.toml (PROLEPSIS_MAX_TEXT_BYTES): it takes many times as much memory.',
    details: { bytes, maxTextBytes: most },
  })
}

/**
 * Lines of UTF-8, split at line feeds alone: U+2028 and its like may stand within JSON.
 * @throws ProlepsisError INVALID_TEXT, CANCELLED
 */
export async function* readLines(
  stream: Readable,
  name: string,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw new ProlepsisError('INVALID_TEXT', `${name} is not valid UTF-8.`, {
        hint: 'Convert it to UTF-8 first.',
        cause,
      })
    }
  }
  let rest = ''
  for await (const part of abortable(stream, signal)) {
    const lines = decode(part).split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  rest += decode()
  if (rest !== '') yield rest
}

/** Ends with CANCELLED when the user interrupts, also while the stream gives nothing. */
async function* abortable(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const stop = (): void => void stream.destroy(cancelled())
  if (signal?.aborted) throw cancelled()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for await (const part of stream) yield typeof part === 'string' ? Buffer.from(part) : (part as Buffer) // bytes, else
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

function cancelled(): ProlepsisError {
  return new ProlepsisError('CANCELLED', 'Interrupted.')
}
