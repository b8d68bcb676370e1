import { type BoundaryOrder, type Unit, unit } from './unit.ts'

const PAGE_BREAK = '\f'
/** Looked at to tell running text from lists and tables. */
const SAMPLE_CHARS = 4000

/** Paragraphs: what blank lines set apart; within pages where form feeds part the text into pages. */
export function proseUnits(text: string): Unit[] {
  if (!text.includes(PAGE_BREAK)) return paragraphUnits(text, 0, text.length)
  const pages: Unit[] = []
  let from = 0
  for (let number = 1; from < text.length; number++) {
    const found = text.indexOf(PAGE_BREAK, from)
    const [start, end] = [from, found === -1 ? text.length : found + 1]
    const label = `page ${number}`
    const children = (): Unit[] =>
      paragraphUnits(text, start, end).map((paragraph) => ({ ...paragraph, label, group: label }))
    pages.push(
      unit(start, end, 'page', { label, group: null, order: orderOf(text.slice(start, end)), children }),
    )
    from = end
  }
  return pages
}

/** What blank lines set apart in [start, end). */
export function paragraphUnits(
  text: string,
  start: number,
  end: number,
  kind = 'paragraph',
  order?: BoundaryOrder,
): Unit[] {
  const units: Unit[] = []
  let from = start
  const push = (to: number): void => {
    units.push(
      unit(from, to, kind, { order: order ?? orderOf(text.slice(from, Math.min(to, from + SAMPLE_CHARS))) }),
    )
    from = to
  }
  const blankLine = /\n[ \t\r]*\n\s*/g
  blankLine.lastIndex = start
  for (let match = blankLine.exec(text); match !== null && from < end; match = blankLine.exec(text)) {
    push(Math.min(end, match.index + match[0].length))
  }
  if (from < end) push(end)
  return units
}

/** Lines of a table, log or list are wholes; lines of running text are only where it was wrapped. */
function orderOf(sample: string): BoundaryOrder {
  const lines = sample.split('\n').length
  const sentences = sample.match(/[.!?。！？][)"'”’»]*(?=\s|$)|[。！？]/g)?.length ?? 0
  return lines > 2 && sentences < lines / 4 ? 'lines' : 'prose'
}
