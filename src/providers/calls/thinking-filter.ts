/** Lets a streamed reply through without the thinking that it begins with, between `<think>` and `</think>`. */
export interface ThinkingFilter {
  /** What of the reply so far may be shown and was not yet. */
  push(piece: string): string
  /** What was held back and was no thinking after all. */
  end(): string
}

const TAG = /^\s*<(think|thinking|reasoning)>/i
/** Long enough for white space and the longest opening tag. */
const LONGEST_START = 64

export function createThinkingFilter(): ThinkingFilter {
  let held = ''
  let state: 'start' | 'thinking' | 'speaking' = 'start'
  let closing = ''
  return {
    push(piece) {
      if (state === 'speaking') return piece
      held += piece
      if (state === 'start') {
        const tag = TAG.exec(held)
        if (tag === null) {
          if (mayBecomeTag(held)) return ''
          state = 'speaking'
          return held
        }
        closing = `</${tag[1]!.toLowerCase()}>`
        state = 'thinking'
      }
      const end = held.toLowerCase().indexOf(closing)
      if (end < 0) return ''
      state = 'speaking'
      return held.slice(end + closing.length).trimStart()
    },
    end: () => (state === 'start' ? held : ''),
  }
}

function mayBecomeTag(held: string): boolean {
  const start = held.trimStart().toLowerCase()
  if (held.length > LONGEST_START) return false
  return ['<think>', '<thinking>', '<reasoning>'].some((tag) => tag.startsWith(start))
}
