import type { Readable, Writable } from 'node:stream'

/** The terminal as a command sees it; injected, so that every command can be run in a test. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly cwd: string
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal
  /** Null: by whether stdout is a terminal and NO_COLOR. */
  readonly color: boolean | null
}

export function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true
}

/** Writes and waits where the reader is slower, so that a pipe gets everything before the process ends. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      // A reader that went away (`| head`) is not an error of ours.
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error)
      else resolve()
    })
  })
}

/** All of standard input, as bytes. */
export async function readAll(stream: Readable): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(typeof part === 'string' ? Buffer.from(part) : (part as Buffer))
  return Buffer.concat(parts)
}
