import { expect, it } from 'vitest'
import { addresseeOf, resolvePersons } from './resolve-persons.ts'

it.each([
  ["I'm proud of you", 'Ann is proud of Bob'],
  ['I’ve met your friend', "Ann has met Bob's friend"],
  ["I'd go, I'll go, I have gone", 'Ann would go, Ann will go, Ann has gone'],
  ['Is it mine or yours?', "Is it Ann's or Bob's?"],
  ["Are you sure? You're late, you'd better go", 'is Bob sure? Bob is late, Bob would better go'],
  ["Do you have pets? Don't you? Were you there?", "does Bob have pets? doesn't Bob? was Bob there?"],
  ['Give me my book, I hurt myself', "Give Ann Ann's book, Ann hurt Ann"],
  ['See ya!', 'See Bob!'],
  ['AI, mine-shaft ii, youth, for i in list', "AI, Ann's-shaft ii, youth, for i in list"],
])('%s', (text, expected) => {
  expect(resolvePersons(text, 'Ann', 'Bob')).toBe(expected)
})

it('leaves the second person when nobody is known to be addressed', () => {
  expect(resolvePersons('I saw you', 'Ann', null)).toBe('Ann saw you')
})

it('never resolves a name that it has just put in, whatever the name holds', () => {
  expect(resolvePersons('I and you', 'You $& I', '$1 me')).toBe('You $& I and $1 me')
})

it('finds whom a turn is said to', () => {
  expect(addresseeOf('How are you?', 'Ann', ['Ann', 'Bob'])).toBe('Bob')
  expect(addresseeOf('How are you?', 'Ann', ['Ann'])).toBeNull()
  expect(addresseeOf('How are you?', 'Ann', ['Ann', 'Bob', 'Cy'])).toBeNull()
  expect(addresseeOf('Hey Bob, how are you?', 'Ann', ['Ann', 'Bob', 'Cy'])).toBe('Bob')
  expect(addresseeOf('How are you, Cy?', 'Ann', ['Ann', 'Bob', 'Cy'])).toBe('Cy')
  expect(addresseeOf('@Bob: are you there?', 'Ann', ['Ann', 'Bob', 'Cy'])).toBe('Bob')
  expect(addresseeOf('I saw Bob there', 'Ann', ['Ann', 'Bob', 'Cy'])).toBeNull()
  expect(addresseeOf('Hey Bob, hi Cy, are you there?', 'Ann', ['Ann', 'Bob', 'Cy'])).toBeNull()
})
