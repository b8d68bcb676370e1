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

/** Far more than anybody writes, far less than what a stack or PostgreSQL's JSON parser bears. */
const MAX_JSON_DEPTH = 200

/**
 * The same for every string and key of a JSON value.
 *
 * @throws ProlepsisError INVALID_TEXT, INVALID_ARGUMENT when it is nested over 200 levels deep
 */
export function assertWellFormedJson(value: unknown, what: string): void {
  assertAtDepth(value, what, 0)
}

function assertAtDepth(value: unknown, what: string, depth: number): void {
  if (typeof value === 'string') assertWellFormed(value, what)
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_JSON_DEPTH) {
    throw new ProlepsisError('INVALID_ARGUMENT', `${what} is nested over ${MAX_JSON_DEPTH} levels deep.`, {
      hint: 'Flatten it.',
      details: { option: what },
    })
  }
  for (const [key, item] of Object.entries(value)) {
    assertWellFormed(key, what)
    assertAtDepth(item, what, depth + 1)
  }
}

function invalid(what: string, found: string, offset: number): ProlepsisError {
  return new ProlepsisError('INVALID_TEXT', `There is ${found} at position ${offset} of ${what}.`, {
    hint: 'Remove it, or decode the text with its true encoding first.',
    details: { what, offset },
  })
}
