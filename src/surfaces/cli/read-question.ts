import type { HistoryMessage } from '../../index.ts'
import { ProlepsisError } from '../schema/names.ts'
import type { CliContext } from './context.ts'
import { decodeUtf8, parseJsonLine, readFileLines } from './files.ts'
import { isTerminal, readAll } from './io.ts'

/** A question is no book: see what recall takes. */
const LARGEST_QUESTION_BYTES = 16 * 1024 * 1024

/** The question of the argument, or what standard input gives. @throws ProlepsisError INVALID_ARGUMENT, INVALID_TEXT, TEXT_TOO_LARGE */
export async function readQuestion(question: string | undefined, { io }: CliContext): Promise<string> {
  if (question !== undefined && question !== '-') return question
  if (question === undefined && isTerminal(io.stdin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'There is no question.', {
      hint: 'Give it as an argument or on standard input.',
    })
  }
  const bytes = await readAll(io.stdin, 'Standard input', LARGEST_QUESTION_BYTES, io.signal)
  return decodeUtf8(bytes, 'Standard input').trim()
}

/** JSON lines of messages; the library checks each. */
export async function readHistory(path: string, { io }: CliContext): Promise<readonly HistoryMessage[]> {
  const messages: HistoryMessage[] = []
  let number = 0
  for await (const line of readFileLines(path, io)) {
    number += 1
    if (line.trim() !== '') messages.push(parseJsonLine(line, `Line ${number} of ${path}`) as HistoryMessage) // checked there
  }
  return messages
}
