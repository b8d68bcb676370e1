import { ProlepsisError } from '../domain/errors.ts'
import { didYouMean } from '../domain/nearest-name.ts'
import { assertWellFormed } from '../domain/well-formed.ts'

/** Refuses what is no object, and keys that `call` does not know, naming the nearest one that it does. */
export function checkKeys(options: unknown, known: readonly string[], call: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ProlepsisError('INVALID_ARGUMENT', `The options of ${call} must be an object.`, {
      hint: `It may have: ${known.join(', ')}.`,
      details: { option: 'options' },
    })
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new ProlepsisError('UNKNOWN_OPTION', `${call} has no option "${unknown}".`, {
    hint: didYouMean(unknown, known, `Options: ${known.join(', ')}.`),
    details: { option: unknown },
  })
}

/** False when it was not given. */
export function checkFlag(value: unknown, option: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw new ProlepsisError('INVALID_ARGUMENT', `${option} must be true or false.`, {
    hint: `Give ${option}: true, or leave it out.`,
    details: { option },
  })
}

export function checkText(value: unknown, option: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new ProlepsisError('INVALID_ARGUMENT', `${option} must be a text that is not empty.`, {
      hint: `Give ${option} as a string.`,
      details: { option },
    })
  }
  assertWellFormed(value, option)
  return value
}

/** A whole number within the bounds, or the default when it was not given. */
export function checkWhole(
  value: unknown,
  option: string,
  bounds: { readonly least: number; readonly most: number; readonly default: number },
): number {
  if (value === undefined) return bounds.default
  if (typeof value === 'number' && Number.isInteger(value) && value >= bounds.least && value <= bounds.most) {
    return value
  }
  throw new ProlepsisError(
    'INVALID_ARGUMENT',
    `${option} must be a whole number from ${bounds.least} to ${bounds.most}; it is ${String(value)}.`,
    { hint: `Leave it out for ${bounds.default}.`, details: { option } },
  )
}
