import type { Answer, AnswerSentence, AnswerStatus } from '../domain/answer.ts'

export const NOT_IN_MEMORY = 'Not in memory.'

/** The sentences as one text: running for an answer, a line each for a list. */
export function answerText(
  status: AnswerStatus,
  sentences: readonly AnswerSentence[],
  form: 'running' | 'list',
): string | null {
  if (status === 'not-in-memory') return null
  return form === 'running'
    ? sentences.map(({ text }) => text).join(' ')
    : sentences.map(({ text }) => `- ${text}`).join('\n')
}

/** Sentences with marks, and below the chunks that they stand for: `[1] kelly.md#1, lines 3-4`. */
export function markedAnswer(
  { status, sentences }: Pick<Answer, 'status' | 'sentences'>,
  form: 'running' | 'list',
): string {
  if (status === 'not-in-memory') return NOT_IN_MEMORY
  const numbers = new Map<number, number>()
  const lines: string[] = []
  const marked = sentences.map(({ text, citations }) => {
    const marks = citations.map(({ chunkId, ref, span, trust }) => {
      const known = numbers.get(chunkId)
      if (known !== undefined) return known
      const number = numbers.size + 1
      numbers.set(chunkId, number)
      const to = span.endLine > span.startLine ? `s ${span.startLine}-${span.endLine}` : ` ${span.startLine}`
      lines.push(`[${number}] ${ref}, line${to}${trust === 'web' ? ' (web, unverified)' : ''}`)
      return number
    })
    return `${text} ${[...new Set(marks)].map((mark) => `[${mark}]`).join('')}`
  })
  const body = form === 'running' ? marked.join(' ') : marked.map((one) => `- ${one}`).join('\n')
  return `${body}\n\n${lines.join('\n')}`
}
