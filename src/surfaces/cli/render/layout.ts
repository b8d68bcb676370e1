const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]$/u
const PLAIN = /^[\x20-\x7e]*$/
const TAB = '    '

/** `1 chunk`, `2 chunks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

function widthOf(character: string): number {
  if (WITHOUT_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/**
 * Lines of at most `columns`, each behind `indent`. A line that is too long is cut after white space, or within a word
 * that is too long by itself; what follows is set in as the line was. `columns` null cuts nothing.
 */
export function layOut(text: string, indent: string, columns: number | null): string[] {
  return text.split('\n').flatMap((raw) => {
    if (columns === null) return [`${indent}${raw}`.trimEnd()]
    const line = raw.replaceAll('\t', TAB)
    const own = /^ */.exec(line)![0].slice(0, columns >> 2)
    const room = Math.max(columns - displayWidth(indent), 20)
    return wrap(line, room, own).map((part) => `${indent}${part}`.trimEnd())
  })
}

function wrap(line: string, room: number, hanging: string): string[] {
  if (displayWidth(line) <= room) return [line]
  const lines: string[] = []
  let current = ''
  let width = 0
  const end = (): void => {
    lines.push(current)
    current = hanging
    width = hanging.length
  }
  for (const word of line.match(/\s+|[^\s]+/gu) ?? []) {
    const isSpace = word.trim() === ''
    if (width + displayWidth(word) <= room) {
      current += word
      width += displayWidth(word)
    } else if (isSpace) {
      end()
    } else {
      if (current.trim() !== '' && displayWidth(word) + hanging.length <= room) end()
      for (const character of word) {
        if (width + widthOf(character) > room) end()
        current += character
        width += widthOf(character)
      }
    }
  }
  if (current.trim() !== '') lines.push(current)
  return lines
}
