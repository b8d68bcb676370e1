import { paragraphUnits } from './chunk-prose.ts'
import type { ScannedUnits } from './unit.ts'

/** Past this a syntax tree costs more memory than its keys are worth. */
const MAX_PARSED_CHARS = 4_000_000

export function tooLargeToParse(text: string): boolean {
  return text.length > MAX_PARSED_CHARS
}

/** `server.port`; a key with other marks is quoted. */
export function keyPath(parent: string, key: string): string {
  const shown = /^[\p{L}\p{N}_$@/-]+$/u.test(key) ? key : JSON.stringify(key)
  return parent === '' ? shown : `${parent}.${shown}`
}

/** Cut at blank lines and lines, and said so. */
export function fallback(text: string, reason: string): ScannedUnits {
  return {
    units: paragraphUnits(text, 0, text.length, 'lines', 'lines'),
    notes: [`${reason}: cut at blank lines`],
  }
}

/** The start of the comment lines right above a key, or of the key. */
export function withCommentsAbove(text: string, start: number, floor: number): number {
  let at = start
  for (;;) {
    const lineStart = text.lastIndexOf('\n', at - 1) + 1
    if (lineStart <= floor || text.slice(lineStart, at).trim() !== '') return at
    const above = text.lastIndexOf('\n', lineStart - 2) + 1
    if (above < floor || !/^[ \t]*#/.test(text.slice(above, lineStart))) return at
    at = above
  }
}
