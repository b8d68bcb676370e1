import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { errorCodeOf, ProlepsisError } from '../schema/names.ts'
import { type CliIo, readAll, readLines, tooLarge } from './io.ts'
import { openPipeToRead } from './named-pipes.ts'

/** A file's bytes, at most `most` of them; pipes and devices too. @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT, UNREADABLE_FILE, TEXT_TOO_LARGE */
export async function readFileBytes(path: string, most: number, io: CliIo): Promise<Uint8Array> {
  try {
    // before a byte is read; a pipe has no size
    const { size } = await stat(resolve(io.cwd, path))
    if (size > most) throw tooLarge(path, size, most)
    return await readAll(await open(path, io), path, most, io.signal)
  } catch (error) {
    throw fileError(error, path)
  }
}

/** Far more than any prompt has: what is too long for the engine is refused there. */
const MOST_PROMPT_BYTES = 1_000_000

/** A text in place of the prompt of questions, where a file of it is named. @throws ProlepsisError as readFileBytes; INVALID_TEXT */
export async function promptsOf(
  path: string | undefined,
  io: CliIo,
): Promise<{ readonly prompts?: { readonly questions: string } }> {
  if (path === undefined) return {}
  const bytes = await readFileBytes(path, MOST_PROMPT_BYTES, io)
  try {
    return { prompts: { questions: new TextDecoder('utf-8', { fatal: true }).decode(bytes) } }
  } catch (error) {
    throw new ProlepsisError('INVALID_TEXT', `${path} is not UTF-8.`, {
      hint: 'Save it as UTF-8 text.',
      cause: error,
    })
  }
}

/** A file's lines, or those of standard input for `-` or nothing. */
export async function* readFileLines(path: string | undefined, io: CliIo): AsyncGenerator<string> {
  const isStdin = path === undefined || path === '-'
  const name = isStdin ? 'Standard input' : path
  try {
    yield* readLines(isStdin ? io.stdin : await open(path, io), name, io.signal)
  } catch (error) {
    throw fileError(error, name)
  }
}

/** @throws ProlepsisError INVALID_TEXT */
export function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ProlepsisError('INVALID_TEXT', `${name} is not valid UTF-8.`, {
      hint: 'Convert it to UTF-8 first.',
      cause,
    })
  }
}

/** @throws ProlepsisError INVALID_ARGUMENT */
export function parseJsonLine(line: string, name: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new ProlepsisError('INVALID_ARGUMENT', `${name} is not JSON.`, {
      hint: 'Each line is one JSON object. See --help for an example.',
      cause,
    })
  }
}

async function open(path: string, io: CliIo): Promise<Readable> {
  const whole = resolve(io.cwd, path)
  return (await stat(whole)).isFIFO() ? openPipeToRead(whole) : createReadStream(whole)
}

/** What the system says about a file, in our words; any other error as it is. */
export function fileError(error: unknown, path: string): unknown {
  const code = errorCodeOf(error)
  const as = (
    ours: 'NOT_FOUND' | 'UNREADABLE_FILE' | 'INVALID_ARGUMENT' | 'STORE_FULL',
    message: string,
    hint: string,
  ): ProlepsisError => new ProlepsisError(ours, message, { hint, cause: error, details: { path } })
  switch (code) {
    case 'EEXIST':
      return as('INVALID_ARGUMENT', `${path} is a file.`, 'Choose another path.')
    case 'ENOENT':
    case 'ENOTDIR':
      return as('NOT_FOUND', `There is no file ${path}.`, 'Check the path.')
    case 'EISDIR':
      return as('INVALID_ARGUMENT', `${path} is a folder.`, 'prolepsis index retains a folder.')
    case 'ELOOP':
      return as('UNREADABLE_FILE', `${path} is a loop of links.`, 'Give a path that leads to a file.')
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return as('UNREADABLE_FILE', `${path} cannot be opened: permission denied.`, 'Check its permissions.')
    case 'ENAMETOOLONG':
    case 'ERR_INVALID_ARG_VALUE':
      return as('INVALID_ARGUMENT', 'That is no path of a file.', 'Check the path.')
    case 'ENOSPC':
    case 'EDQUOT':
      return as('STORE_FULL', `No space is left to write ${path}.`, 'Free space, or choose another device.')
    case 'EPIPE':
      return as('UNREADABLE_FILE', `The reader of ${path} went away.`, 'Keep it reading to the end.')
    default:
      // any other word of the system's about the file
      return error instanceof Error && 'syscall' in error && typeof code === 'string'
        ? as('UNREADABLE_FILE', `${path} cannot be used: ${code}.`, 'Check what it is, or name another.')
        : error
  }
}
