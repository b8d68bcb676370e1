import { resolveRelativeDates } from '../../domain/analysis/relative-dates.ts'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { CueInput } from './cue-input.ts'
import { fits } from './cue-limits.ts'
import { addresseeOf, resolvePersons } from './resolve-persons.ts'

/**
 * A turn is short up to so many tokens. Only short turns after short turns (or none) get vectors of sentences and of questions, and
 * the questions before them into their content: an essay is met by its own vector and by its terms. By length, not by who speaks.
 */
const SHORT_TOKENS = 120
const PICTURE = /\s*\[image:\s*([^\]]*)\]\s*/giu

/** A turn as the rules read it. */
export interface Turn {
  readonly chunk: ChunkDraft
  readonly speaker: string | null
  /** A person with a name; a role (`User`, `Assistant`) is none. */
  readonly isPerson: boolean
  readonly isShort: boolean
  /** Of a person: persons and dates resolved, pictures told; without the speaker's name before it. */
  readonly resolved: string
  /** The same after the name of the person: `Ann: Ann ran on 7 May 2023.` */
  readonly told: string
}

/** What is said in a chunk, without marks of form. */
export function contentOf(chunk: ChunkDraft): string {
  return chunk.content ?? chunk.text
}

/** @param people names of the speakers who are persons @param english whether persons and dates can be resolved */
export function readTurn(
  chunk: ChunkDraft,
  people: readonly string[],
  english: boolean,
  input: CueInput,
): Turn {
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
  const dated = english && isPerson && time !== null ? resolveRelativeDates(personal, time) : personal
  const shown = captions
    .filter((text) => text !== '')
    .map((text) => `${speaker ?? 'Someone'} shares a picture: ${text}${/[.!?]$/.test(text) ? '' : '.'}`)
  const resolved = [dated, ...shown].filter((text) => text !== '').join(' ')
  const isShort = fits(content, SHORT_TOKENS, input.countTokens)
  return {
    chunk,
    speaker,
    isPerson,
    isShort,
    resolved,
    told: isPerson ? `${speaker}: ${resolved}` : resolved,
  }
}
