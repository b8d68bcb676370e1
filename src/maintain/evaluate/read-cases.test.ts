import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isProlepsisError } from '../../domain/errors.ts'
import type { EvaluationCase } from '../../domain/evaluation.ts'
import { checkCases, parseEvaluation } from './read-cases.ts'
import { jsonLines, markdownLines } from './write-cases.ts'

const JSON_FORM = `# a comment

{"question": "Where does Ana live?", "expect": [{"source": "chat/17", "passage": "moved to Lisbon"}], "class": "fact"}
{"id": "x", "question": "And now?", "history": [{"role": "user", "content": "Ana moved."}], "queries": ["Where is Ana?"], "expect": [{"ref": "ana.md#2"}], "answer": "Lisbon"}
`
const MARKDOWN_FORM = `# Title

Words for people.

## q1 | fact
Where does
Ana live?
expect: chat/17 "moved to Lisbon"
<!-- a comment
over two lines -->

## x
And now?
history: user: Ana moved.
query: Where is Ana?
expect: ana.md#2
answer: Lisbon
`
const CASES: readonly EvaluationCase[] = [
  {
    ...{ id: 'q1', question: 'Where does Ana live?', class: 'fact' },
    expect: [{ source: 'chat/17', passage: 'moved to Lisbon' }],
  },
  {
    ...{ id: 'x', question: 'And now?', history: [{ role: 'user', content: 'Ana moved.' }] },
    ...{ queries: ['Where is Ana?'], expect: [{ source: 'ana.md', ref: 'ana.md#2' }], answer: 'Lisbon' },
  },
]

/** Code and line of the error. */
function failureOf(work: () => unknown): unknown {
  try {
    work()
    return null
  } catch (error) {
    if (!isProlepsisError(error)) throw error
    return [error.code, error.details.line, error.message]
  }
}

describe('parseEvaluation', () => {
  test.each([
    ['JSON lines', JSON_FORM],
    ['JSON lines of another system', `\uFEFF${JSON_FORM.replaceAll('\n', '\r\n')}`],
    ['JSON lines behind a comment that looks like a heading', `## a comment\n\n${JSON_FORM}`],
    ['Markdown', MARKDOWN_FORM],
    ['Markdown of another system', MARKDOWN_FORM.replaceAll('\n', '\r\n')],
  ])('reads %s', (_, text) => {
    expect(parseEvaluation(text)).toEqual(CASES)
  })

  test.each([
    ['', undefined, 'no question'],
    ['# Title\n\nonly words', undefined, 'no question'],
    ['{"question": "a?", "expect": [{"source": "s"}]}\n{"question": ', 2, 'not JSON'],
    ['{"question": "a?", "expect": []}', 1, 'must name what is expected'],
    ['{"question": "a?"}', 1, 'expect is missing'],
    ['{"question": "  ", "expect": [{"source": "s"}]}', 1, 'question must not be blank'],
    ['{"question": "a?", "expect": [{"source": "s"}], "gold": 1}', 1, 'no member "gold"'],
    ['{"question": "a?", "expect": [{"passage": "p"}]}', 1, 'needs a source or a ref'],
    ['{"question": "a?", "expect": [{"source": "t", "ref": "s#1"}]}', 1, 'of another source'],
    ['{"question": "a?", "expect": [{"ref": "s"}]}', 1, 'not a ref'],
    ['{"question": "\\ud800?", "expect": [{"source": "s"}]}', 1, 'surrogate'],
    ['{"question": 7, "expect": [{"source": "s"}]}', 1, 'question must be a text'],
    [
      '{"id":"a","question":"a?","expect":[{"source":"s"}]}\n\n{"id":"a","question":"b?","expect":[{"source":"s"}]}',
      3,
      'too',
    ],
    ['## a\nexpect: s', 1, 'question must not be blank'],
    ['## a\nWhy?', 1, 'must name what is expected'],
    ['## a\nWhy?\nexpect:', 3, 'names no source'],
    ['## a\nWhy?\nexpect: s\nhistory: nobody', 4, 'history has the form'],
    ['## a\nWhy?\nexpect: s\n## a\nWhy?\nexpect: s', 4, 'too'],
  ])('refuses %j', (text, line, words) => {
    expect(failureOf(() => parseEvaluation(text))).toEqual([
      'EVAL_INVALID',
      line,
      expect.stringContaining(words),
    ])
  })

  test('any text is read or refused', () => {
    const bits = fc.constantFrom(
      '## ',
      '{',
      '"question"',
      'expect:',
      '\n',
      'x',
      '"',
      '#1',
      '<!--',
      '-->',
      '|',
      ':',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(bits, fc.string({ maxLength: 5 })), { maxLength: 30 }), (parts) => {
        const failure = failureOf(() => parseEvaluation(parts.join('')))
        if (failure !== null) expect(failure).toContain('EVAL_INVALID')
      }),
    )
  })
})

test('checkCases takes what a program gives, numbered where it has no ids', () => {
  const [first] = checkCases([{ question: 'a?', expect: [{ source: 's' }] }])
  expect(first).toEqual({ id: 'q1', question: 'a?', expect: [{ source: 's' }] })
  for (const cases of [[], null, [null], [{ question: 'a?', expect: [{}] }]])
    expect(failureOf(() => checkCases(cases))).toContain('EVAL_INVALID')
})

describe('written files', () => {
  const text = fc.stringMatching(/^[a-zA-Z#"|:<>{ -]{1,20}[a-z]$/)
  const drafted = (cases: readonly EvaluationCase[]) => ({
    ...{ traceId: 't', cases, by: 'rules' as const, dropped: 0 },
    cost: { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
  })

  test('read back as they were: JSON lines all, Markdown all that it holds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ question: text, source: text, passage: text }), { minLength: 1, maxLength: 5 }),
        (some) => {
          const cases = some.map(({ question, source, passage }, at) => ({
            ...{ id: `q${at + 1}`, question, expect: [{ source, passage }] },
          }))
          expect(parseEvaluation([...jsonLines(drafted(cases))].join('\n'))).toEqual(cases)
          const lines = [...markdownLines(drafted(cases))]
          const left = /^(\d+) cases are left out/m.exec(lines.join('\n'))?.[1] ?? 0
          const held = cases.length - Number(left)
          if (held > 0) expect(parseEvaluation(lines.join('\n'))).toHaveLength(held)
        },
      ),
    )
    expect(parseEvaluation([...markdownLines(drafted(CASES.slice(0, 1)))].join('\n'))).toEqual(
      CASES.slice(0, 1),
    )
  })

  test('say that rules make easy questions', () => {
    expect([...jsonLines(drafted(CASES))].join('\n')).toMatch(/EASY/)
    expect([...markdownLines(drafted(CASES))].join('\n')).toMatch(/EASY/)
  })
})
