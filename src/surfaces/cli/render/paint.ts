import picocolors from 'picocolors'

export interface Paint {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly accent: (text: string) => string
}

/** Colours on a terminal, nothing elsewhere. */
export function createPaint(color: boolean): Paint {
  const { bold, dim, green, red, cyan } = picocolors.createColors(color)
  return { strong: bold, faint: dim, good: green, bad: red, accent: cyan }
}

/**
 * Stored text for a terminal: control characters other than tab and line feed made visible, so that what was retained
 * cannot move the cursor, set the title or hide text.
 */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (control) => {
    if (control === '\r') return ''
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
