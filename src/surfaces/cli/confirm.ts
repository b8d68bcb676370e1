import { createInterface } from 'node:readline/promises'
import { ProlepsisError } from '../schema/names.ts'
import type { CliContext } from './context.ts'
import { isTerminal } from './io.ts'

/**
 * Asks a person on a terminal.
 * @throws ProlepsisError INVALID_ARGUMENT where nobody can be asked
 */
export async function isConfirmed(context: CliContext, question: string, why: string): Promise<boolean> {
  const { stdin, stderr, signal } = context.io
  if (!isTerminal(stdin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', why, { hint: 'Add --yes to confirm.' })
  }
  const prompt = createInterface({ input: stdin, output: stderr })
  try {
    const answer = await prompt.question(`${question} [y/N] `, { signal })
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    prompt.close()
  }
}
