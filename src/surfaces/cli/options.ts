import { InvalidArgumentError } from 'commander'

/** Parsers of option values; a bad value is wrong use (exit code 2). */

export function wholeNumber(value: string): number {
  const number = Number(value)
  if (!/^\d+$/.test(value.trim()) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('A whole number, 0 or more, is expected.')
  return number
}

export function positiveNumber(value: string): number {
  const number = wholeNumber(value)
  if (number === 0) throw new InvalidArgumentError('A whole number, 1 or more, is expected.')
  return number
}

/** `10`, `10kb`, `5 MiB`: bytes, in powers of 1024. */
export function byteSize(value: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb?|kib|mb?|mib|gb?|gib)?$/i.exec(value.trim())
  if (match === null) throw new InvalidArgumentError('A size such as 500kb or 10MB is expected.')
  const power = { b: 0, k: 1, m: 2, g: 3 }[(match[2] ?? 'b')[0]!.toLowerCase()] ?? 0
  return Math.floor(Number(match[1]) * 1024 ** power)
}

export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** `key=value`, repeatable; the value is JSON where it parses as such, else a string. */
export function keyValue(
  value: string,
  before: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const at = value.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('The form key=value is expected.')
  return { ...before, [value.slice(0, at)]: jsonOrText(value.slice(at + 1)) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the text itself is the value.
    return text
  }
}

/** `channel=number`, repeatable. */
export function channelWeight(
  value: string,
  before: Readonly<Record<string, number>> | undefined,
): Record<string, number> {
  const [channel, number] = value.split('=')
  const weight = Number(number)
  if (channel === undefined || number === undefined || number === '' || !(weight >= 0))
    throw new InvalidArgumentError('The form channel=number is expected, the number 0 or more.')
  return { ...before, [channel]: weight }
}

/** Drops absent values: the library's options are exact. */
export function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // The filter removes exactly the undefined members that the type drops.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
