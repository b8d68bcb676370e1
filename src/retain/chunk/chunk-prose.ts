import { type BoundaryOrder, type Unit, unit } from './unit.ts'

const PAGE_BREAK = '\f'
/** Looked at to tell running text from lists and tables. */
const SAMPLE_CHARS = 4000

/** Paragraphs: what blank lines set apart; within pages where form feeds part the text into pages. */
export function* proseUnits(text: string): Generator<Unit, void, undefined> {
  if (!text.includes(PAGE_BREAK)) {
    yield* paragraphUnits(text, 0, text.length)
    return
  }
  let from = 0
  for (let number = 1; from < text.length; number++) {
    const found = text.indexOf(PAGE_BREAK, from)
    const [start, end] = [from, found === -1 ? text.length : found + 1]
    const label = `page ${number}`
    const children = (): Unit[] =>
      Array.from(paragraphUnits(text, start, end), (one) => ({ ...one, label, group: label }))
    yield unit(start, end, 'page', { label, group: null, order: orderOf(text.slice(start, end)), children })
    from = end
  }
}

/** What blank lines set apart in [start, end). */
export function* paragraphUnits(
  text: string,
  start: number,
  end: number,
  kind = 'paragraph',
  order?: BoundaryOrder,
): Generator<Unit, void, undefined> {
  const paragraph = (from: number, to: number): Unit =>
    unit(from, to, kind, { order: order ?? orderOf(text.slice(from, Math.min(to, from + SAMPLE_CHARS))) })
  let from = start
  const blankLine = /\n[ \t\r]*\n\s*/g
  // not past the end: of many short pages each would look through the rest of the text
  const within = text.slice(0, end)
  blankLine.lastIndex = start
  for (let match = blankLine.exec(within); match !== null && from < end; match = blankLine.exec(within)) {
    const to = match.index + match[0].length
    yield paragraph(from, to)
    from = to
  }
  if (from < end) yield paragraph(from, end)
}

/** Lines of a table, log or list are wholes; lines of running text are only where it was wrapped. */
function orderOf(sample: string): BoundaryOrder {
  const lines = sample.split('\n').length
  const sentences = sample.match(/[.!?。！？][)"'”’»]*(?=\s|$)|[。！？]/g)?.length ?? 0
  return lines > 2 && sentences < lines / 4 ? 'lines' : 'prose'
}
