import * as z from 'zod'

/** What a grader replies, as loosely as it can be read: numbers may be texts, grades a list in the documents' order. */
export interface Grades {
  readonly grades?: Readonly<Record<string, number | string>> | readonly (number | string)[] | undefined
  readonly ranking?: readonly (number | string)[] | undefined
}

const amount = z.union([z.number(), z.string()])
export const GRADES: z.ZodType<Grades> = z.object({
  grades: z.union([z.record(z.string(), amount), z.array(amount)]).optional(),
  ranking: z.array(amount).optional(),
})

export const BEST_GRADE = 3

/**
 * Scores out of grades, by index of the document: first by grade, then by place in the ranking, then as they came. A document that the
 * reply does not judge keeps its place; numbers of documents that do not exist are passed over. Null when no document is judged.
 *
 * @returns one whole number a document, from `count` for the first to 1 for the last
 */
export function scoresOf(reply: Grades, count: number): number[] | null {
  const grades = gradesByIndex(reply.grades ?? {}, count)
  const places = placesByIndex(reply.ranking ?? [], count)
  const judged = [...(grades.size > 0 ? grades : places).keys()].sort((a, b) => a - b)
  if (judged.length === 0) return null
  const gradeOf = (index: number): number => grades.get(index) ?? 0
  const placeOf = (index: number): number => places.get(index) ?? count + index
  const ordered = [...judged].sort((a, b) => gradeOf(b) - gradeOf(a) || placeOf(a) - placeOf(b) || a - b)
  const order = Array.from({ length: count }, (_, index) => index)
  judged.forEach((place, i) => {
    order[place] = ordered[i] ?? place
  })
  const scores = new Array<number>(count).fill(0)
  order.forEach((index, place) => {
    scores[index] = count - place
  })
  return scores
}

function gradesByIndex(given: NonNullable<Grades['grades']>, count: number): Map<number, number> {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(given)
    ? given.map((grade, i) => [i + 1, grade])
    : Object.entries(given)
  const grades = new Map<number, number>()
  for (const [number, value] of entries) {
    const index = indexOf(number, count)
    const grade = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
    if (index === null || !Number.isFinite(grade)) continue
    grades.set(index, Math.min(BEST_GRADE, Math.max(0, grade)))
  }
  return grades
}

function placesByIndex(given: readonly unknown[], count: number): Map<number, number> {
  const places = new Map<number, number>()
  for (const number of given) {
    const index = indexOf(number, count)
    if (index !== null && !places.has(index)) places.set(index, places.size)
  }
  return places
}

/** `3`, `"3"`, `"[3]"`, `"document 3"`; no fraction, nothing below zero. */
function indexOf(number: unknown, count: number): number | null {
  const digits = /^[^\d.-]*(\d{1,4})[^\d.]*$/.exec(String(number))?.[1]
  const index = Number(digits ?? Number.NaN) - 1
  return Number.isInteger(index) && index >= 0 && index < count ? index : null
}
