#!/usr/bin/env node
import { terminalPreferences } from '../../config/terminal.ts'
import { main } from './main.ts'

const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second one does not wait for the work to wind up.
    if (interrupt.signal.aborted) process.exit(130)
    interrupt.abort()
  })
}
// A reader that closes early (`prolepsis export | head`) ends the output, not the program with an error.
// Any other error is told by the write that met it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})
// There is nowhere to tell what is wrong with standard error; the exit code stays.
process.stderr.on('error', () => undefined)

const code = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  signal: interrupt.signal,
  ...terminalPreferences(),
})
process.exitCode = interrupt.signal.aborted ? 130 : code
