import { expect, test } from 'vitest'
import * as z from 'zod'
import { WRITER_REPLY } from './writer-reply.ts'

const read = (reply: unknown) => WRITER_REPLY.safeParse(reply)
const passage = { id: 1, questions: ['When?'], statement: 'It was.', concepts: [] }

test('a reply in the form that was asked for is read as it is', () => {
  expect(read({ passages: [passage] }).data).toEqual({ passages: [passage] })
})

test.each([
  ['a bare list', [passage]],
  ['an id as text', { passages: [{ ...passage, id: '1' }] }],
  ['one question as text', { passages: [{ ...passage, questions: 'When?' }] }],
  ['no concepts', { passages: [{ id: 1, questions: ['When?'], statement: 'It was.' }] }],
  ['other things among the texts', { passages: [{ ...passage, questions: ['When?', 7, null, {}] }] }],
  ['an entry without an id', { passages: [{ questions: ['Who?'] }, passage, null, 'x'] }],
])('%s is forgiven', (_, reply) => {
  expect(read(reply).data).toEqual({ passages: [passage] })
})

test.each([null, 7, 'When?', {}, { questions: ['When?'] }, { passages: 'none' }])(
  '%j is no reply',
  (reply) => {
    expect(read(reply).success).toBe(false)
  },
)

test('a model that can be held to a form is told the plain one', () => {
  expect(z.toJSONSchema(WRITER_REPLY, { io: 'input', unrepresentable: 'any' })).toMatchObject({
    type: 'object',
    required: ['passages'],
    properties: {
      passages: { type: 'array', items: { required: ['id', 'questions', 'statement', 'concepts'] } },
    },
  })
})
