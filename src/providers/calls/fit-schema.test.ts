import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { fitToSchema, type JsonSchema } from './fit-schema.ts'

const of = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema // a schema is an object
const questions = z.object({ questions: z.array(z.string()) })
const chunks = z.object({
  chunks: z.array(
    z.object({
      chunkId: z.number(),
      questions: z.array(z.string()),
      statement: z.string().nullable().optional(),
    }),
  ),
})

describe('what leaves one way only', () => {
  test.each<[string, z.ZodType, unknown, unknown]>([
    [
      'case, number and spelling of keys',
      chunks,
      { Chunk: [{ chunk_id: 1, Question: ['a'] }] },
      { chunks: [{ chunkId: 1, questions: ['a'] }] },
    ],
    ['a bare array', questions, ['a', 'b'], { questions: ['a', 'b'] }],
    ['an array of one object', questions, [{ questions: ['a'] }], { questions: ['a'] }],
    ['a wrapper', questions, { result: { questions: ['a'] } }, { questions: ['a'] }],
    ['a wrapper of an array', questions, { output: ['a'] }, { questions: ['a'] }],
    ['an object around an array', z.array(z.string()), { list: ['a'] }, ['a']],
    ['one object for an array', z.array(z.object({ a: z.string() })), { a: 'x' }, [{ a: 'x' }]],
    ['one text for an array', questions, { questions: 'a' }, { questions: ['a'] }],
    [
      'objects with one text for texts',
      questions,
      { questions: [{ question: 'a', n: 1 }] },
      { questions: ['a'] },
    ],
    [
      'texts for objects with one text',
      z.object({ q: z.array(z.object({ text: z.string() })) }),
      { q: ['a'] },
      { q: [{ text: 'a' }] },
    ],
    [
      'numbers as text',
      chunks,
      { chunks: [{ chunkId: '7', questions: [1] }] },
      { chunks: [{ chunkId: 7, questions: ['1'] }] },
    ],
    ['a choice in another case', z.object({ a: z.enum(['yes', 'no']) }), { a: 'Yes' }, { a: 'yes' }],
    ['words for booleans', z.object({ a: z.boolean() }), { a: 'True' }, { a: true }],
    [
      'null for what may be left out',
      z.object({ a: z.string().optional(), b: z.string() }),
      { a: null, b: 'x' },
      { b: 'x' },
    ],
    [
      'null where it may be',
      chunks,
      { chunks: [{ chunkId: 1, questions: [], statement: null }] },
      { chunks: [{ chunkId: 1, questions: [], statement: null }] },
    ],
  ])('%s', (_, schema, value, fitted) => {
    expect(fitToSchema(value, of(schema))).toEqual(fitted)
    expect(schema.safeParse(fitted).success).toBe(true)
  })
})

test.each<[z.ZodType, unknown]>([
  [z.object({ a: z.array(z.string()), b: z.array(z.string()) }), ['x']],
  [questions, { Question: ['a'], question: ['b'] }],
  [questions, { one: ['a'], two: ['b'] }],
  [z.array(z.string()), { one: ['a'], two: ['b'] }],
  [z.object({ n: z.number() }), { n: 'many' }],
  [questions, null],
  [questions, 3],
])('what leaves several, or none, stays as it is: %j', (schema, value) => {
  expect(fitToSchema(value, of(schema))).toEqual(value)
})
