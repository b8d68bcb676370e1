const LINE_BREAK = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/

/**
 * Stored text as data within a prompt: each of its lines begins with `> `, so that no line of it can end the block that it stands in, pose
 * as a heading of ours, or look like another text. A closing line break is left out.
 */
export function quotedLines(text: string): string {
  return text
    .replace(/[\r\n]+$/, '')
    .split(LINE_BREAK)
    .map((line) => `> ${line}`)
    .join('\n')
}

/** A short stored text (a source, a title, a name) on one line without angle brackets, cut to a length in characters. */
export function plainLine(text: string, maxLength: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>]+/gu, ' ').trim()
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength - 1).trimEnd()}…`
}
