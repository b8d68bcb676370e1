/** Controls but tab and line feed, and the marks that turn the direction of writing. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Text of others for a terminal: control characters made visible, so that what was retained cannot move the cursor, set
 * the title or hide text. A carriage return is left out.
 */
export function printable(text: string): string {
  return text.replace(HIDDEN, (control) => (control === '\r' ? '' : escaped(control.charCodeAt(0))))
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** Everything that a terminal obeys or does not show: controls, marks of direction and of no width, line and paragraph separators. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** A value as JSON on one line; on a terminal as `visibleJson`. */
export function jsonLine(value: unknown, onTerminal: boolean): string {
  const json = JSON.stringify(value)
  return onTerminal ? visibleJson(json) : json
}

/** JSON in which what a terminal would obey or hide is escaped: the same value to whoever parses it. */
export function visibleJson(json: string): string {
  // by UTF-16 units, as JSON has them; JSON of one line holds controls in strings alone
  return json.replace(UNSEEN, (mark) =>
    Array.from({ length: mark.length }, (_, at) => escaped(mark.charCodeAt(at))).join(''),
  )
}
