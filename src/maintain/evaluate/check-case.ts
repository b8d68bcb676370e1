import * as z from 'zod'
import { isBlank } from '../../domain/blank.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import type { EvaluationCase, Expectation } from '../../domain/evaluation.ts'
import { parseRef } from '../../domain/ref.ts'

const text = z
  .string('must be a text')
  .refine((value) => !isBlank(value), 'must not be blank')
  .refine((value) => !/[\0\uD800-\uDFFF]/u.test(value), 'holds a NUL or half of a surrogate pair')

const expectation = z
  .strictObject({ source: text.optional(), ref: text.optional(), passage: text.optional() })
  .transform((value, context): Expectation => {
    const place = value.ref === undefined ? null : parseRef(value.ref)
    if (value.ref !== undefined && place === null)
      context.addIssue({ code: 'custom', path: ['ref'], message: 'is not a ref such as notes.md#3' })
    const source = value.source ?? place?.source
    if (source === undefined) context.addIssue({ code: 'custom', message: 'needs a source or a ref' })
    if (place !== null && source !== undefined && place.source !== source)
      context.addIssue({ code: 'custom', path: ['ref'], message: 'is of another source' })
    const { ref, passage } = value
    return {
      source: source ?? '',
      ...(ref === undefined ? {} : { ref }),
      ...(passage === undefined ? {} : { passage }),
    }
  })

const CASE = z.strictObject({
  id: text.optional(),
  question: text,
  history: z.array(z.strictObject({ role: text, content: text })).optional(),
  queries: z.array(text).optional(),
  expect: z.array(expectation).min(1, 'must name what is expected'),
  class: text.optional(),
  answer: text.optional(),
})

/** An EvaluationCase that has its id. */
export type NamedCase = EvaluationCase & { readonly id: string }

export interface CasePlace {
  /** In words, as an error names it: `Line 3`, `Case 2`. */
  readonly name: string
  /** From 1. */
  readonly line?: number
}

/** @throws ProlepsisError EVAL_INVALID naming the place, the member and what is wrong with it */
export function checkCase(value: unknown, place: CasePlace, number: number): NamedCase {
  const read = CASE.safeParse(value)
  if (read.success) {
    const { id = `q${number}`, ...rest } = withoutUndefined(read.data)
    return { id, ...rest }
  }
  const [issue] = read.error.issues
  const member = issue?.path.join('.') ?? ''
  const what =
    issue?.code === 'unrecognized_keys'
      ? `has no member "${String(issue.keys[0]).slice(0, 60)}" to know of`
      : issue?.code === 'invalid_type' && !issue.message.startsWith('must')
        ? 'is missing or of another type'
        : (issue?.message ?? 'cannot be read')
  throw invalidCase(place, `${member === '' ? 'the case' : member} ${what}`)
}

export function invalidCase({ name, line }: CasePlace, what: string): ProlepsisError {
  return new ProlepsisError('EVAL_INVALID', `${name}: ${what}.`, {
    hint: 'A case is { "question", "expect": [{ "source", "ref", "passage" }], "id", "class", "history", "queries", "answer" }, or Markdown: `## id | class`, the question, `expect: source`.',
    details: line === undefined ? {} : { line },
  })
}

/** @throws ProlepsisError EVAL_INVALID for an id that two cases have */
export function assertDistinct(cases: readonly NamedCase[], places: readonly CasePlace[]): void {
  const seen = new Set<string>()
  for (const [at, { id }] of cases.entries()) {
    if (seen.has(id)) throw invalidCase(places[at]!, `a case before has the id "${id.slice(0, 60)}" too`)
    seen.add(id)
  }
}

/** The types of the domain are exact: an absent member is not there. */
function withoutUndefined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>
  }
}
