import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkResult } from '../stages.ts'
import { parseJsonTurns } from './chat-json.ts'
import { parseTextTurns } from './chat-text.ts'
import type { Turn, TurnList } from './chat-turn.ts'
import { splitSpan } from './split-span.ts'
import type { TokenLimits } from './unit.ts'

/** A turn's piece is halved at most so often before its JSON shell is cut like any text. */
const MAX_HALVINGS = 12

/** Turns of a chat log, JSON lines or `Speaker: words`; null when there are none. */
export function parseTurns(text: string): TurnList | null {
  const json = parseJsonTurns(text)
  if (json !== null) return json
  const turns = parseTextTurns(text)
  return turns === null ? null : { turns, notes: [] }
}

/** One chunk a turn, an over-long one in pieces that keep its speaker; null when the text has no turns. */
export function chatDrafts(text: string, limits: TokenLimits): ChunkResult | null {
  const parsed = parseTurns(text)
  if (parsed === null) return null
  const spans = parsed.turns.map((turn, index, turns) => ({
    ...turn,
    // Blank lines between turns go to the turn before, those at the head to the first.
    start: index === 0 ? 0 : turn.start,
    end: turns[index + 1]?.start ?? text.length,
  }))
  return { chunks: spans.flatMap((turn) => turnDrafts(text, turn, limits)), notes: parsed.notes }
}

function turnDrafts(text: string, turn: Turn, limits: TokenLimits): ChunkDraft[] {
  const whole = text.slice(turn.start, turn.end)
  if (fits(whole, limits)) return [draft(turn, whole, turn.content)]
  const pieces = cutContent(text, turn, limits) ?? cutRaw(text, turn, limits)
  const drafts: ChunkDraft[] = []
  let rawFrom = turn.start
  let saidFrom = 0
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1
    const raw = text.slice(rawFrom, isLast ? turn.end : piece.rawEnd)
    const said = turn.content.slice(saidFrom, isLast ? undefined : piece.saidEnd).trim()
    const made = draft(turn, raw, said)
    drafts.push(isLast || turn.caption === null ? made : { ...made, attributes: {} })
    rawFrom = piece.rawEnd
    saidFrom = piece.saidEnd
  }
  return drafts
}

interface TurnPiece {
  readonly rawEnd: number
  readonly saidEnd: number
}

/** Cuts where what is said has its boundaries; null when the shell around it is itself too long. */
function cutContent(text: string, turn: Turn, limits: TokenLimits): readonly TurnPiece[] | null {
  const { content, contentAt } = turn
  const rawAt = (said: number): number =>
    said >= content.length ? turn.end : typeof contentAt === 'number' ? contentAt + said : contentAt.at(said)
  const pieces: TurnPiece[] = []
  const cut = (from: number, to: number, ends: readonly number[], halvings: number): boolean => {
    let start = from
    for (const end of ends) {
      const rawStart = start === 0 ? turn.start : rawAt(start)
      const rawEnd = rawAt(end)
      if (fits(text.slice(rawStart, rawEnd), limits)) pieces.push({ rawEnd, saidEnd: end })
      else {
        // Escapes and the prefix add tokens: cut this piece again, finer.
        const finer = limits.maxTokens / 2 ** (halvings + 1)
        if (halvings === MAX_HALVINGS || finer < 1) return false
        const inner = splitSpan(
          content,
          start,
          end,
          { ...limits, maxTokens: finer, targetTokens: finer },
          'prose',
        )
        if (inner.length < 2 && halvings > 2) return false
        if (!cut(start, end, inner, halvings + 1)) return false
      }
      start = end
    }
    return start === to
  }
  if (content === '') return null
  const ends = splitSpan(content, 0, content.length, limits, 'prose')
  return cut(0, content.length, ends, 0) ? pieces : null
}

/** Cuts the turn's span like any text and tells what is said in each piece. */
function cutRaw(text: string, turn: Turn, limits: TokenLimits): readonly TurnPiece[] {
  const { contentAt } = turn
  return splitSpan(text, turn.start, turn.end, limits, 'lines').map((rawEnd) => {
    if (typeof contentAt === 'number') {
      return { rawEnd, saidEnd: Math.min(turn.content.length, Math.max(0, rawEnd - contentAt)) }
    }
    return { rawEnd, saidEnd: Math.min(turn.content.length, contentAt.firstFrom(rawEnd)) }
  })
}

function fits(text: string, limits: TokenLimits): boolean {
  return text.trim().length <= limits.maxChars && limits.countTokens(text) <= limits.maxTokens
}

function draft(turn: Turn, text: string, content: string | null): ChunkDraft {
  return {
    text,
    kind: turn.speaker === null ? 'record' : 'turn',
    label: null,
    speaker: turn.speaker,
    occurredAt: turn.occurredAt,
    content: turn.speaker === null ? null : content,
    attributes: turn.caption === null ? {} : { caption: turn.caption },
  }
}
