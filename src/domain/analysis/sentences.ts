/** After a full stop, question or exclamation mark with its closing quotes and a space; after CJK marks. */
const BORDER = /(?<=[.!?…]["'”’)\]]{0,3})\s+|(?<=[。！？][」』”]?)(?![」』”])/u
const BORDER_OR_BREAK = new RegExp(`[\\r\\n\\u2028\\u2029]+|${BORDER.source}`, 'gu')
/** An abbreviation or a single initial before the space ends no sentence. */
const OPEN_END = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|e\.g|i\.e|cf|approx|(?!I\b)\p{Lu})\.$/u

/** Sentences of a text in order, trimmed, none empty. Line breaks always end one. */
export function sentences(text: string): string[] {
  const found: string[] = []
  for (const line of text.split(/[\r\n\u2028\u2029]+/)) {
    let open = ''
    for (const part of line.split(BORDER)) {
      const sentence = open === '' ? part.trim() : `${open} ${part.trim()}`
      if (OPEN_END.test(sentence)) open = sentence
      else {
        open = ''
        if (sentence !== '') found.push(sentence)
      }
    }
    if (open !== '') found.push(open)
  }
  return found
}

/**
 * The place from the beginning of the sentence that holds `start` to the end of the one that holds `end` (UTF-16 units, end exclusive),
 * without the white space around it.
 */
export function sentencesAround(text: string, start: number, end: number): { start: number; end: number } {
  let from = 0
  let to = text.length
  for (const { 0: gap, index } of text.matchAll(BORDER_OR_BREAK)) {
    if (!/[\r\n\u2028\u2029]/.test(gap) && OPEN_END.test(text.slice(Math.max(0, index - 12), index))) continue
    if (index + gap.length <= start) from = index + gap.length
    else if (index >= end) {
      to = index
      break
    }
  }
  const whole = text.slice(from, to)
  return { start: from + whole.length - whole.trimStart().length, end: from + whole.trimEnd().length }
}

const QUESTION_END = /[?？]["'”’)\]」』]{0,3}$/u

export function isQuestion(sentence: string): boolean {
  return QUESTION_END.test(sentence)
}
