/** No form that anybody asks for is so deep. */
const DEEPEST = 100

/**
 * Where a JSON value ends that begins at `start` with `{` or `[`: the index after it, `null` when what stands there is no JSON (or deeper than 100), or how far
 * it is whole when the text ends inside of it. Strict grammar (RFC 8259), iterative, linear.
 */
export function scanJson(text: string, start: number): number | null | CutJson {
  const open: OpenContainer[] = []
  let at = start
  for (;;) {
    at = skipSpace(text, at)
    const top = open.at(-1)
    if (top !== undefined && top.expects === 'comma-or-close') {
      const char = text[at]
      if (char === undefined) return { open }
      if (char === top.close) {
        open.pop()
        at++
        const parent = open.at(-1)
        if (parent === undefined) return at
        closeValue(parent, at)
        continue
      }
      if (char !== ',') return null
      top.expects = top.close === '}' ? 'key' : 'value'
      at = skipSpace(text, at + 1)
    }
    if (text[at] === undefined) return open.length === 0 ? null : { open }
    if (top !== undefined && text[at] === top.close && top.isEmpty) {
      top.expects = 'comma-or-close'
      continue
    }
    if (top?.close === '}') {
      const afterKey = scanString(text, at)
      if (typeof afterKey !== 'number') return afterKey === 'cut' ? { open } : null
      at = skipSpace(text, afterKey)
      if (text[at] === undefined) return { open }
      if (text[at] !== ':') return null
      at = skipSpace(text, at + 1)
      if (text[at] === undefined) return { open }
    }
    if (top !== undefined) top.isEmpty = false
    const char = text[at]
    if (char === '{' || char === '[') {
      if (open.length === DEEPEST) return null
      open.push({
        ...{ start: at, close: char === '{' ? '}' : ']', wholeUntil: at + 1 },
        ...{ isEmpty: true, expects: char === '{' ? 'key' : 'value' },
      })
      at++
      continue
    }
    const end = char === '"' ? scanString(text, at) : scanLiteral(text, at)
    if (end === 'cut') return open.length === 0 ? null : { open }
    if (end === null || top === undefined) return null
    at = end
    closeValue(top, at)
  }
}

/** A text that ends inside of JSON: its containers that are still open, outermost first. */
export interface CutJson {
  readonly open: readonly {
    readonly start: number
    readonly close: '}' | ']'
    /** After its last whole member, or after its opening bracket. */
    readonly wholeUntil: number
  }[]
}

interface OpenContainer {
  readonly start: number
  readonly close: '}' | ']'
  wholeUntil: number
  isEmpty: boolean
  expects: 'key' | 'value' | 'comma-or-close'
}

function closeValue(container: OpenContainer, at: number): void {
  container.wholeUntil = at
  container.expects = 'comma-or-close'
}

const MOST_WAYS = 6

/**
 * The whole part of cut JSON, closed: first as much as there is, then without the innermost containers that are not whole themselves.
 * Whoever reads it takes the first that fits.
 */
export function closeCut(text: string, start: number, { open }: CutJson): string[] {
  const closed: string[] = []
  const least = Math.max(0, open.length - MOST_WAYS)
  for (let depth = open.length; depth > least; depth--) {
    const kept = open.slice(0, depth)
    const brackets = kept.map((container) => container.close).reverse()
    closed.push(text.slice(start, kept.at(-1)!.wholeUntil) + brackets.join(''))
  }
  return closed
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return at
}

function scanString(text: string, start: number): number | null | 'cut' {
  if (text[start] !== '"') return null
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') return at + 1
    if (char < ' ') return null
    if (char !== '\\') continue
    at++
    if (text[at] === undefined) return 'cut'
    if (text[at] === 'u') {
      const digits = text.slice(at + 1, at + 5)
      if (!/^[0-9a-f]*$/i.test(digits)) return null
      if (digits.length < 4) return 'cut'
      at += 4
    } else if (!'"\\/bfnrt'.includes(text[at]!)) return null
  }
  return 'cut'
}

const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const CUT_LITERAL =
  /(?:-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?)$/y

/** A number or word at the very end may go on: it is cut. */
function scanLiteral(text: string, start: number): number | null | 'cut' {
  CUT_LITERAL.lastIndex = start
  if (CUT_LITERAL.test(text)) return 'cut'
  LITERAL.lastIndex = start
  return LITERAL.test(text) ? LITERAL.lastIndex : null
}
