import { plainQuestion } from '../../store/queries/question-key.ts'
import { hasForeignScript } from './scripts.ts'
import type { ShownChunk } from './shown-chunk.ts'
import type { WrittenPassage } from './writer-reply.ts'

/** Why something that a model wrote does not stay. */
export const DROP_REASONS = ['length', 'echo', 'script', 'duplicate', 'excess', 'roundTrip'] as const
/**
 * `length`: empty, ill-formed or too long; `echo`: a piece of the prompt, of its marks or of talk about the task; `script`: in a writing that the
 * text does not use; `duplicate`: said already; `excess`: more than the chunk may have; `roundTrip`: it does not bring its own chunk back.
 */
export type DropReason = (typeof DROP_REASONS)[number]

export interface CleanCues {
  /** At most twice as many as may stay: repetitions by meaning are still to be found. */
  readonly questions: readonly string[]
  readonly statement: string | null
  readonly concepts: readonly string[]
  /** Of the questions. */
  readonly dropped: readonly DropReason[]
}

const LONGEST_QUESTION = 300
const LONGEST_STATEMENT = 600
const LONGEST_CONCEPT = 200
const MOST_CONCEPTS = 3
/** Passages of one reply that may share a question: one of more tells them not apart. */
const MOST_SHARING = 2

/** What may stay of what a model wrote for a chunk, by its form alone. */
export function cleanCues(
  written: WrittenPassage,
  chunk: ShownChunk,
  /** What the model was told. */
  system: string,
  /** How many passages of the reply have a question, by `plainQuestion`. */
  sharing: ReadonlyMap<string, number>,
): CleanCues {
  const told = ` ${plainQuestion(system)} `
  const text = [...chunk.facts, chunk.text].join('\n')
  const fault = (said: string, longest: number): DropReason | null => {
    if (said.length > longest || !/\p{L}{2}|\p{Lo}/u.test(said) || /\p{Surrogate}/u.test(said))
      return 'length'
    if (isEcho(said, told)) return 'echo'
    return hasForeignScript(said, text) ? 'script' : null
  }
  const dropped: DropReason[] = []
  const questions = new Map<string, string>()
  for (const raw of written.questions) {
    const question = plainSpace(raw)
    const key = plainQuestion(question)
    const reason =
      fault(question, LONGEST_QUESTION) ??
      (questions.has(key) || (sharing.get(key) ?? 0) > MOST_SHARING ? 'duplicate' : null) ??
      (questions.size >= 2 * chunk.most ? 'excess' : null)
    if (reason === null) questions.set(key, question)
    else dropped.push(reason)
  }
  const statement = plainSpace(written.statement)
  const concepts = written.concepts.map(plainSpace).filter((said) => fault(said, LONGEST_CONCEPT) === null)
  return {
    questions: [...questions.values()],
    statement: fault(statement, LONGEST_STATEMENT) === null ? statement : null,
    concepts: concepts.filter((said, at) => isFirst(concepts, said, at)).slice(0, MOST_CONCEPTS),
    dropped,
  }
}

function isFirst(texts: readonly string[], text: string, at: number): boolean {
  return texts.findIndex((other) => plainQuestion(other) === plainQuestion(text)) === at
}

/** How many passages of a reply have a question, by `plainQuestion`. */
export function sharingOf(passages: readonly WrittenPassage[]): ReadonlyMap<string, number> {
  const sharing = new Map<string, number>()
  for (const { questions } of passages) {
    for (const key of new Set(questions.map(plainQuestion))) sharing.set(key, (sharing.get(key) ?? 0) + 1)
  }
  return sharing
}

/** On one line, without marks of control and of lists. */
function plainSpace(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/^ ?(?:[-*•]|\d{1,3}[.)]) /, '')
    .trim()
}

const MARKS = /<\/?(?:passage|context|memory)\b|"?passages"?\s*:\s*\[|\{\{|```/i
const TALK =
  /^(?:sure|certainly|of course|here (?:are|is)|as an ai|i(?:['’]m| am) (?:sorry|unable)|i can(?:not|['’]t)|(?:questions?|statement|concepts?|passage \d+) ?:)/i
const ORDER =
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your)\b.{0,30}\b(?:instructions?|prompts?|rules|messages?)\b/i
/** Words in a row that nobody writes by chance as the prompt has them. */
const COPIED_WORDS = 4

function isEcho(said: string, told: string): boolean {
  if (MARKS.test(said) || TALK.test(said) || ORDER.test(said)) return true
  const plain = plainQuestion(said)
  return plain.split(' ').length >= COPIED_WORDS && told.includes(` ${plain} `)
}
