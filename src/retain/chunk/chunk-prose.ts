import { type BoundaryOrder, type Unit, unit } from './unit.ts'

/** Paragraphs: what blank lines set apart. */
export function proseUnits(
  text: string,
  start = 0,
  end: number = text.length,
  kind = 'paragraph',
  order: BoundaryOrder = 'prose',
): Unit[] {
  const units: Unit[] = []
  let from = start
  const blankLine = /\n[ \t\r]*\n\s*/g
  blankLine.lastIndex = start
  for (let match = blankLine.exec(text); match !== null && from < end; match = blankLine.exec(text)) {
    const to = Math.min(end, match.index + match[0].length)
    units.push(unit(from, to, kind, { order }))
    from = to
  }
  if (from < end) units.push(unit(from, end, kind, { order }))
  return units
}
