/** After a full stop, question or exclamation mark with its closing quotes and a space; after CJK marks. */
const BORDER = /(?<=[.!?…]["'”’)\]]{0,3})\s+|(?<=[。！？][」』”]?)(?![」』”])/u
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

const QUESTION_END = /[?？]["'”’)\]」』]{0,3}$/u

export function isQuestion(sentence: string): boolean {
  return QUESTION_END.test(sentence)
}
