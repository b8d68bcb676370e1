import { ProlepsisError } from './errors.ts'
import { assertWellFormedJson } from './well-formed.ts'

/**
 * Refuses what JSON would drop, change or stumble over (functions, symbols, BigInt, NaN, dates, maps, instances of classes, cycles),
 * and what `assertWellFormedJson` refuses: what is kept is to be what was given.
 *
 * @param what names the value in the message
 * @param absent what a member that is undefined does: `skip` leaves it out, as JSON does; `refuse` where leaving out changes the meaning
 * @throws ProlepsisError INVALID_ARGUMENT with the path in details.option; INVALID_TEXT
 */
export function assertPlainJson(value: unknown, what: string, absent: 'skip' | 'refuse'): void {
  assertPlain(value, what, { absent, above: new Set() })
  assertWellFormedJson(value, what)
}

interface Walk {
  readonly absent: 'skip' | 'refuse'
  /** The objects that hold the one that is looked at. */
  readonly above: Set<object>
}

function assertPlain(value: unknown, path: string, walk: Walk): void {
  if (typeof value !== 'object' || value === null) {
    assertScalar(value, path)
    return
  }
  if (walk.above.has(value)) throw refused(path, 'holds itself', 'Break the cycle.')
  // so deep that assertWellFormedJson says so
  if (walk.above.size > 1000) return
  walk.above.add(value)
  if (Array.isArray(value)) {
    // by index, so that a hole counts as undefined
    for (let at = 0; at < value.length; at++) assertPlain(value[at], `${path}[${at}]`, walk)
  } else {
    assertPlainObject(value, path)
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined && walk.absent === 'skip') continue
      assertPlain(item, `${path}.${key.slice(0, 60)}`, walk)
    }
  }
  walk.above.delete(value)
}

function assertScalar(value: unknown, path: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return
    throw refused(path, `is ${value}, which JSON does not have`, 'Give a finite number, a text or null.')
  }
  if (typeof value === 'bigint')
    throw refused(path, 'is a BigInt, which JSON does not have', 'Give a number, or a text of its digits.')
  const kind = value === undefined ? 'undefined' : `a ${typeof value}`
  throw refused(
    path,
    `is ${kind}, which JSON does not have`,
    'Leave it out, or give null, a text or a number.',
  )
}

function assertPlainObject(value: object, path: string): void {
  if (value instanceof Date)
    throw refused(path, 'is a Date, which JSON does not have', 'Give date.toISOString().')
  const prototype: unknown = Object.getPrototypeOf(value)
  // a plain object of another realm has a prototype of its own, which has none
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) {
    const name = value.constructor?.name || 'a class'
    throw refused(
      path,
      `is an instance of ${name}, which JSON does not have`,
      'Give a plain object or a list.',
    )
  }
  if (Object.getOwnPropertySymbols(value).length > 0)
    throw refused(path, 'has a symbol as a key, which JSON does not have', 'Give texts as keys.')
}

function refused(path: string, reason: string, hint: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `${path} ${reason}.`, { hint, details: { option: path } })
}
