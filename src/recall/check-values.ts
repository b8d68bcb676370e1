import { isBlank } from '../domain/blank.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { didYouMean } from '../domain/nearest-name.ts'
import { assertWellFormed } from '../domain/well-formed.ts'

// Each check takes a value that a caller gave and its option's name, and gives the value back typed, or throws
// ProlepsisError INVALID_ARGUMENT (or a narrower code) with the name in details.

export function invalid(option: string, message: string, hint?: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', message, {
    hint: hint ?? 'See docs/errors.md and the types of recall for what each option takes.',
    details: { option },
  })
}

export function assertObject(value: unknown, option: string): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(option, `${option} must be an object.`)
  }
}

export function assertKnown(value: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) {
      throw new ProlepsisError('UNKNOWN_OPTION', `There is no option "${name.slice(0, 60)}" in ${where}.`, {
        hint: didYouMean(name, known, `It takes ${known.join(', ')}.`),
        details: { option: name.slice(0, 60) },
      })
    }
  }
}

export function text(value: unknown, option: string): string {
  if (typeof value !== 'string') throw invalid(option, `${option} must be a string.`)
  assertWellFormed(value, option)
  return value
}

export function messageText(value: unknown, option: string): string {
  const message = text(value, option)
  if (isBlank(message)) {
    throw new ProlepsisError('EMPTY_TEXT', `${option} is blank: there is nothing to ask.`, {
      hint: 'Give the question or message as text.',
      details: { option },
    })
  }
  return message
}

export function list(value: unknown, option: string): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid(option, `${option} must be a list.`)
  return value
}

export function texts(value: unknown, option: string): readonly string[] {
  return list(value, option).map((item, i) => text(item, `${option}[${i}]`))
}

export function flag(value: unknown, option: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw invalid(option, `${option} must be true or false.`)
}

export function whole(value: unknown, option: string, low: number, high: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < low || value > high) {
    throw invalid(option, `${option} must be a whole number from ${low} to ${high}.`)
  }
  return value
}

export function oneOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  option: string,
): Name | undefined {
  if (value === undefined) return undefined
  const found = names.find((name) => name === value)
  if (found === undefined) {
    throw invalid(
      option,
      `${option} must be one of ${names.join(', ')}.`,
      typeof value === 'string' ? didYouMean(value, names, 'See the types of recall.') : undefined,
    )
  }
  return found
}
