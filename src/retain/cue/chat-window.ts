import type { CueInput } from './cue-input.ts'
import { fits, fitTokens } from './cue-limits.ts'
import type { Turn } from './read-turn.ts'

/** A window's neighbours get at least this much, else there is no window. */
const LEAST_WINDOW_TOKENS = 32

/** Previous turn, turn, next turn, resolved; the turn whole, its neighbours as far as they fit. Null where they do not. */
export function windowOf(turns: readonly Turn[], at: number, input: CueInput): string | null {
  const { countTokens, maxTokens } = input
  const [previous, turn, next] = [turns[at - 1], turns[at], turns[at + 1]]
  if (turn === undefined || (previous === undefined && next === undefined)) return null
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
