import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from './read-json.ts'

const values = (reply: string, prompts: readonly string[] = []): readonly unknown[] => {
  const reading = readJson(reply, prompts)
  return 'values' in reading ? reading.values : [reading.errorKind]
}

describe('the first reading', () => {
  test.each<[string, unknown]>([
    ['{"a":[1,2]}', { a: [1, 2] }],
    ['  "text" ', 'text'],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['Here you are:\n```\n["a", "b"]\n```\nHope that helps!', ['a', 'b']],
    ['<think>{"a":0}? No.</think>{"a":1}', { a: 1 }],
    ['I think of {"a":0} first.\n</think>\n{"a":1}', { a: 1 }],
    ['As [1] says, {see below}: {"items":["x"]}', { items: ['x'] }],
    ["It's like this: {'a': 'it is', b: True, // note\n c: [1,2,],}", { a: 'it is', b: true, c: [1, 2] }],
    ['{"text":"two\nlines"}', { text: 'two\nlines' }],
    ['{"items":["a","b","c', { items: ['a', 'b'] }],
    ['{"items":[{"q":"a"},{"q":"b"},{"q":"c', { items: [{ q: 'a' }, { q: 'b' }, {}] }],
    [
      '{"items":[{"n":1,"qs":["a","b"]},{"n":2,"qs":["c","d',
      {
        items: [
          { n: 1, qs: ['a', 'b'] },
          { n: 2, qs: ['c'] },
        ],
      },
    ],
    ['{"n": 12', {}],
    ['[1, 23', [1]],
    ['```json\n{"items":["a", "b"', { items: ['a', 'b'] }],
    ['{"a":"</think>"}', { a: '</think>' }],
  ])('of %j', (reply, value) => {
    expect(values(reply)[0]).toEqual(value)
  })
})

test('a cut reply is read without its last, unfinished members too', () => {
  expect(values('{"items":[{"q":"a"},{"q":"b"},{"q":"c')).toContainEqual({ items: [{ q: 'a' }, { q: 'b' }] })
})

test('values one after the other are read together too', () => {
  expect(values('{"q":"a"}\n{"q":"b"}')).toContainEqual([{ q: 'a' }, { q: 'b' }])
})

test('what the reply repeats of the prompt is no reply', () => {
  const prompt = 'Write questions about the text, such as {"items":["What is an example?"]}. The text: rain.'
  expect(values(prompt, [prompt])).toEqual(['prose'])
  expect(values(`${prompt}\n{"items":["When does it rain?"]}`, [prompt])[0]).toEqual({
    items: ['When does it rain?'],
  })
  expect(values(prompt.slice(0, 60), [prompt])).toEqual(['prose'])
})

test.each([
  ['', 'empty'],
  [' \n', 'empty'],
  ['<think>and so on', 'empty'],
  ['No.', 'prose'],
])('%j is told as %s', (reply, kind) => {
  expect(readJson(reply)).toEqual({ errorKind: kind })
})

const anyJson = fc.oneof(fc.object({ maxDepth: 3 }), fc.array(fc.jsonValue({ maxDepth: 2 }))).map(
  // as JSON keeps it: no undefined, no minus zero
  (value): unknown => JSON.parse(JSON.stringify(value)),
)
/** Prose as models write it, also with brackets that are none. */
const noise = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('```', '```json\n', "it's ", '[1] ', '{x} ', '[a](b) ', '"', '\n', 'Sure! ', '// '),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(' '))

describe('whatever comes', () => {
  test('a value between any noise is among its readings', () => {
    fc.assert(
      fc.property(anyJson, noise, noise, fc.constantFrom(undefined, 1, 2), (value, before, after, indent) => {
        const marked = { marker: 'prolepsis', value }
        const reply = `${before}\n${JSON.stringify(marked, null, indent)}\n${after}`
        const found = values(reply).flatMap((some) => [some, ...(Array.isArray(some) ? some : [])])
        expect(found).toContainEqual(marked)
      }),
      { numRuns: 500 },
    )
  })

  test('a value cut anywhere reads as a part of itself', () => {
    const texts = fc.array(fc.string(), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(texts, fc.nat(), (items, at) => {
        const whole = JSON.stringify({ items })
        const cut = whole.slice(0, 1 + (at % (whole.length - 1)))
        const [first] = values(cut)
        const read = (first as { items?: unknown[] }).items ?? [] // an object with nothing but items
        expect(items.slice(0, read.length)).toEqual(read)
        expect(items.length - read.length).toBeLessThanOrEqual(items.length)
        const written = JSON.stringify({ items: items.slice(0, -1) }).slice(0, -2)
        if (cut.length > written.length + 1) expect(read.length).toBeGreaterThanOrEqual(items.length - 1)
      }),
      { numRuns: 500 },
    )
  })

  test('nothing makes it throw, and much of it takes no long', () => {
    const bits = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ',',
      ':',
      '\\',
      '//',
      '/*',
      '<think>',
      '</think>',
      '```',
      '\n',
      'a',
      '1',
      'null',
      '\\u',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(bits, fc.string({ unit: 'binary' })), { maxLength: 60 }), (parts) => {
        const reading = readJson(parts.join(''))
        expect('values' in reading || reading.errorKind).toBeTruthy()
      }),
      { numRuns: 1000 },
    )
    for (const bit of ['[', '{"a":', '"', '{', '[]', '<think>', '{"a":1}']) readJson(bit.repeat(5_000))
    // a model that repeats itself to the end of its tokens, and a server that never ends
    for (const bit of ['[', '{"a":', '[1,', 'x { [ " ']) readJson(bit.repeat(100_000))
  })
})
