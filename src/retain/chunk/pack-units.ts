import { splitSpan } from './split-span.ts'
import type { TokenLimits, Unit } from './unit.ts'

/** Attributes that are lists of names: joined when units are merged. The others keep the first value. */
const NAME_LISTS = new Set(['symbol', 'calls', 'imports'])
const LABEL_NAMES = 4
const MAX_NESTING = 64

interface Measured {
  readonly unit: Unit
  readonly tokens: number
}

/**
 * Makes units into spans that cover the text without gap or overlap, each within the limits: what lies between two
 * units goes to the first, over-long units are cut at their children or natural boundaries, small neighbours of a
 * group are merged up to the target.
 */
export function packUnits(text: string, units: readonly Unit[], limits: TokenLimits): Unit[] {
  if (text.length === 0) return []
  const covering = cover(text, units, 0, text.length)
  const fitted: Measured[] = []
  for (const unit of covering.length > 0 ? covering : [wholeText(text)]) place(text, unit, limits, fitted, 0)
  return merge(text, fitted, limits)
}

function wholeText(text: string): Unit {
  return {
    start: 0,
    end: text.length,
    kind: 'paragraph',
    label: null,
    group: '',
    order: 'prose',
    attributes: {},
  }
}

/** Stretches units so that they cover [start, end) exactly; units of white space only are given to a neighbour. */
function cover(text: string, units: readonly Unit[], start: number, end: number): Unit[] {
  const kept: Unit[] = []
  for (const unit of units) {
    const from = Math.max(unit.start, kept.at(-1)?.end ?? start)
    const to = Math.min(unit.end, end)
    if (to <= from || isBlank(text, from, to)) continue
    kept.push({ ...unit, start: from, end: to })
  }
  return kept.map((unit, index) => {
    const next = kept[index + 1]
    const from = index === 0 ? start : indentationStart(text, unit.start, kept[index - 1]?.end ?? start)
    const to = next === undefined ? end : indentationStart(text, next.start, unit.end)
    return { ...unit, start: from, end: to }
  })
}

/** The start of a unit's line when only indentation is before it: indentation reads with what it indents. */
function indentationStart(text: string, start: number, floor: number): number {
  let at = start
  while (at > floor && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--
  return at === floor || text[at - 1] === '\n' ? at : start
}

function isBlank(text: string, start: number, end: number): boolean {
  const word = /\S/g
  word.lastIndex = start
  const found = word.exec(text)
  return found === null || found.index >= end
}

function place(text: string, unit: Unit, limits: TokenLimits, out: Measured[], depth: number): void {
  const span = text.slice(unit.start, unit.end)
  const tooLong = span.trim().length > limits.maxChars
  const tokens = tooLong ? Number.POSITIVE_INFINITY : limits.countTokens(span)
  const mostWhole = Math.min(limits.maxTokens, unit.splitOverTokens ?? limits.maxTokens)
  if (tokens > mostWhole && unit.children !== undefined && depth < MAX_NESTING) {
    const inner = cover(text, unit.children(), unit.start, unit.end)
    if (inner.length > 1 || (inner[0] !== undefined && inner[0].children !== undefined)) {
      for (const child of inner) place(text, child, limits, out, depth + 1)
      return
    }
  }
  if (tokens <= limits.maxTokens) {
    out.push({ unit, tokens })
    return
  }
  let from = unit.start
  for (const end of splitSpan(text, unit.start, unit.end, limits, unit.order)) {
    const piece: Unit = { ...unit, start: from, end, group: null, gluesToNext: false }
    out.push({ unit: piece, tokens: limits.maxTokens })
    from = end
  }
}

function merge(text: string, units: readonly Measured[], limits: TokenLimits): Unit[] {
  const merged: Unit[] = []
  let run: Measured[] = []
  let runTokens = 0
  const close = (): void => {
    emit(text, run, runTokens, limits, merged)
    run = []
    runTokens = 0
  }
  for (const next of units) {
    const last = run.at(-1)
    if (last !== undefined) {
      const together = runTokens + next.tokens
      const sameGroup = last.unit.group !== null && last.unit.group === next.unit.group
      const joins = last.unit.gluesToNext
        ? together <= limits.maxTokens
        : sameGroup && together <= limits.targetTokens
      if (!joins) close()
    }
    run.push(next)
    runTokens += next.tokens
  }
  close()
  return merged
}

/** Pushes the run as one unit; a sum of counts is an estimate, so a sum near the limit is counted anew. */
function emit(
  text: string,
  run: readonly Measured[],
  tokens: number,
  limits: TokenLimits,
  out: Unit[],
): void {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined) return
  if (run.length === 1) {
    out.push(first.unit)
    return
  }
  const fits =
    tokens <= limits.maxTokens / 2 ||
    limits.countTokens(text.slice(first.unit.start, last.unit.end)) <= limits.maxTokens
  if (!fits) {
    const half = run.length >> 1
    for (const part of [run.slice(0, half), run.slice(half)]) {
      emit(
        text,
        part,
        part.reduce((sum, one) => sum + one.tokens, 0),
        limits,
        out,
      )
    }
    return
  }
  out.push(joined(run.map((one) => one.unit)))
}

function joined(units: readonly Unit[]): Unit {
  // The glued heading takes the name of what it heads.
  const named = units.filter((unit) => !unit.gluesToNext)
  const [first = units[0]] = named
  const last = units.at(-1)
  if (first === undefined || last === undefined) throw new RangeError('Nothing to join.')
  const kinds = new Set(named.map((unit) => unit.kind))
  // A comment before code makes it no other kind of thing.
  if (kinds.size > 1) kinds.delete('comment')
  const [only] = kinds
  const holdsHeading = named.length < units.length && first.mergedKind === undefined
  const kind = kinds.size > 1 || holdsHeading ? (first.mergedKind ?? 'section') : (only ?? first.kind)
  const labels = [...new Set(named.map((unit) => unit.label).filter((label) => label !== null))]
  return {
    ...first,
    start: units[0]?.start ?? first.start,
    end: last.end,
    kind,
    label: labels.length === 0 ? (units[0]?.label ?? null) : joinLabels(labels),
    gluesToNext: last.gluesToNext ?? false,
    attributes: joinAttributes(units, named.length === 0 ? units : named),
  }
}

function joinLabels(labels: readonly string[]): string {
  const shown = labels.slice(0, LABEL_NAMES).join(', ')
  return labels.length > LABEL_NAMES ? `${shown}, …` : shown
}

/** Names of all; what is said about one thing only from those that the merger is named after. */
function joinAttributes(units: readonly Unit[], named: readonly Unit[]): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (const unit of units) {
    for (const [name, value] of Object.entries(unit.attributes)) {
      const before = attributes[name]
      if (NAME_LISTS.has(name)) {
        const names = [...(before?.split(', ') ?? []), ...value.split(', ')]
        attributes[name] = [...new Set(names)].join(', ')
      } else if (before === undefined && named.includes(unit)) attributes[name] = value
    }
  }
  return attributes
}
