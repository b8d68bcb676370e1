import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLibraryTokeniser } from './library-tokeniser.ts'
import { loadTokeniser } from './tokeniser.ts'

const MODEL = new URL('../../../models/bge-small-en-v1.5-int8/tokenizer.json', import.meta.url).pathname
const read = (path: string | URL): unknown => JSON.parse(readFileSync(path, 'utf8'))
// written by reference.py, in this shape
const rows = read(new URL('./__fixtures__/tokens.json', import.meta.url)) as {
  readonly text: string
  readonly ids: readonly number[]
}[]
const tokeniser = await loadTokeniser(MODEL)

describe('the BERT tokeniser', () => {
  test('gives the ids of the reference on every text of the fixture', () => {
    const differing = rows.filter(({ text, ids }) => String(tokeniser.encode(text)) !== String(ids))
    expect(rows.length).toBeGreaterThan(700)
    expect(differing.slice(0, 5)).toEqual([])
  })

  test('counts what it encodes, without the special tokens', () => {
    for (const { text, ids } of rows) {
      expect(tokeniser.countTokens(text)).toBe(ids.length - tokeniser.specialTokens)
    }
  })

  test('counts a lone surrogate as the replacement character', () => {
    expect(tokeniser.encode('a\ud800b \udc00')).toEqual(tokeniser.encode('a\ufffdb \ufffd'))
  })

  test('takes any text; what is apart by white space counts apart', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(tokeniser.countTokens(`${a} ${b}`)).toBe(tokeniser.countTokens(a) + tokeniser.countTokens(b))
      }),
    )
  })

  test('agrees with the library on plain English', async () => {
    const library = await createLibraryTokeniser(read(MODEL))
    for (const text of ['Where is the store defined?', 'a [SEP] b', '', "It's $3.50 (or 4)!"]) {
      expect(library.encode(text)).toEqual(tokeniser.encode(text))
      expect(library.countTokens(text)).toBe(tokeniser.countTokens(text))
    }
    expect(library.specialTokens).toBe(2)
  })
})
