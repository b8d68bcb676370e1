import type * as z from 'zod'
import type { ModelCall } from '../model-calls.ts'
import { fitToSchema, type JsonSchema } from './fit-schema.ts'
import { type ReplyErrorKind, readJson } from './read-json.ts'

/** Why a reply cannot be used, for the trace and for the model itself. */
export interface Misread {
  readonly errorKind: ReplyErrorKind
  readonly why: string
}

/** The first reading of the reply that the schema takes, as it is or moved towards it. */
export function readReply<T>(
  reply: string,
  call: ModelCall & { readonly schema: z.ZodType<T> },
  jsonSchema: JsonSchema,
): { readonly value: T } | Misread {
  const reading = readJson(reply, [call.system, call.prompt])
  if ('errorKind' in reading) return { errorKind: reading.errorKind, why: WHY[reading.errorKind] }
  for (const move of [(value: unknown) => value, (value: unknown) => fitToSchema(value, jsonSchema)]) {
    for (const value of reading.values) {
      const parsed = call.schema.safeParse(move(value))
      if (parsed.success) return { value: parsed.data }
    }
  }
  const { error } = call.schema.safeParse(reading.values[0])
  const issues = error?.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'the reply'}: ${message}`)
  if (reading.isRepaired) return { errorKind: 'malformed', why: WHY.malformed }
  return {
    errorKind: 'schema',
    why: `It does not have the form that is wanted: ${issues?.join('; ').slice(0, 400)}.`,
  }
}

const WHY: Readonly<Record<Exclude<ReplyErrorKind, 'schema'>, string>> = {
  empty: 'It was empty.',
  prose: 'It held no JSON.',
  malformed: 'Its JSON cannot be read.',
}

/** Asks once more, and says what was wrong. */
export const repairNote = ({ why }: Misread): string =>
  `Your reply to this could not be used. ${why} Reply again: JSON alone, in the form that the instructions give, with no other text.`
