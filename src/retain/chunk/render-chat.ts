import { isBlank } from '../../domain/blank.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import { assertWellFormed } from '../../domain/well-formed.ts'
import type { ChatMessage } from '../stages.ts'
import { speakerOfRole } from './chat-turn.ts'
import { parseTurns } from './chunk-chat.ts'

/**
 * The text under which chat messages are kept: `Speaker: words`, one turn after another, `[time] Speaker: words` where
 * times are given. When a message's own words would read as somebody's turn, JSON lines instead: the text read back
 * always gives exactly these turns.
 *
 * @throws EMPTY_TEXT without words, INVALID_TIME, INVALID_TEXT, INVALID_ARGUMENT for a message without a speaker or strings
 */
export function renderChat(messages: readonly ChatMessage[]): string {
  for (const [index, message] of messages.entries()) check(message, index)
  if (messages.every((message) => isBlank(message.content))) {
    throw new ProlepsisError('EMPTY_TEXT', 'The conversation says nothing.', {
      hint: 'Hand over at least one message with words in it.',
    })
  }
  const turns = messages.map(turnOf)
  const text = turns.map(
    ({ speaker, at, content }) => `${at === null ? '' : `[${at}] `}${speaker}: ${content}`,
  )
  const asText = `${text.join('\n')}\n`
  return readsBack(asText, turns) ? asText : asJsonLines(turns)
}

/** Callers without types may hand over anything. */
function check(message: unknown, index: number): void {
  const isObject = typeof message === 'object' && message !== null
  const content = isObject && 'content' in message ? message.content : undefined
  const role = isObject && 'role' in message ? message.role : undefined
  const name = isObject && 'name' in message ? message.name : undefined
  const isString = typeof content === 'string' && typeof role === 'string'
  if (!isString || (name !== undefined && typeof name !== 'string')) {
    throw new ProlepsisError('INVALID_ARGUMENT', `Message ${index} is no { role, content } of strings.`, {
      hint: 'Give each message as { role: string, content: string, name?: string, at?: string | Date }.',
      details: { option: 'content', index },
    })
  }
  for (const text of [role, name ?? '', content]) assertWellFormed(text, `message ${index}`)
}

interface RenderedTurn {
  readonly speaker: string
  readonly content: string
  /** ISO 8601, UTC. */
  readonly at: string | null
}

function turnOf(message: ChatMessage, index: number): RenderedTurn {
  const name = message.name?.trim() ?? ''
  const speaker = name === '' ? speakerOfRole(message.role.trim()) : name
  if (speaker === '') {
    throw new ProlepsisError('INVALID_ARGUMENT', `Message ${index} has neither a role nor a name.`, {
      hint: 'Give each message a role (`user`, `assistant`) or a name.',
      details: { option: 'role', index },
    })
  }
  return {
    speaker,
    content: message.content,
    at: message.at === undefined ? null : isoTime(message.at, index),
  }
}

function isoTime(at: string | Date, index: number): string {
  // A time without an offset is UTC, not the machine's zone.
  const hasZone = at instanceof Date || /(?:Z|[+-]\d{2}:?\d{2})$/i.test(at) || !/\d:\d{2}/.test(at)
  const date = new Date(at instanceof Date || hasZone ? at : `${at}Z`)
  if (Number.isNaN(date.getTime())) {
    throw new ProlepsisError('INVALID_TIME', `Message ${index} has a time that cannot be read.`, {
      hint: 'Use ISO 8601, such as 2023-05-08T13:56:00Z.',
      details: { index },
    })
  }
  return date.toISOString()
}

function readsBack(text: string, turns: readonly RenderedTurn[]): boolean {
  const read = parseTurns(text)?.turns
  if (read?.length !== turns.length) return false
  return read.every((turn, index) => {
    const wanted = turns[index]
    const said = text.slice(typeof turn.contentAt === 'number' ? turn.contentAt : 0, turn.end).trim()
    return (
      wanted !== undefined &&
      turn.speaker === wanted.speaker &&
      said === wanted.content.trim() &&
      (turn.occurredAt?.toISOString() ?? null) === wanted.at
    )
  })
}

function asJsonLines(turns: readonly RenderedTurn[]): string {
  const lines = turns.map(({ speaker, content, at }) =>
    JSON.stringify(at === null ? { speaker, content } : { speaker, content, time: at }),
  )
  return `${lines.join('\n')}\n`
}
