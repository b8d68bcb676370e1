import * as z from 'zod'
import { isBlank } from '../../domain/blank.ts'
import { type ErrorCode, isProlepsisError } from '../../domain/errors.ts'
import { choosePrompt, loadPrompt, type PromptTexts } from '../../domain/prompt-files.ts'
import { plainLine, quotedLines } from '../../domain/quoted-lines.ts'
import type { ModelCalls } from '../../providers/model-calls.ts'
import type { DraftChunk } from '../../store/queries/draft-chunks.ts'
import type { DraftedQuestion } from './draft-cases.ts'

const REPLY = z.object({
  questions: z.array(z.object({ id: z.number(), question: z.string(), answer: z.string().optional() })),
})
const MOST_OUTPUT_TOKENS_A_CHUNK = 150
/** Characters of a chunk that the model is shown. */
const MOST_CHARACTERS = 4_000
const UNREADABLE: readonly ErrorCode[] = ['MODEL_REPLY_INVALID', 'MODEL_TIMEOUT']
const LONGEST_QUESTION = 500
/** So many of the text's words in a row are its wording, not a question about it. */
const COPIED_WORDS = 6

/**
 * One question a chunk, in the chunks' order; null where none came, or one that is no question: blank, over long, or copied from the text.
 *
 * @throws ProlepsisError what model calls raise
 */
export async function draftByModel(
  model: ModelCalls,
  chunks: readonly DraftChunk[],
  call: {
    readonly prompts: PromptTexts | undefined
    readonly settings: Readonly<Record<string, unknown>> | undefined
    readonly signal: AbortSignal | undefined
    readonly traceId: string
  },
): Promise<readonly (DraftedQuestion | null)[]> {
  const [task, reply] = await Promise.all([
    choosePrompt('draft', call.prompts, call.settings),
    loadPrompt('draft-reply'),
  ])
  const asked = await model
    .generateObject({
      ...{ purpose: 'draft', schema: REPLY, signal: call.signal, traceId: call.traceId },
      ...{ system: `${task.text}\n\n${reply.text}`, prompt: chunks.map(passageText).join('\n\n') },
      maxOutputTokens: 200 + chunks.length * MOST_OUTPUT_TOKENS_A_CHUNK,
      documentIds: [...new Set(chunks.map(({ documentId }) => documentId))],
    })
    .catch((error: unknown) => {
      // one reply that cannot be read costs its chunks, not what was paid for before
      if (isProlepsisError(error) && UNREADABLE.includes(error.code)) return null
      throw error
    })
  const questions = asked?.value.questions ?? []
  return chunks.map(({ text }, at) => {
    const own = questions.find(({ id }) => id === at + 1)
    return own === undefined || !isFit(own.question, text)
      ? null
      : { question: oneLine(own.question), answer: answerOf(own.answer) }
  })
}

function passageText(chunk: DraftChunk, at: number): string {
  const { source, title, label, speaker } = chunk
  const names = Object.entries({ source, title, label, speaker }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}="${plainLine(value, 200).replaceAll('"', "'")}"`],
  )
  const number = at + 1
  return `<passage ${number} ${names.join(' ')}>\n${quotedLines(chunk.text.slice(0, MOST_CHARACTERS))}\n</passage ${number}>`
}

function isFit(question: string, text: string): boolean {
  const line = oneLine(question)
  if (isBlank(line) || line.length > LONGEST_QUESTION || /[\0\uD800-\uDFFF]/u.test(line)) return false
  const words = wordsOf(line)
  const whole = ` ${wordsOf(text).join(' ')} `
  return !words.some((_, at) => {
    const run = words.slice(at, at + COPIED_WORDS)
    return run.length === COPIED_WORDS && whole.includes(` ${run.join(' ')} `)
  })
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const answerOf = (answer: string | undefined): string | null =>
  answer === undefined || isBlank(answer) || /[\0\uD800-\uDFFF]/u.test(answer) ? null : oneLine(answer)

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
