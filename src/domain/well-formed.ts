import { ProlepsisError } from './errors.ts'

/** With the u flag a pair is one character, so this matches only halves. */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Refuses what PostgreSQL cannot keep and UTF-8 cannot write: NUL and lone surrogates, in a text or anywhere in a
 * JSON value. `what` names it in the message (`tags`, `the text`).
 *
 * @throws ProlepsisError INVALID_TEXT, with the UTF-16 offset in details
 */
export function assertWellFormed(text: string, what: string): void {
  const nul = text.indexOf('\u0000')
  if (nul >= 0) throw invalid(what, 'a NUL character', nul)
  const lone = text.search(LONE_SURROGATE)
  if (lone >= 0) throw invalid(what, 'a lone surrogate', lone)
}

/** The same for every string and key of a JSON value. */
export function assertWellFormedJson(value: unknown, what: string): void {
  if (typeof value === 'string') assertWellFormed(value, what)
  else if (Array.isArray(value)) for (const item of value) assertWellFormedJson(item, what)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      assertWellFormed(key, what)
      assertWellFormedJson(item, what)
    }
  }
}

function invalid(what: string, found: string, offset: number): ProlepsisError {
  return new ProlepsisError('INVALID_TEXT', `There is ${found} at position ${offset} of ${what}.`, {
    hint: 'Remove it, or decode the text with its true encoding first.',
    details: { what, offset },
  })
}
