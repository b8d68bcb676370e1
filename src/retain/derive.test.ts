import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAnalyser } from '../domain/analysis/create-analyser.ts'
import { createFakeEmbedder } from '../providers/fake/fake-embedder.ts'
import { type DeriveDeps, derive, type Source, spansOf, withQuestions } from './derive.ts'

const embedder = createFakeEmbedder({ maxTokens: 128 })
const deps: DeriveDeps = {
  analyser: await createAnalyser('english'),
  language: 'english',
  maxTokens: embedder.maxTokens,
  countTokens: embedder.countTokens,
}
const source = (text: string): Source => ({
  source: 's',
  text,
  format: 'prose',
  codeLanguage: null,
  title: null,
  occurredAt: null,
  frontMatter: {},
})

describe('spans', () => {
  test('bytes and lines are counted through the text, lines inclusive', () => {
    const spans = spansOf([{ text: 'é\n' }, { text: 'two\nthree' }, { text: ' end\n\n' }, { text: '🏠' }])
    expect(spans).toEqual([
      { startByte: 0, endByte: 3, startLine: 1, endLine: 1 },
      { startByte: 3, endByte: 12, startLine: 2, endLine: 3 },
      { startByte: 12, endByte: 18, startLine: 3, endLine: 4 },
      { startByte: 18, endByte: 22, startLine: 5, endLine: 5 },
    ])
  })

  test('for any text the spans of its chunks tile its bytes and name its lines', async () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', 'word ', '. ', '\n', 'é', '🏠', '\r\n', '漢'),
      maxLength: 600,
    })
    await fc.assert(
      fc.asyncProperty(
        texts.filter((text) => text.trim() !== ''),
        async (text) => {
          const { chunks } = await derive(source(text), undefined, deps)
          const bytes = Buffer.from(text)
          let at = 0
          for (const { span, draft } of chunks) {
            expect(span.startByte).toBe(at)
            at = span.endByte
            expect(bytes.subarray(span.startByte, span.endByte).toString()).toBe(draft.text)
            const before = bytes.subarray(0, span.startByte).toString().split('\n').length
            expect(span.startLine).toBe(before)
            const until = bytes.subarray(0, span.endByte).toString().replace(/\n$/, '').split('\n').length
            expect(span.endLine).toBe(Math.max(span.startLine, until))
          }
          expect(at).toBe(bytes.length)
        },
      ),
      { seed: 1, numRuns: 60 },
    )
  })
})

test('cues of a very long text are those of its pieces: none is lost at a seam', async () => {
  const turns = Array.from(
    { length: 9000 },
    (_, at) => `${at % 2 ? 'Bob' : 'Ann'}: I counted sheep number ${at} today.`,
  )
  const { chunks } = await derive({ ...source(turns.join('\n')), format: 'chat' }, undefined, deps)
  expect(chunks).toHaveLength(9000)
  const seam = await derive(
    { ...source(turns.slice(3990, 4010).join('\n')), format: 'chat' },
    undefined,
    deps,
  )
  expect(
    [...chunks]
      .slice(3995, 4005)
      .map(({ contentText, windowText, cues }) => ({ contentText, windowText, cues })),
  ).toEqual(
    [...seam.chunks]
      .slice(5, 15)
      .map(({ contentText, windowText, cues }) => ({ contentText, windowText, cues })),
  )
})

test('the caller’s questions come first and are not repeated by a rule', () => {
  const rule = { kind: 'question', text: 'Where is it?', origin: 'rules', embed: true } as const
  const statement = { kind: 'statement', text: 'Where is it?', origin: 'rules', embed: true } as const
  expect(withQuestions([' where IS it? '], [rule, statement])).toEqual([
    { kind: 'question', text: ' where IS it? ', origin: 'caller', embed: true },
    statement,
  ])
})
