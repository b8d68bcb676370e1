import { createMemory, type Memory } from '../../index.ts'
import type { CommonOptions } from './context.ts'
import type { CliIo } from './io.ts'
import { write } from './io.ts'
import { defined } from './options.ts'

/** The memory that a command works on; warnings of the engine go to standard error. */
export function openForCommand(options: CommonOptions, io: CliIo): Promise<Memory> {
  const { bank, dataDir, databaseUrl } = options
  return createMemory({
    ...defined({ bank, dataDir, databaseUrl }),
    onEvent: (event) => {
      if (event.type === 'warning') void write(io.stderr, `warning: ${event.message}\n`)
    },
  })
}
