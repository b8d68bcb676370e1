/** Most questions that are taken from a reply. */
export const MOST_QUESTIONS = 5
/** A longer one is no question: a model that runs on, or repeats what it was shown. */
export const LONGEST_QUESTION = 400
/** Shorter texts stand in the prompt by chance. */
const LEAST_COPY = 20

export interface CleanQuestions {
  /** Distinct, none of them the message, at most `MOST_QUESTIONS`. */
  readonly questions: readonly string[]
  /** How many were no questions: blank, too long, or copied from the prompt. */
  readonly refused: number
  /** How many usable ones were over the number. */
  readonly surplus: number
}

/** Takes what can be asked out of a reply. Linear in its length. */
export function cleanQuestions(
  reply: readonly string[],
  shown: { readonly message: string; readonly system: string },
): CleanQuestions {
  const system = folded(shown.system)
  const seen = new Set([folded(shown.message)])
  const questions: string[] = []
  let [refused, surplus] = [0, 0]
  for (const text of reply) {
    const question = text.length > 4 * LONGEST_QUESTION ? null : asQuestion(text)
    if (question === null || isCopied(folded(question), system)) {
      refused++
      continue
    }
    const key = folded(question)
    if (seen.has(key)) continue
    seen.add(key)
    if (questions.length < MOST_QUESTIONS) questions.push(question)
    else surplus++
  }
  return { questions, refused, surplus }
}

function asQuestion(text: string): string | null {
  const question = text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/u, '')
    .trim()
  const isUsable = question.length <= LONGEST_QUESTION && /[\p{L}\p{N}]/u.test(question)
  return isUsable && !/<\/?(?:conversation|message)>/i.test(question) ? question : null
}

function isCopied(question: string, system: string): boolean {
  return question.length >= LEAST_COPY && system.includes(question)
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}
