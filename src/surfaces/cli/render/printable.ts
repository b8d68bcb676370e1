/** Controls but tab and line feed, and the marks that turn the direction of writing. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Text of others for a terminal: control characters made visible, so that what was retained cannot move the cursor, set
 * the title or hide text. A carriage return is left out.
 */
export function printable(text: string): string {
  return text.replace(HIDDEN, (control) =>
    control === '\r' ? '' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
