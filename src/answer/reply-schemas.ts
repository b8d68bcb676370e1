import * as z from 'zod'
import { ANSWER_STATUSES, type AnswerStatus } from '../domain/answer.ts'

/** What a model says and where it says it has it from. Nothing of it is believed yet. */
export interface DraftSentence {
  readonly text: string
  readonly citations: readonly DraftCitation[]
}

export interface DraftCitation {
  /** Number of the evidence; 0 when it is none. */
  readonly id: number
  readonly quote: string
}

export interface DraftAnswer {
  readonly status: AnswerStatus
  readonly sentences: readonly DraftSentence[]
  readonly followUp: string | null
}

export const VERDICTS = ['supported', 'partly', 'unsupported'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface CheckedSentence {
  readonly id: number
  readonly verdict: Verdict
  readonly citations: readonly DraftCitation[]
}

export interface JoinedFact {
  readonly text: string
  readonly ids: readonly number[]
}

/** A follow-up question is one, not an essay. */
const LONGEST_FOLLOW_UP = 1_000

// Models are told the plain form (`meta`), and read by tolerant functions: one sentence with a wrong key must not cost the others.
const CITATIONS_FORM = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: { type: 'integer' }, quote: { type: 'string' } },
    required: ['id', 'quote'],
  },
} as const
const SENTENCES_FORM = {
  type: 'array',
  items: {
    type: 'object',
    properties: { text: { type: 'string' }, citations: CITATIONS_FORM },
    required: ['text', 'citations'],
  },
} as const
const sentences = z.array(z.unknown()).meta(SENTENCES_FORM).transform(readAll(readSentence, 'sentence'))

export const ANSWER: z.ZodType<DraftAnswer> = z
  .object({
    status: z
      .string()
      .meta({ type: 'string', enum: [...ANSWER_STATUSES] })
      .optional(),
    sentences: sentences.optional(),
    followUp: z.string().nullish().catch(null),
  })
  .refine((reply) => readStatus(reply.status) !== null || reply.sentences !== undefined, {
    message: 'It has neither status nor sentences.',
  })
  .transform(({ status, sentences: said = [], followUp }) =>
    draft(readStatus(status), said, readFollowUp(followUp)),
  )

export const CHECK: z.ZodType<readonly CheckedSentence[]> = z
  .object({
    sentences: z.array(z.unknown()).meta({
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          verdict: { type: 'string', enum: [...VERDICTS] },
          citations: CITATIONS_FORM,
        },
        required: ['id', 'verdict'],
      },
    }),
  })
  .transform((reply, context) => readAll(readChecked, 'verdict')(reply.sentences, context))

export const FACTS: z.ZodType<readonly DraftSentence[]> = z
  .object({ facts: sentences })
  .transform((reply) => reply.facts)

export const JOINED: z.ZodType<readonly JoinedFact[]> = z
  .object({
    items: z.array(z.unknown()).meta({
      type: 'array',
      items: {
        type: 'object',
        properties: { text: { type: 'string' }, ids: { type: 'array', items: { type: 'integer' } } },
        required: ['text', 'ids'],
      },
    }),
  })
  .transform((reply, context) => readAll(readJoined, 'item')(reply.items, context))

/** What a reply comes to: nothing said is not in memory. */
export function draft(
  status: AnswerStatus | null,
  said: readonly DraftSentence[],
  followUp: string | null,
): DraftAnswer {
  const answered = status !== 'not-in-memory' && said.length > 0
  return { status: answered ? 'answered' : 'not-in-memory', sentences: answered ? said : [], followUp }
}

/** A sentence; a bare text is one without citations; null when it is none. */
export function readSentence(value: unknown): DraftSentence | null {
  const { text = value, citations }: { text?: unknown; citations?: unknown } = Object(value)
  const said = readText(text)
  return said === '' ? null : { text: said, citations: readCitations(citations) }
}

export function readStatus(value: unknown): AnswerStatus | null {
  const plain = readText(value)
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
  return ANSWER_STATUSES.find((status) => status === plain) ?? null
}

export function readFollowUp(value: unknown): string | null {
  const question = readText(value)
  return question === '' || question.length > LONGEST_FOLLOW_UP || /^(null|none)$/i.test(question)
    ? null
    : question
}

function readCitations(value: unknown): DraftCitation[] {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  return list.map((one: unknown) => {
    const { id, quote }: { id?: unknown; quote?: unknown } = Object(one)
    return { id: readNumber(id), quote: readText(quote) }
  })
}

function readChecked(value: unknown): CheckedSentence | null {
  const { id, verdict, citations }: { id?: unknown; verdict?: unknown; citations?: unknown } = Object(value)
  const number = readNumber(id)
  if (number === 0) return null
  const plain = readText(verdict).toLowerCase()
  // a verdict that is none supports nothing
  const known = VERDICTS.find((one) => one === plain) ?? 'unsupported'
  return { id: number, verdict: known, citations: readCitations(citations) }
}

function readJoined(value: unknown): JoinedFact | null {
  const { text, ids }: { text?: unknown; ids?: unknown } = Object(value)
  const said = readText(text)
  return said === '' ? null : { text: said, ids: (Array.isArray(ids) ? ids : [ids]).map(readNumber) }
}

/** `3`, `"3"`, `"[3]"`, `"passage 3"`; 0 for what is no number from 1. */
function readNumber(value: unknown): number {
  const number = typeof value === 'string' ? Number(/\d+/.exec(value)?.[0] ?? 0) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : 0
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\u0000', '').trim() : ''
}

/**
 * Those that can be read. A list of which nothing can is another reply than was asked for: it must not pass for one that found nothing. (Blanks are a
 * way to say nothing.)
 */
function readAll<T>(
  read: (value: unknown) => T | null,
  name: string,
): (values: readonly unknown[], context: z.RefinementCtx) => T[] {
  return (values, context) => {
    const found = values.flatMap((value) => {
      const one = read(value)
      return one === null ? [] : [one]
    })
    if (found.length === 0 && values.some((value) => !isBlank(value)))
      context.addIssue({ code: 'custom', message: `It has a list without a ${name} that can be read.` })
    return found
  }
}

export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && readText(value) === '')
}
