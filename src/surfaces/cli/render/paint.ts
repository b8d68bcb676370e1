import picocolors from 'picocolors'

export interface Paint {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly accent: (text: string) => string
}

/** Colours, or the text as it is. */
export function createPaint(color: boolean): Paint {
  const { bold, dim, green, red, cyan } = picocolors.createColors(color)
  return { strong: bold, faint: dim, good: green, bad: red, accent: cyan }
}
