import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compileSources } from './compiled-sources.ts'

const compiled = compileSources()

export interface ChildProgram {
  readonly pid: number
  /** The lines of its standard output, as they come; ends with the program. */
  readonly lines: AsyncIterable<string>
  /** Writes a line to its standard input. */
  say(line: string): void
  kill(signal: NodeJS.Signals): void
  /** Exit code, or the signal that ended it, and what it said on standard error. */
  readonly ended: Promise<{ readonly code: number | NodeJS.Signals; readonly errors: string }>
}

/** Runs a program of test/support/programs in a process of its own. */
export function startProgram(name: string, args: readonly string[]): ChildProgram {
  const path = join(compiled, 'test/support/programs', `${name}.js`)
  // They do little: V8's optimising WebAssembly compiler would cost more than it saves.
  const child: ChildProcess = spawn(process.execPath, ['--liftoff-only', path, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
  })
  // A program that was killed does not read any more.
  child.stdin?.on('error', () => undefined)
  const ended = new Promise<{ code: number | NodeJS.Signals; errors: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? -1, errors }))
  })
  if (child.stdout === null || child.pid === undefined) throw new Error(`${name} did not start`)
  return {
    pid: child.pid,
    lines: createInterface({ input: child.stdout }),
    say: (line) => void child.stdin?.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
  }
}

/** The next line, or an error with what the program said instead. */
export async function nextLine(program: ChildProgram, lines: AsyncIterator<string>): Promise<string> {
  const next = await lines.next()
  if (!next.done) return next.value
  const { code, errors } = await program.ended
  throw new Error(`The program ended (${code}) before it said anything: ${errors}`)
}
