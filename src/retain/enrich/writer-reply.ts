import * as z from 'zod'

/** What a model says of one passage; nothing of it is checked yet but its form. */
export interface WrittenPassage {
  readonly id: number
  readonly questions: readonly string[]
  readonly statement: string
  readonly concepts: readonly string[]
}

const PASSAGE = z.object({
  id: z.number(),
  questions: z.array(z.string()),
  statement: z.string(),
  concepts: z.array(z.string()),
})

/** The reply's form. Small models leave things out or write a text for a list: what can be read is read. */
export const WRITER_REPLY: z.ZodType<{ readonly passages: readonly WrittenPassage[] }> = z.preprocess(
  tidy,
  z.object({ passages: z.array(PASSAGE) }),
)

function tidy(reply: unknown): unknown {
  const list = Array.isArray(reply) ? reply : field(reply, 'passages')
  if (!Array.isArray(list)) return reply
  return {
    passages: list.flatMap((one: unknown) => {
      const id = Number(field(one, 'id'))
      if (!Number.isInteger(id)) return []
      const [statement = ''] = textsOf(field(one, 'statement'))
      return [
        {
          id,
          questions: textsOf(field(one, 'questions')),
          statement,
          concepts: textsOf(field(one, 'concepts')),
        },
      ]
    }),
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
