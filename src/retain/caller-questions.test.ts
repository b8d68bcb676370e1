import { expect, test } from 'vitest'
import { createAnalyser } from '../domain/analysis/create-analyser.ts'
import { assignQuestions } from './caller-questions.ts'

const analyser = await createAnalyser('english')
const whole = (questions: string[], chunks: string[]) =>
  Object.fromEntries(assignQuestions({ kind: 'whole', questions }, chunks, analyser))

test('a question goes to the chunk that shares its rare words', () => {
  const chunks = [
    'The office opens at nine and the office closes at five.',
    'The printer of the office is on the second floor.',
    'Lunch is at noon.',
  ]
  expect(whole(['When does the office close?', 'Where is the printer?', 'When is lunch?'], chunks)).toEqual({
    0: ['When does the office close?'],
    1: ['Where is the printer?'],
    2: ['When is lunch?'],
  })
})

test('a long chunk does not win by its length', () => {
  const long = `${'Many other words stand here about everything and nothing at all. '.repeat(30)} The cat sleeps.`
  expect(whole(['Where does the cat sleep?'], [long, 'The cat sleeps on the sofa.'])).toEqual({
    1: ['Where does the cat sleep?'],
  })
})

test('without a shared word the first chunk gets it, of equals the earlier', () => {
  expect(whole(['Why?'], ['a b', 'c d'])).toEqual({ 0: ['Why?'] })
  expect(whole(['Which dog?'], ['one cat', 'one dog', 'one dog'])).toEqual({ 1: ['Which dog?'] })
})

test('questions by ordinal stay where they were put; an ordinal too many is refused', () => {
  const asked = { kind: 'by-chunk', questions: new Map([[1, ['q']]]) } as const
  expect(assignQuestions(asked, ['a', 'b'], analyser)).toEqual(asked.questions)
  expect(() => assignQuestions(asked, ['a'], analyser)).toThrowError(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  )
})
