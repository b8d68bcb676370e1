import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSentenceReader } from './sentence-reader.ts'

function read(text: string, cut: readonly number[] = []): { found: unknown[]; values: object } {
  const reader = createSentenceReader()
  const edges = [0, ...[...cut].sort((a, b) => a - b), text.length]
  const found = edges.slice(1).flatMap((to, i) => reader.push(text.slice(edges[i], to)))
  return { found, values: Object.fromEntries(reader.reply.values) }
}

const REPLY = {
  status: 'answered',
  sentences: [
    { text: 'He said "no", \\ and {left}.', citations: [{ id: 1, quote: 'a ] b } "c"' }] },
    { text: 'Zwei.\nLines', citations: [] },
  ],
  followUp: null,
}

describe('a reply that comes in pieces', () => {
  test.each([
    ['plain', JSON.stringify(REPLY)],
    ['indented', JSON.stringify(REPLY, null, 2)],
    [
      'in a fence, with talk around',
      `Here it is:\n\`\`\`json\n${JSON.stringify(REPLY)}\n\`\`\`\nBye {"x": 1}`,
    ],
    ['after thinking aloud', `<think>maybe {"sentences":["no"]}</think>${JSON.stringify(REPLY)}`],
    ['after braces that are none', `{thinking} { } ${JSON.stringify(REPLY)}`],
    ['after another object', `{"plan":[{"sentences":1}]} ${JSON.stringify(REPLY)}`],
  ])('%s gives its sentences and values', (_name, text) => {
    const { found, values } = read(text)
    expect(found).toEqual(REPLY.sentences)
    expect(values).toEqual({ status: 'answered', followUp: null })
  })

  test('sentences are given before the reply ends', () => {
    const reader = createSentenceReader()
    expect(reader.push('{"status":"answered","sentences":[{"text":"One."')).toEqual([])
    expect(reader.push('}')).toEqual([{ text: 'One.' }])
    expect(reader.push(',"Two.",{"te')).toEqual(['Two.'])
  })

  test('line breaks within strings are forgiven, other broken sentences are left out', () => {
    const { found } = read('{"sentences":[{"text":"a\nb"},{text:bad},{"text":"c"}]}')
    expect(found).toEqual([{ text: 'a b' }, { text: 'c' }])
  })

  test('prose, an empty reply and thinking that never ends give nothing', () => {
    for (const text of ['', 'I do not know.', '<think>{"sentences":["x"]}', '[1,2', '{']) {
      expect(read(text)).toEqual({ found: [], values: {} })
    }
  })
})

const sentence = fc.record({
  text: fc.string({ unit: 'grapheme' }),
  citations: fc.array(fc.record({ id: fc.nat(), quote: fc.string({ unit: 'grapheme' }) }), { maxLength: 3 }),
})
const reply = fc.record({ status: fc.constant('answered'), sentences: fc.array(sentence, { maxLength: 6 }) })

test('however a reply is cut into pieces, it reads the same', () => {
  fc.assert(
    fc.property(reply, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), (value, cuts, indented) => {
      const text = JSON.stringify(value, null, indented ? 2 : undefined)
      const { found } = read(
        text,
        cuts.map((cut) => cut % (text.length + 1)),
      )
      expect(found).toEqual(value.sentences)
    }),
  )
})

test('a reply that ends anywhere gives the first of its sentences, each whole', () => {
  fc.assert(
    fc.property(reply, fc.nat(), (value, at) => {
      const text = JSON.stringify(value)
      const { found } = read(text.slice(0, at % (text.length + 1)))
      expect(found).toEqual(value.sentences.slice(0, found.length))
    }),
  )
})

test('whatever comes, reading ends and raises nothing', () => {
  const noise = fc.string({ unit: fc.constantFrom(...'{}[]":,\\ab <think></think>'), maxLength: 200 })
  fc.assert(
    fc.property(noise, fc.array(fc.nat({ max: 200 }), { maxLength: 5 }), (text, cuts) => {
      const whole = read(text).found
      expect(
        read(
          text,
          cuts.map((cut) => Math.min(cut, text.length)),
        ).found,
      ).toEqual(whole)
    }),
  )
})
