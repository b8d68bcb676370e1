import type { Document } from '../../domain/document.ts'
import {
  choosePrompt,
  fillPrompt,
  loadPrompt,
  type PromptTexts,
  promptId,
} from '../../domain/prompt-files.ts'
import { quotedLines } from '../../domain/quoted-lines.ts'
import { head, SHOWN_AFTER, SHOWN_BEFORE, type ShownChunk, tail } from './shown-chunk.ts'

/** What the writer of questions is told, and under which name it is remembered. */
export interface WriterPrompt {
  /** The replaceable prompt with the fixed rules of the reply. */
  readonly system: string
  /** `questions@1 questions-reply@1` */
  readonly id: string
}

export async function writerPrompt(
  ofCall: PromptTexts | undefined,
  ofBank: Readonly<Record<string, unknown>> | undefined,
): Promise<WriterPrompt> {
  const task = await choosePrompt('questions', ofCall, ofBank)
  const reply = await loadPrompt('questions-reply')
  return {
    system: `${fillPrompt(task.text, {})}\n\n${reply.text}`,
    id: `${promptId(task)} ${promptId(reply)}`,
  }
}

/**
 * The passages of one call, numbered from 1 in the order of `asked`, each with what stands around it. Everything stored is quoted line by
 * line: no text can end its block.
 *
 * @param around chunks of the document in reading order, those that are asked among them
 */
export function passagesPrompt(
  document: Pick<Document, 'title' | 'occurredAt'>,
  asked: readonly ShownChunk[],
  around: readonly ShownChunk[],
): string {
  const numbers = new Map(asked.map((chunk, at) => [chunk.chunkId, at + 1]))
  const blocks: string[] = []
  if (document.title !== null)
    blocks.push(`<context>\n${quotedLines(`title: ${document.title}`)}\n</context>`)
  for (const chunk of shownWith(asked, around)) {
    const number = numbers.get(chunk.chunkId)
    blocks.push(number === undefined ? context(chunk, asked) : passage(chunk, number))
  }
  return blocks.join('\n\n')
}

/** Those that are asked about, and those near enough to one of them to be shown, in reading order. */
export function shownWith(
  asked: readonly ShownChunk[],
  around: readonly ShownChunk[],
): readonly ShownChunk[] {
  return around.filter(({ ordinal }) =>
    asked.some((one) => ordinal >= one.ordinal - SHOWN_BEFORE && ordinal <= one.ordinal + SHOWN_AFTER),
  )
}

function passage({ facts, text, most }: ShownChunk, number: number): string {
  const lines = quotedLines([...facts, ...(facts.length === 0 ? [] : ['']), text].join('\n'))
  return `<passage ${number}, at most ${most} question${most === 1 ? '' : 's'}>\n${lines}\n</passage ${number}>`
}

function context({ facts, text, ordinal }: ShownChunk, asked: readonly ShownChunk[]): string {
  const isBefore = asked.some((one) => one.ordinal > ordinal && one.ordinal <= ordinal + SHOWN_BEFORE)
  const lines = quotedLines([...facts, isBefore ? tail(text) : head(text)].join('\n'))
  return `<context>\n${lines}\n</context>`
}
