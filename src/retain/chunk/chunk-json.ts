import { type Node, type ParseError, parseTree } from 'jsonc-parser'
import { paragraphUnits } from './chunk-prose.ts'
import { fallback, keyPath, tooLargeToParse } from './key-units.ts'
import { type ScannedUnits, type Unit, unit } from './unit.ts'

/** Keys as units, large values by their own keys and items; JSON lines by lines. Comments are allowed. */
export function jsonUnits(text: string): ScannedUnits {
  const lines = jsonLines(text)
  if (lines !== null) return { units: lines, notes: [] }
  if (tooLargeToParse(text)) return fallback(text, 'too large for the json parser')
  const errors: ParseError[] = []
  let root: Node | undefined
  try {
    root = parseTree(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text, errors, {
      allowTrailingComma: true,
    })
  } catch (cause) {
    // Nested too deep for the parser's stack.
    if (cause instanceof RangeError) return fallback(text, 'json is nested too deep')
    throw cause
  }
  if (root === undefined || errors.length > 0) return fallback(text, 'json did not parse')
  const units = valueUnits(root, '')
  return {
    units: units.length > 0 ? units : paragraphUnits(text, 0, text.length, 'value', 'lines'),
    notes: [],
  }
}

function valueUnits(value: Node, path: string): Unit[] {
  return (value.children ?? []).flatMap((child, index) => {
    const [key, held] = child.type === 'property' ? (child.children ?? []) : [null, child]
    const label = key ? keyPath(path, String(key.value)) : `${path}[${index}]`
    const isHolder = held?.children !== undefined && held.children.length > 0
    return [
      unit(child.offset, child.offset + child.length, key ? 'key' : 'item', {
        label,
        group: path,
        mergedKind: 'keys',
        order: 'lines',
        ...(isHolder ? { children: () => valueUnits(held, label) } : {}),
      }),
    ]
  })
}

/** One unit a line when each of several lines is a JSON value of its own, else null. */
function jsonLines(text: string): Unit[] | null {
  const units: Unit[] = []
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at)
    const end = found === -1 ? text.length : found + 1
    const line = text
      .slice(at, end)
      .replace(/^\uFEFF/, '')
      .trim()
    if (line !== '') {
      // one endless line is no record: parsing it would take many times its size
      if (!/^[{[]/.test(line) || tooLargeToParse(line) || !isJson(line)) return null
      units.push(unit(at, end, 'record', { order: 'lines' }))
    }
    at = end
  }
  return units.length > 1 ? units : null
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    // Not JSON is an answer here, not a failure.
    return false
  }
}
