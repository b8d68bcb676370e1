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
 * group are merged up to the target. Made one by one as they are asked for.
 */
export function packUnits(text: string, units: Iterable<Unit>, limits: TokenLimits): Iterable<Unit> {
  if (text.length === 0) return []
  return merge(text, fittedUnits(text, units, limits), limits)
}

/** Units within the limits, one by one: a long text has more of them than its chunks. */
function* fittedUnits(
  text: string,
  units: Iterable<Unit>,
  limits: TokenLimits,
): Generator<Measured, void, undefined> {
  let isEmpty = true
  for (const unit of cover(text, units, 0, text.length)) {
    isEmpty = false
    yield* place(text, unit, limits, 0)
  }
  if (isEmpty) yield* place(text, wholeText(text), limits, 0)
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
function* cover(
  text: string,
  units: Iterable<Unit>,
  start: number,
  end: number,
): Generator<Unit, void, undefined> {
  let waiting: Unit | null = null
  let from = start
  for (const unit of units) {
    const at: number = Math.max(unit.start, waiting?.end ?? start)
    const to = Math.min(unit.end, end)
    if (to <= at || isBlank(text, at, to)) continue
    if (waiting !== null) {
      const next = indentationStart(text, at, waiting.end)
      yield { ...waiting, start: from, end: next }
      from = next
    }
    waiting = { ...unit, start: at, end: to }
  }
  if (waiting !== null) yield { ...waiting, start: from, end }
}

/** The start of a unit's line when only indentation is before it: indentation reads with what it indents. */
function indentationStart(text: string, start: number, floor: number): number {
  let at = start
  while (at > floor && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--
  return at === floor || text[at - 1] === '\n' ? at : start
}

function isBlank(text: string, start: number, end: number): boolean {
  return !/\S/.test(text.slice(start, end))
}

function* place(
  text: string,
  unit: Unit,
  limits: TokenLimits,
  depth: number,
): Generator<Measured, void, undefined> {
  const span = text.slice(unit.start, unit.end)
  const tooLong = span.trim().length > limits.maxChars
  const tokens = tooLong ? Number.POSITIVE_INFINITY : limits.countTokens(span)
  const mostWhole = Math.min(limits.maxTokens, unit.splitOverTokens ?? limits.maxTokens)
  if (tokens > mostWhole && unit.children !== undefined && depth < MAX_NESTING) {
    const inner = [...cover(text, unit.children(), unit.start, unit.end)]
    if (inner.length > 1 || (inner[0] !== undefined && inner[0].children !== undefined)) {
      for (const child of inner) yield* place(text, child, limits, depth + 1)
      return
    }
  }
  if (tokens <= limits.maxTokens) {
    yield { unit, tokens }
    return
  }
  let from = unit.start
  for (const end of splitSpan(text, unit.start, unit.end, limits, unit.order)) {
    const piece: Unit = { ...unit, start: from, end, group: null, gluesToNext: false }
    yield { unit: piece, tokens: limits.maxTokens }
    from = end
  }
}

function* merge(
  text: string,
  units: Iterable<Measured>,
  limits: TokenLimits,
): Generator<Unit, void, undefined> {
  let run: Measured[] = []
  let runTokens = 0
  for (const next of units) {
    const last = run.at(-1)
    if (last !== undefined) {
      const together = runTokens + next.tokens
      const sameGroup = last.unit.group !== null && last.unit.group === next.unit.group
      const joins = last.unit.gluesToNext
        ? together <= limits.maxTokens
        : sameGroup && together <= limits.targetTokens
      if (!joins) {
        yield* emit(text, run, runTokens, limits)
        run = []
        runTokens = 0
      }
    }
    run.push(next)
    runTokens += next.tokens
  }
  yield* emit(text, run, runTokens, limits)
}

/** The run as one unit; a sum of counts is an estimate, so a sum near the limit is counted anew. */
function* emit(
  text: string,
  run: readonly Measured[],
  tokens: number,
  limits: TokenLimits,
): Generator<Unit, void, undefined> {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined) return
  if (run.length === 1) {
    yield first.unit
    return
  }
  const fits =
    tokens <= limits.maxTokens / 2 ||
    limits.countTokens(text.slice(first.unit.start, last.unit.end)) <= limits.maxTokens
  if (!fits) {
    const half = run.length >> 1
    for (const part of [run.slice(0, half), run.slice(half)]) {
      const sum = part.reduce((total, one) => total + one.tokens, 0)
      yield* emit(text, part, sum, limits)
    }
    return
  }
  yield joined(run.map((one) => one.unit))
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
