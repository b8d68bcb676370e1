import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanQuestions, LONGEST_QUESTION, MOST_QUESTIONS } from './clean-questions.ts'

const SYSTEM = 'Write one to five distinct questions whose answers would help to reply to the message.'
const shown = { message: 'And her brother?', system: SYSTEM }
const clean = (reply: readonly string[]): readonly string[] => cleanQuestions(reply, shown).questions

test('list marks, line breaks and NUL go, the question stays', () => {
  expect(
    clean(['1. Where does\nBen live?', '- Is Ben\u0000 older?', '2) Who is Ben?', '• Wo wohnt Ben?']),
  ).toEqual(['Where does Ben live?', 'Is Ben older?', 'Who is Ben?', 'Wo wohnt Ben?'])
})

test('what is said twice is asked once, and the message is no question beside itself', () => {
  expect(clean(['Who is Ben?', ' who is  BEN? ', 'and her brother?'])).toEqual(['Who is Ben?'])
})

test('of 500 questions the first are taken', () => {
  const many = Array.from({ length: 500 }, (_, i) => `What happened on day ${i}?`)
  const { questions, surplus } = cleanQuestions(many, shown)
  expect(questions).toEqual(many.slice(0, MOST_QUESTIONS))
  expect(surplus).toBe(500 - MOST_QUESTIONS)
})

test('a question of 10,000 characters, a blank one, dots, a copy of the prompt, our own marks are refused', () => {
  const copy = 'Questions whose answers would help to reply to the message.'.slice(10)
  const bad = [
    'a'.repeat(10_000),
    ' ',
    '…',
    copy,
    '<message> > And her brother?',
    'b '.repeat(LONGEST_QUESTION),
  ]
  expect(cleanQuestions([...bad, 'Who is Ben?'], shown)).toEqual({
    ...{ questions: ['Who is Ben?'], refused: bad.length, surplus: 0 },
  })
})

test('whatever comes, what goes out can be asked and stored', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 900, unit: 'binary' })), (reply) => {
      const questions = clean(reply)
      expect(questions.length).toBeLessThanOrEqual(MOST_QUESTIONS)
      for (const question of questions) {
        expect(question.length).toBeLessThanOrEqual(LONGEST_QUESTION)
        expect(question).toMatch(/[\p{L}\p{N}]/u)
        expect(question).not.toMatch(/[\p{Cc}\p{Surrogate}]/u)
        expect(question).toBe(question.trim())
      }
    }),
  )
})
