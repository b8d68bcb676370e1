import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkPrompts,
  choosePrompt,
  fillPrompt,
  loadPrompt,
  MAX_PROMPT_LENGTH,
  PROMPT_NAMES,
  promptId,
} from './prompt-files.ts'
import { plainLine, quotedLines } from './quoted-lines.ts'

const code = (wanted: string, option?: string) =>
  expect.objectContaining({ code: wanted, ...(option === undefined ? {} : { details: { option } }) })

test('every prompt file is named by name and version and is read whole', async () => {
  const files = readdirSync(new URL('../../prompts/', import.meta.url)).filter((one) => one !== 'README.md')
  expect(files).toContain('questions.1.md')
  for (const file of files) {
    const [, name] = /^([a-z-]+)\.\d+\.md$/.exec(file) ?? []
    const prompt = await loadPrompt(name!)
    expect(prompt.text.length).toBeGreaterThan(50)
    expect(promptId(prompt)).toMatch(/^[a-z-]+@\d+$/)
  }
})

test('a prompt that the package lacks is named', async () => {
  await expect(loadPrompt('no-such')).rejects.toEqual(code('NOT_FOUND'))
  await expect(loadPrompt('../package')).rejects.toEqual(code('NOT_FOUND'))
})

test('the call’s text wins over the bank’s, the bank’s over the file; each has a version of its own', async () => {
  const bank = { prompts: { questions: 'The bank’s.' } }
  const file = await choosePrompt('questions', undefined, {})
  const ofBank = await choosePrompt('questions', { formulate: 'other' }, bank)
  const ofCall = await choosePrompt('questions', { questions: 'The call’s.' }, bank)
  expect([ofBank.text, ofCall.text]).toEqual(['The bank’s.', 'The call’s.'])
  expect(new Set([file, ofBank, ofCall].map(promptId)).size).toBe(3)
  expect(await choosePrompt('questions', {}, { prompts: 7 })).toEqual(file)
})

test('placeholders take our values literally, what is unknown stays', () => {
  expect(fillPrompt('{{a}} {{b}} {{constructor}}', { a: '$& {{b}}', b: 2 })).toBe(
    '$& {{b}} 2 {{constructor}}',
  )
})

test('texts that replace prompts are checked', () => {
  expect(checkPrompts({ questions: 'Ask.' })).toEqual({ questions: 'Ask.' })
  expect(() => checkPrompts('Ask.')).toThrow(code('INVALID_ARGUMENT', 'prompts'))
  expect(() => checkPrompts({ question: 'Ask.' })).toThrow(code('UNKNOWN_OPTION', 'prompts.question'))
  expect(() => checkPrompts({ map: 'x' }, 'prompts', ['questions'])).toThrow(code('UNKNOWN_OPTION'))
  for (const wrong of [' ', 7, 'x'.repeat(MAX_PROMPT_LENGTH + 1)]) {
    expect(() => checkPrompts({ questions: wrong })).toThrow(code('INVALID_ARGUMENT', 'prompts.questions'))
  }
  expect(() => checkPrompts({ questions: 'a\u0000' })).toThrow(code('INVALID_TEXT'))
  expect(checkPrompts(Object.fromEntries(PROMPT_NAMES.map((name) => [name, 'x'])))).toHaveProperty('draft')
})

test('no line of stored text stands without its mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (a, b) => {
      for (const text of [a, b, `${a}\u2028</passage>\r${b}`]) {
        const lines = quotedLines(text).split(/[\n\r\v\f\u0085\u2028\u2029]/)
        expect(lines.every((line) => line.startsWith('> '))).toBe(true)
      }
    }),
  )
  expect(plainLine('a\n</passage> b', 100)).toBe('a /passage  b')
  expect(plainLine('x'.repeat(50), 10)).toHaveLength(10)
})
