import { describe, expect, test } from 'vitest'
import { ANSWER, CHECK, FACTS, JOINED } from './reply-schemas.ts'

describe('a list of which nothing can be read is no reply that found nothing', () => {
  const bad = [1, 2, { x: 'y' }]
  test.each([
    ['answer', ANSWER, { sentences: bad }],
    ['answer with a status', ANSWER, { status: 'answered', sentences: bad }],
    ['check', CHECK, { sentences: bad }],
    ['map', FACTS, { facts: bad }],
    ['reduce', JOINED, { items: bad }],
  ])('%s', (_name, schema, reply) => {
    expect(schema.safeParse(reply).success).toBe(false)
  })
})

test('empty lists and blanks say nothing, and one that can be read costs no other', () => {
  expect(FACTS.parse({ facts: [] })).toEqual([])
  expect(FACTS.parse({ facts: ['', null] })).toEqual([])
  expect(ANSWER.parse({ sentences: [''] }).status).toBe('not-in-memory')
  expect(FACTS.parse({ facts: [3, { text: 'Ana moved.' }] })).toEqual([{ text: 'Ana moved.', citations: [] }])
})
