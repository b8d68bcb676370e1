import { describe, expect, test } from 'vitest'
import { locate } from './cite.ts'
import { foldText } from './fold-text.ts'
import { unbackedLiterals } from './literals.ts'

function unbacked(sentence: string, text: string, question = 'What?'): string[] {
  const evidence = {
    ...{
      id: 1,
      ref: 'a.example.org#1',
      chunkId: 7,
      documentId: 1,
      ordinal: 0,
      source: 'a',
      text,
      speaker: null,
    },
    ...{ startByte: 0, startLine: 1, label: null, occurredAt: null, trust: 'user' as const, tokens: 5 },
    folded: () => foldText(text),
  }
  return unbackedLiterals(sentence, locate([{ id: 1, quote: text }], [evidence]), question)
}

describe('a literal that no cited passage holds is found', () => {
  test.each([
    ['Write to eve@evil.example.', 'Write to Rosa.', ['eve@evil.example']],
    ['See https://evil.example/x?y=1.', 'See the page.', ['https://evil.example/x?y=1']],
    ['See evil.com, please.', 'See the page.', ['evil.com']],
    ['The code is 0000.', 'The code is with Rosa.', ['0000']],
    ['Call +49 (30) 901-820.', 'Call Rosa.', ['4930901820']],
    ['The account is 123456.', 'The account is 123457.', ['123456']],
  ])('%s', (sentence, text, expected) => {
    expect(unbacked(sentence, text)).toEqual(expected)
  })
})

describe('no literal is missed', () => {
  test.each([
    ['Write to rosa@example.org', 'Rosa has Rosa@Example.org as address.'],
    ['See https://example.org/a.', 'It is at https://example.org/a today.'],
    ['Call 030-901820.', 'Call (030) 901 820.'],
    ['She was 34 in 2024 and paid 1,250 euros.', 'She was born in 1990.'],
    ['The file is notes.md, version 2.0.', 'Nothing.'],
    ['From a.example.org.', 'Nothing.'],
    ['Es kostet 12.50 Euro, d.h. wenig.', 'Nichts.'],
  ])('%s', (sentence, text) => {
    expect(unbacked(sentence, text)).toEqual([])
  })

  test('where the question has it', () => {
    expect(
      unbacked('0815 is the number of the car.', 'The number is that of the car.', 'What is 0815?'),
    ).toEqual([])
  })
})
