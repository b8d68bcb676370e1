import { ProlepsisError } from '../../domain/errors.ts'
import type { EvaluationCase } from '../../domain/evaluation.ts'
import { parseRef } from '../../domain/ref.ts'
import { assertDistinct, type CasePlace, checkCase, invalidCase, type NamedCase } from './check-case.ts'

/**
 * Reads a file of questions with what they should bring back, in one of two forms, told apart by the first line that begins with `{` or `## `:
 *
 *     {"question": "Where does Ana live?", "expect": [{"source": "chat/17", "passage": "moved to Lisbon"}], "class": "fact"}
 *
 * one JSON object a line (empty lines and lines that begin with `#` are passed over), or Markdown:
 *
 *     ## q1 | fact
 *     Where does Ana live?
 *     expect: chat/17 "moved to Lisbon"
 *     expect: people/ana.md#2
 *     history: user: We talked about Ana.
 *     query: In which city does Ana live?
 *     answer: Lisbon
 *
 * Id and class may be left out; `expect` may stand more than once, as a source, a ref, or either with a passage in quotes. What stands before the first
 * heading, and comments `<!-- … -->` on lines of their own, are for people.
 *
 * @throws ProlepsisError EVAL_INVALID; details.line
 */
export function parseEvaluation(file: string): readonly EvaluationCase[] {
  const lines = file.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const first = lines.find((line) => line.trimStart().startsWith('{') || /^##(\s|$)/.test(line))
  if (first === undefined) {
    throw new ProlepsisError('EVAL_INVALID', 'There is no question in the file.', {
      hint: 'It has one JSON object a line, or Markdown with a heading `## id | class` a case; `prolepsis eval make` drafts one.',
    })
  }
  return first.startsWith('##') && !areJsonLines(lines) ? fromMarkdown(lines) : fromJsonLines(lines)
}

/** Objects and comments alone: a comment may begin with two `#`. */
function areJsonLines(lines: readonly string[]): boolean {
  return (
    lines.some((line) => line.startsWith('{')) &&
    lines.every((line) => line.trim() === '' || line.startsWith('#') || line.startsWith('{'))
  )
}

/** Cases that a program gives. @throws ProlepsisError EVAL_INVALID */
export function checkCases(cases: unknown): readonly NamedCase[] {
  if (!Array.isArray(cases) || cases.length === 0)
    throw invalidCase({ name: 'The cases' }, 'must be a list with one case at least')
  const places = cases.map((_, at): CasePlace => ({ name: `Case ${at + 1}` }))
  const checked = cases.map((one: unknown, at) => checkCase(one, places[at]!, at + 1))
  assertDistinct(checked, places)
  return checked
}

function fromJsonLines(lines: readonly string[]): readonly NamedCase[] {
  const places: CasePlace[] = []
  const cases = lines.flatMap((line, at) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const place = { name: `Line ${at + 1}`, line: at + 1 }
    places.push(place)
    return [checkCase(parsed(line, place), place, places.length)]
  })
  assertDistinct(cases, places)
  return cases
}

function parsed(line: string, place: CasePlace): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw invalidCase(place, `it is not JSON (${error instanceof Error ? error.message : String(error)})`)
  }
}

interface Draft {
  readonly place: CasePlace
  readonly id: string
  readonly class: string
  readonly question: string[]
  readonly expect: unknown[]
  readonly history: unknown[]
  readonly queries: string[]
  answer: string | undefined
}

const MEMBER = /^(expect|history|query|answer):\s*(.*)$/i

function fromMarkdown(lines: readonly string[]): readonly NamedCase[] {
  const drafts: Draft[] = []
  let isComment = false
  for (const [at, raw] of lines.entries()) {
    const line = raw.trim()
    const wasComment: boolean = isComment || line.startsWith('<!--')
    isComment = wasComment && !line.includes('-->')
    if (wasComment || line === '') continue
    const place = { name: `Line ${at + 1}`, line: at + 1 }
    const heading = /^##(?:\s+(.*))?$/.exec(line)
    if (heading !== null) {
      const [id = '', ...rest] = (heading[1] ?? '').split('|')
      drafts.push({
        ...{ place, id: id.trim(), class: rest.join('|').trim(), question: [], expect: [] },
        ...{ history: [], queries: [], answer: undefined },
      })
      continue
    }
    const draft = drafts.at(-1)
    if (draft !== undefined) readLine(draft, line, place)
  }
  const cases = drafts.map((draft, at) => {
    const { place, id, question, expect, history, queries, answer } = draft
    const value = {
      ...(id === '' ? {} : { id }),
      ...{ question: question.join(' '), expect },
      ...(history.length === 0 ? {} : { history }),
      ...(queries.length === 0 ? {} : { queries }),
      ...(draft.class === '' ? {} : { class: draft.class }),
      ...(answer === undefined ? {} : { answer }),
    }
    return checkCase(value, place, at + 1)
  })
  assertDistinct(
    cases,
    drafts.map(({ place }) => place),
  )
  return cases
}

function readLine(draft: Draft, line: string, place: CasePlace): void {
  const [, name, value = ''] = MEMBER.exec(line) ?? []
  switch (name?.toLowerCase()) {
    case undefined:
      draft.question.push(line)
      return
    case 'expect':
      draft.expect.push(expectationIn(value, place))
      return
    case 'history': {
      const [, role, content] = /^([^:]+):\s*(.+)$/.exec(value) ?? []
      if (role === undefined) throw invalidCase(place, 'history has the form `history: user: what was said`')
      draft.history.push({ role: role.trim(), content })
      return
    }
    case 'query':
      draft.queries.push(value)
      return
    default:
      draft.answer = draft.answer === undefined ? value : `${draft.answer} ${value}`
  }
}

function expectationIn(value: string, place: CasePlace): unknown {
  const [, where = '', passage] = /^(.*?)(?:\s*"(.*)")?$/.exec(value) ?? []
  const name = where.trim()
  if (name === '') throw invalidCase(place, 'expect names no source')
  const ref = parseRef(name)
  return {
    ...(ref === null ? { source: name } : { source: ref.source, ref: name }),
    ...(passage === undefined ? {} : { passage }),
  }
}
