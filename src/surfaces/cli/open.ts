import { createMemory, type Memory } from '../../index.ts'
import type { CommonOptions } from './context.ts'
import { type CliIo, isTerminal, write } from './io.ts'
import { defined } from './options.ts'
import { printable } from './render/printable.ts'

/** The memory that a command works on; warnings of the engine go to standard error. */
export function openForCommand(options: CommonOptions, io: CliIo): Promise<Memory> {
  const { bank, dataDir, databaseUrl } = options
  return createMemory({
    ...defined({ bank, dataDir, databaseUrl }),
    cwd: io.cwd,
    onEvent: (event) => {
      if (event.type === 'drain-start' && isTerminal(io.stderr))
        void write(io.stderr, 'Working on what is in line for the model; Ctrl-C leaves it there.\n')
      if (event.type === 'warning') void write(io.stderr, `warning: ${printable(event.message)}\n`)
    },
  })
}
