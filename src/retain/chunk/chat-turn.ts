import type { SaidOffsets } from './said-offsets.ts'

/** One turn of a conversation, found in a text. Offsets are UTF-16 units of the text, end exclusive. */
export interface Turn {
  readonly start: number
  readonly end: number
  /** Null for lines of a log that nobody says. */
  readonly speaker: string | null
  readonly occurredAt: Date | null
  /** What is said, without prefix, JSON shell and picture caption, trimmed. */
  readonly content: string
  /** Where `content` starts in the text when it is verbatim there, else where each of its characters stands. */
  readonly contentAt: number | SaidOffsets
  readonly caption: string | null
}

export interface TurnList {
  readonly turns: readonly Turn[]
  readonly notes: readonly string[]
}

/** Roles that chat formats use; a `role` field's value is written like this. */
export const ROLE_NAMES: Readonly<Record<string, string>> = {
  user: 'User',
  human: 'Human',
  assistant: 'Assistant',
  ai: 'AI',
  bot: 'Bot',
  system: 'System',
  developer: 'Developer',
  tool: 'Tool',
  function: 'Function',
}

/** The speaker's name of a role: `user` is `User`, a name of its own stays as it is. */
export function speakerOfRole(role: string): string {
  return ROLE_NAMES[role.toLowerCase()] ?? role
}

export interface Caption {
  /** The text without the caption. */
  readonly rest: string
  readonly caption: string | null
}

const CAPTION = /^\[(?:image|photo|picture|img)[ \t]*:[ \t]*([^[\]]*)\]$/i

/** Takes a trailing `[image: …]` off. */
export function takeCaption(said: string): Caption {
  const trimmed = said.trimEnd()
  const opening = trimmed.lastIndexOf('[')
  const match = opening === -1 ? null : CAPTION.exec(trimmed.slice(opening))
  const caption = match?.[1]?.trim() ?? ''
  return caption === ''
    ? { rest: trimmed, caption: null }
    : { rest: trimmed.slice(0, opening).trimEnd(), caption }
}

/** What JSON escapes may bring in and no text may hold, a NUL or half a pair, replaced one for one. */
export function keepable(decoded: string): string {
  return decoded.replace(/\u0000|\p{Surrogate}/gu, '\uFFFD')
}
