import { describe, expect, it } from 'vitest'
import { agreesWithDates, asksForTime, namedDates, tellsTime } from './time-questions.ts'

describe('namedDates', () => {
  it.each([
    ['What did Ann do in May 2023?', [4], [2023]],
    ['june or July of 2021 and 2022, 2022', [5, 6], [2021, 2022]],
    ['May I march on? You may.', [4], []],
    ['Room 20231, v2023.1-2020', [], []],
    ['Maybe Augusta', [], []],
  ])('%s', (text, months, years) => {
    expect(namedDates(text)).toEqual({ months, years })
  })
})

it('compares a time with the months and years named', () => {
  const time = new Date('2023-05-08T23:59:59Z')
  const at = (months: number[], years: number[]): boolean | null => agreesWithDates({ months, years }, time)
  expect(at([], [])).toBeNull()
  expect(at([4], [])).toBe(true)
  expect(at([4], [2022])).toBe(false)
  expect(at([], [2023])).toBe(true)
  expect(at([3, 4], [2023])).toBe(true)
  expect(at([3], [2023])).toBe(false)
})

it('knows a question for a time', () => {
  const asked = [
    'When did Ann go?',
    'how long has she',
    'In which month was it?',
    'Whenever it rains?',
    'Who went when?',
  ]
  expect(asked.map(asksForTime)).toEqual([true, true, true, false, false])
})

it('knows a text that tells a time', () => {
  const told = [
    'I ran last weekend',
    'three days ago',
    'since two years',
    'in 1999',
    'on Tuesday',
    'I ran far',
  ]
  expect(told.map(tellsTime)).toEqual([true, true, true, true, true, false])
})
