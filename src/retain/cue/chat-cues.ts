import { looksEnglish } from '../../domain/analysis/english-text.ts'
import { createNameFinder, findPeople, isRoleName, type NameFinder } from '../../domain/analysis/people.ts'
import { resolveRelativeDates } from '../../domain/analysis/relative-dates.ts'
import { isQuestion, sentences } from '../../domain/analysis/sentences.ts'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkCues, CueDraft, Mention } from '../../domain/cue.ts'
import type { CueInput } from './cue-input.ts'
import { boundCues, fits, fitTokens, lexicalStatements } from './cue-limits.ts'
import { addresseeOf, resolvePersons } from './resolve-persons.ts'

/** Shorter questions (`Really?`) lead nowhere. */
const LEAST_QUESTION_LENGTH = 13
/** Shorter sentences (`Thanks, that's great!`) say nothing by themselves. */
const LEAST_STATEMENT_LENGTH = 21
/** The sentences of longer turns get no vectors: an essay is met by its own vector and by its terms. */
const STATEMENT_TOKENS = 160
/** A window's neighbours get at least this much, else there is no window. */
const LEAST_WINDOW_TOKENS = 32
/** Messages in a row of one speaker whose questions an answer takes up. */
const MOST_ASKING_TURNS = 2
const PICTURE = /\s*\[image:\s*([^\]]*)\]\s*/giu

/** A turn as the rules read it. */
interface Turn {
  readonly chunk: ChunkDraft
  readonly speaker: string | null
  /** A person with a name; a role (`User`, `Assistant`) is none. */
  readonly isPerson: boolean
  /** Persons and dates resolved, pictures told; without the speaker's name before it. */
  readonly resolved: string
  /** The same after the speaker's name: `Ann: Ann ran on 7 May 2023.` */
  readonly told: string
}

/**
 * Cues of a chat: one chunk a turn (a long turn may be several chunks in a row). Between persons everything is resolved; a turn
 * of a role stays as it is, without window, questions or vectors of sentences (MemAware, sessions any@10 easy / medium / hard: plain turn with
 * BM25 68.3 / 52.7 / 10.7, with vectors of the questions before it 60.0 / 52.1 / 10.0, of its sentences 67.6 / 57.5 / 8.6 at
 * several times the cost; BM25 over the user's words and the questions alone 57.2 / 33.6 / 5.7, over all that was said 64.1 / 45.2 / 9.3).
 */
export function chatCues(input: CueInput): ChunkCues[] {
  const speakers = [
    ...new Set(input.chunks.flatMap((chunk) => (chunk.speaker === null ? [] : [chunk.speaker]))),
  ]
  const people = speakers.filter((name) => !isRoleName(name))
  const english =
    input.language === 'english' ||
    (input.language === 'none' && looksEnglish(input.chunks.map(contentOf).join('\n').slice(0, 8_000)))
  const findSpeakers = createNameFinder(people)
  const turns = input.chunks.map((chunk) => readTurn(chunk, people, english, input))
  return turns.map((turn, at) => cuesOfTurn(turn, turns, at, findSpeakers, input))
}

function contentOf(chunk: ChunkDraft): string {
  return chunk.content ?? chunk.text
}

function readTurn(chunk: ChunkDraft, people: readonly string[], english: boolean, input: CueInput): Turn {
  const content = contentOf(chunk).trim()
  const captions = [...content.matchAll(PICTURE)].map((match) => match[1]?.trim() ?? '')
  const caption = chunk.attributes.caption?.trim()
  if (caption !== undefined && caption !== '' && !captions.includes(caption)) captions.push(caption)
  const words = captions.length === 0 ? content : content.replace(PICTURE, ' ').trim()
  const speaker = chunk.speaker
  const isPerson = speaker !== null && people.includes(speaker)
  const addressee = isPerson ? addresseeOf(words, speaker, people) : null
  const time = chunk.occurredAt ?? input.document.occurredAt
  const personal = english && isPerson ? resolvePersons(words, speaker, addressee) : words
  const dated = english && time !== null ? resolveRelativeDates(personal, time) : personal
  const shown = captions
    .filter((text) => text !== '')
    .map((text) => `${speaker ?? 'Someone'} shares a picture: ${text}${/[.!?]$/.test(text) ? '' : '.'}`)
  const resolved = [dated, ...shown].filter((text) => text !== '').join(' ')
  return { chunk, speaker, isPerson, resolved, told: isPerson ? `${speaker}: ${resolved}` : resolved }
}

function cuesOfTurn(
  turn: Turn,
  turns: readonly Turn[],
  at: number,
  findSpeakers: NameFinder,
  input: CueInput,
): ChunkCues {
  const { countTokens, maxTokens } = input
  const questions = turn.isPerson ? questionsBefore(turns, at) : []
  return {
    contentText: contentTextOf(turn, questions, input),
    windowText: windowOf(turn, turns[at - 1], turns[at + 1], input),
    cues: boundCues([...questions, ...statementsOf(turn, input)]).map((cue) => ({
      ...cue,
      text: fitTokens(cue.text, maxTokens, countTokens),
    })),
    mentions: mentionsOf(turn, findSpeakers),
  }
}

/**
 * The questions before, then the turn with its speaker (LoCoMo, content alone, any@5: resolved turn 56.3, speaker before it 61.3,
 * questions before it 69.1). A long turn leaves the questions out.
 */
function contentTextOf(turn: Turn, questions: readonly CueDraft[], input: CueInput): string {
  if (turn.resolved === '') return fitTokens(turn.chunk.text, input.maxTokens, input.countTokens)
  const asked = [...questions.map((cue) => cue.text), turn.told].join(' ')
  if (fits(asked, input.maxTokens, input.countTokens)) return asked
  return fitTokens(turn.told, input.maxTokens, input.countTokens)
}

/**
 * What the speaker before asked is what this turn answers. People write in several messages: questions are sought in
 * the last messages of the other one, also from the answer's second message.
 */
function questionsBefore(turns: readonly Turn[], at: number): CueDraft[] {
  const speaker = turns[at]?.speaker
  let nearest = at - 1
  if (turns[nearest]?.speaker === speaker) nearest--
  const asker = turns[nearest]?.speaker ?? null
  if (asker === null || asker === speaker) return []
  let first = nearest
  while (first > 0 && nearest - first + 1 < MOST_ASKING_TURNS && turns[first - 1]?.speaker === asker) first--
  return turns
    .slice(first, nearest + 1)
    .flatMap((turn) => sentences(turn.resolved))
    .filter((sentence) => isQuestion(sentence) && sentence.length >= LEAST_QUESTION_LENGTH)
    .map((text) => ({ kind: 'question', text, origin: 'rules', embed: true }))
}

function statementsOf(turn: Turn, input: CueInput): CueDraft[] {
  const told = sentences(turn.resolved)
  if (
    !turn.isPerson ||
    !fits(turn.resolved, Math.min(STATEMENT_TOKENS, input.maxTokens), input.countTokens)
  ) {
    return lexicalStatements(told)
  }
  return told
    .filter((sentence) => sentence.length >= LEAST_STATEMENT_LENGTH)
    .map((text) => ({ kind: 'statement', text, origin: 'rules', embed: true }))
}

/** Previous turn, turn, next turn, resolved; the turn whole, its neighbours as far as they fit. */
function windowOf(
  turn: Turn,
  previous: Turn | undefined,
  next: Turn | undefined,
  input: CueInput,
): string | null {
  const { countTokens, maxTokens } = input
  if (!turn.isPerson || (previous === undefined && next === undefined)) return null
  const parts = [previous?.told, turn.told, next?.told].filter((part) => part !== undefined)
  const whole = parts.join('\n')
  if (fits(whole, maxTokens, countTokens)) return whole
  const room = maxTokens - countTokens(turn.told) - 2
  if (room < LEAST_WINDOW_TOKENS) return null
  // the previous turn's end and the next one's start stand nearest to the turn
  const before =
    previous === undefined
      ? ''
      : fitTokens(previous.told, Math.floor(room / (next ? 2 : 1)), countTokens, 'end')
  const after =
    next === undefined
      ? ''
      : fitTokens(next.told, room - (before === '' ? 0 : countTokens(before)), countTokens)
  return fitTokens(
    [before, turn.told, after].filter((part) => part !== '').join('\n'),
    maxTokens,
    countTokens,
  )
}

function mentionsOf(turn: Turn, findSpeakers: NameFinder): Mention[] {
  const speaker = turn.speaker !== null && !isRoleName(turn.speaker) ? turn.speaker : null
  const content = contentOf(turn.chunk)
  const named = new Set([...findSpeakers(content), ...findPeople(content)])
  if (speaker !== null) named.delete(speaker)
  return [
    ...(speaker === null ? [] : [{ name: speaker, kind: 'person', role: 'speaker' } as const]),
    ...[...named].map((name) => ({ name, kind: 'person', role: 'mentioned' }) as const),
  ]
}
