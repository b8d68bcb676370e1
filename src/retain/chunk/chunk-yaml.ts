import { isMap, isNode, isScalar, isSeq, type Pair } from 'yaml'
import { fallback, keyPath, withCommentsAbove } from './key-units.ts'
import { parseYaml } from './parse-yaml.ts'
import { type ScannedUnits, type Unit, unit } from './unit.ts'

/** Its parser takes seconds and hundreds of megabytes for more. */
const MAX_YAML_CHARS = 2_000_000

/** Top-level keys of each document as units, large values by their own keys and items. */
export function yamlUnits(text: string): ScannedUnits {
  if (text.length > MAX_YAML_CHARS) return fallback(text, 'too large for the yaml parser')
  const documents = parseYaml(text)
  if (documents === 'wrong throughout') return fallback(text, 'yaml did not parse')
  if (typeof documents === 'string') return fallback(text, `yaml is ${documents}`)
  if (documents.length === 0) return fallback(text, 'yaml has no document')
  if (documents.some((document) => document.errors.length > 0)) return fallback(text, 'yaml did not parse')
  const units = documents.flatMap((document, index) => valueUnits(text, document.contents, '', `${index}`))
  return units.length > 0
    ? { units, notes: [] }
    : { units: [unit(0, text.length, 'value', { order: 'lines' })], notes: [] }
}

function valueUnits(text: string, value: unknown, path: string, document: string): Unit[] {
  if (!isMap(value) && !isSeq(value)) return []
  const units: Unit[] = []
  let floor = value.range?.[0] ?? 0
  if (path === '') floor = 0
  value.items.forEach((item: unknown, index) => {
    const entry = isMap(value) ? entryOf(item, path) : { from: item, held: item, label: `${path}[${index}]` }
    const span = spanOf(entry.from, entry.held)
    if (span === null) return
    const isHolder = (isMap(entry.held) || isSeq(entry.held)) && entry.held.items.length > 0
    const start = withCommentsAbove(text, itemStart(text, span[0]), floor)
    units.push(
      unit(start, span[1], isMap(value) ? 'key' : 'item', {
        label: entry.label,
        group: `${document} ${path}`,
        mergedKind: 'keys',
        order: 'lines',
        ...(isHolder ? { children: () => valueUnits(text, entry.held, entry.label, document) } : {}),
      }),
    )
    floor = span[1]
  })
  return units
}

interface Entry {
  readonly from: unknown
  readonly held: unknown
  readonly label: string
}

function entryOf(item: unknown, path: string): Entry {
  // Items of a map are pairs; the library types them as unknown.
  const pair = item as Pair
  const name = isScalar(pair.key) ? String(pair.key.value) : '?'
  return { from: pair.key, held: pair.value ?? pair.key, label: keyPath(path, name) }
}

function spanOf(from: unknown, to: unknown): readonly [number, number] | null {
  if (!isNode(from) || !from.range) return null
  const end = isNode(to) && to.range ? to.range[1] : from.range[1]
  return [from.range[0], Math.max(end, from.range[1])]
}

/** A sequence's item begins at its dash. */
function itemStart(text: string, start: number): number {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const dash = /^([ \t]*)-[ \t]+$/.exec(text.slice(lineStart, start))
  return dash === null ? start : lineStart + (dash[1]?.length ?? 0)
}
