/**
 * Finds the blocks of Markdown by lines: enough of CommonMark to tell headings, fences, lists, tables, quotes and
 * paragraphs apart, in time linear in the text. (A full parser took 2 to 8 seconds a megabyte, and what it does
 * beyond blocks is not needed here.)
 */

export type BlockKind = 'heading' | 'paragraph' | 'list' | 'code' | 'table' | 'quote' | 'html' | 'break'

export interface MarkdownBlock {
  readonly kind: BlockKind
  /** Offsets in UTF-16 units, whole lines, end exclusive. */
  readonly start: number
  readonly end: number
  /** 1 to 6 for a heading, else 0. */
  readonly depth: number
  /** Starts of a list's items or a table's rows. */
  readonly parts: readonly number[]
}

interface Line {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly indent: number
  readonly blank: boolean
}

const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/
const ATX = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/
const BREAK = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/
const QUOTE = /^ {0,3}>/
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const HTML = /^ {0,3}<(?:!--|[?!/]?[a-z][a-z0-9-]*(?=[\s/>]|$))/i
const RAW_HTML = /^ {0,3}<(?:!--|(script|pre|style|textarea)(?=[\s>]|$))/i

export function* markdownBlocks(text: string, from: number): Generator<MarkdownBlock, void, undefined> {
  const lines = linesOf(text, from)
  for (let at = 0; at < lines.length; ) {
    if (lines.at(at)?.blank) {
      at++
      continue
    }
    const block = readBlock(lines, at)
    const first = lines.at(at)
    const last = lines.at(block.next - 1)
    if (first !== undefined && last !== undefined) {
      yield {
        kind: block.kind,
        start: first.start,
        end: last.end,
        depth: block.depth ?? 0,
        parts: block.parts ?? [],
      }
    }
    at = block.next
  }
}

/** Lines by number. Only where they begin is kept of all: there may be millions. */
interface Lines {
  readonly length: number
  at(index: number): Line | undefined
}

/** Lines that are read already: a block looks at its neighbours again and again. */
const RECENT_LINES = 8

function linesOf(text: string, from: number): Lines {
  const starts: number[] = []
  for (let at = from; at < text.length; ) {
    starts.push(at)
    const found = text.indexOf('\n', at)
    at = found === -1 ? text.length : found + 1
  }
  const recent: { readonly index: number; readonly line: Line }[] = []
  return {
    length: starts.length,
    at(index) {
      const start = starts[index]
      if (start === undefined) return undefined
      const slot = recent[index % RECENT_LINES]
      if (slot?.index === index) return slot.line
      const line = readLine(text, start, starts[index + 1] ?? text.length)
      recent[index % RECENT_LINES] = { index, line }
      return line
    },
  }
}

function readLine(text: string, start: number, end: number): Line {
  const line = text.slice(start, text[end - 1] === '\n' ? end - 1 : end).replace(/\r$/, '')
  const body = line.trimStart()
  let indent = 0
  for (let column = 0; column < line.length - body.length; column++) {
    indent += line[column] === '\t' ? 4 - (indent % 4) : 1
  }
  return { start, end, text: line, indent, blank: body === '' }
}

interface Read {
  readonly kind: BlockKind
  /** Index of the first line after the block. */
  readonly next: number
  readonly depth?: number
  readonly parts?: readonly number[]
}

function readBlock(lines: Lines, at: number): Read {
  const line = lines.at(at)
  if (line === undefined) return { kind: 'paragraph', next: at + 1 }
  const { text, indent } = line
  const fence = indent < 4 ? FENCE.exec(text)?.[1] : undefined
  if (fence !== undefined) return { kind: 'code', next: afterFence(lines, at, fence) }
  const atx = ATX.exec(text)?.[1]
  if (atx !== undefined) return { kind: 'heading', next: at + 1, depth: atx.length }
  if (indent < 4 && BREAK.test(text)) return { kind: 'break', next: at + 1 }
  if (indent >= 4) return { kind: 'code', next: afterIndentedCode(lines, at) }
  if (ITEM.test(text)) return readList(lines, at)
  if (QUOTE.test(text)) return { kind: 'quote', next: afterParagraph(lines, at).next }
  if (HTML.test(text)) return { kind: 'html', next: afterHtml(lines, at) }
  if (isTable(lines, at)) return readTable(lines, at)
  const paragraph = afterParagraph(lines, at)
  return paragraph.depth > 0
    ? { kind: 'heading', next: paragraph.next, depth: paragraph.depth }
    : { kind: 'paragraph', next: paragraph.next }
}

/** A fence closes at one of its own kind, at least as long; unclosed it runs to the end. */
function afterFence(lines: Lines, at: number, fence: string): number {
  let next = at + 1
  for (; next < lines.length; next++) {
    const body = lines.at(next)?.text.trim() ?? ''
    if (body.length >= fence.length && body === (fence[0] ?? '').repeat(body.length)) return next + 1
  }
  return next
}

function afterIndentedCode(lines: Lines, at: number): number {
  let last = at
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines.at(next)
    if (line === undefined || (!line.blank && line.indent < 4)) break
    if (!line.blank) last = next
  }
  return last + 1
}

function afterHtml(lines: Lines, at: number): number {
  const raw = RAW_HTML.exec(lines.at(at)?.text ?? '')
  const closing = raw === null ? null : raw[1] === undefined ? '-->' : `</${raw[1].toLowerCase()}>`
  let next = at
  for (; next < lines.length; next++) {
    const line = lines.at(next)
    if (line === undefined) break
    if (closing === null && line.blank) break
    if (closing !== null && line.text.toLowerCase().includes(closing)) return next + 1
  }
  return next
}

/** Whether a line ends the paragraph before it, without a blank line between. */
function interrupts(line: Line): boolean {
  if (line.indent >= 4) return false
  const { text } = line
  // Of ordered items only the first of a list may interrupt: a year at the start of a line is no item.
  if (/^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/.test(text)) return true
  return ATX.test(text) || FENCE.test(text) || QUOTE.test(text) || BREAK.test(text) || RAW_HTML.test(text)
}

function afterParagraph(lines: Lines, at: number): { readonly next: number; readonly depth: number } {
  const isQuote = QUOTE.test(lines.at(at)?.text ?? '')
  let next = at + 1
  for (; next < lines.length; next++) {
    const line = lines.at(next)
    if (line === undefined || line.blank) break
    if (isQuote && QUOTE.test(line.text)) continue
    const rule = isQuote ? undefined : SETEXT.exec(line.text)?.[1]
    if (rule !== undefined) return { next: next + 1, depth: rule.startsWith('=') ? 1 : 2 }
    if (interrupts(line) || (!isQuote && isTable(lines, next))) break
  }
  return { next, depth: 0 }
}

function isTable(lines: Lines, at: number): boolean {
  const head = lines.at(at)?.text ?? ''
  const rule = lines.at(at + 1)?.text ?? ''
  return (
    head.includes('|') &&
    rule.includes('-') &&
    rule.includes('|') &&
    rule.length < 10_000 &&
    TABLE_RULE.test(withSingleBlanks(rule))
  )
}

/** Runs of blanks behind the first mark made one: the pattern would try every way to share them out. */
function withSingleBlanks(line: string): string {
  const marks = line.trimStart()
  return line.slice(0, line.length - marks.length) + marks.replace(/[ \t]+/g, ' ')
}

function readTable(lines: Lines, at: number): Read {
  const parts: number[] = []
  let next = at + 2
  for (; next < lines.length; next++) {
    const line = lines.at(next)
    if (line === undefined || line.blank || interrupts(line)) break
    parts.push(line.start)
  }
  return { kind: 'table', next, parts }
}

/** Items of the first one's indentation, with all that is indented under them, blank lines and fences included. */
function readList(lines: Lines, at: number): Read {
  const first = lines.at(at)
  const parts: number[] = []
  const outer = first?.indent ?? 0
  let last = at
  for (let next = at; next < lines.length; next++) {
    const line = lines.at(next)
    if (line === undefined) break
    if (line.blank) continue
    const afterBlank = next > at && (lines.at(next - 1)?.blank ?? false)
    const isItem = ITEM.test(line.text) && !BREAK.test(line.text)
    if (isItem && line.indent <= outer + 1) parts.push(line.start)
    else if (line.indent <= outer && (afterBlank || (!isItem && interrupts(line)))) break
    const fence = FENCE.exec(line.text.slice(isItem ? (ITEM.exec(line.text)?.[0].length ?? 0) : 0))?.[1]
    if (fence !== undefined) next = afterFence(lines, next, fence) - 1
    last = Math.max(last, next)
  }
  return { kind: 'list', next: last + 1, parts }
}
