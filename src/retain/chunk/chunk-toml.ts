import { parse } from 'smol-toml'
import { fallback, tooLargeToParse, withCommentsAbove } from './key-units.ts'
import { type ScannedUnits, type Unit, unit } from './unit.ts'

interface Entry {
  readonly start: number
  readonly end: number
  readonly label: string
  readonly isTable: boolean
}

/** Tables and the keys before the first one as units. The parser gives no offsets: it only vouches for the syntax. */
export function tomlUnits(text: string): ScannedUnits {
  if (tooLargeToParse(text)) return fallback(text, 'too large for the toml parser')
  try {
    parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
    return fallback(text, `toml did not parse (${reason})`)
  }
  const entries = entriesOf(text)
  const units: Unit[] = []
  for (let at = 0; at < entries.length; ) {
    const entry = entries[at]
    let next = at + 1
    if (entry?.isTable) while (next < entries.length && !entries[next]?.isTable) next++
    const last = entries[next - 1]
    if (entry !== undefined && last !== undefined) {
      const keys = entries.slice(at + 1, next)
      const start = withCommentsAbove(text, entry.start, units.at(-1)?.end ?? 0)
      units.push({
        ...keyUnit(start, last.end, entry.label, '', entry.isTable ? 'table' : 'key'),
        ...(keys.length === 0 ? {} : { children: () => keyUnits(text, entry, keys) }),
      })
    }
    at = next
  }
  return { units, notes: [] }
}

function keyUnits(text: string, table: Entry, keys: readonly Entry[]): Unit[] {
  let floor = table.end
  return keys.map((key, index) => {
    // The table's header goes to its first key.
    const start = index === 0 ? table.start : withCommentsAbove(text, key.start, floor)
    floor = key.end
    return keyUnit(start, key.end, `${table.label}.${key.label}`, table.label, 'key')
  })
}

function keyUnit(start: number, end: number, label: string, group: string, kind: string): Unit {
  return unit(start, end, kind, { label, group, mergedKind: 'keys', order: 'lines' })
}

/** Headers and key lines of valid TOML; values may span lines. */
function entriesOf(text: string): Entry[] {
  const entries: Entry[] = []
  const line = /[^\n]*\n?/y
  for (let at = 0; at < text.length; ) {
    line.lastIndex = at
    const whole = line.exec(text)?.[0] ?? ''
    const body = whole.replace(/^\uFEFF/, '').trim()
    const start = at + (whole.length - whole.replace(/^\uFEFF/, '').trimStart().length)
    const header = /^\[{1,2}([^\n]+?)\]{1,2}[ \t]*(?:#.*)?$/.exec(body)
    let end = at + whole.length
    if (header !== null) {
      entries.push({ start, end, label: header[1]?.trim() ?? '', isTable: true })
    } else if (body !== '' && !body.startsWith('#')) {
      const equals = equalsSign(text, start)
      end = lineEnd(text, valueEnd(text, equals + 1))
      entries.push({ start, end, label: text.slice(start, equals).trim(), isTable: false })
    }
    at = Math.max(end, at + 1)
  }
  return entries
}

/** A key may be quoted and hold an equals sign. */
function equalsSign(text: string, start: number): number {
  const key = /(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^"'=\n])*/y
  key.lastIndex = start
  return start + (key.exec(text)?.[0].length ?? 0)
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found === -1 ? text.length : found + 1
}

/** The end of a value: strings, comments and brackets are stepped over whole. */
function valueEnd(text: string, start: number): number {
  const token =
    /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+/y
  let depth = 0
  let at = start
  while (at < text.length) {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found === undefined) return at + 1
    if (found === '[' || found === '{') depth++
    else if (found === ']' || found === '}') depth--
    else if (found === '\n' && depth <= 0) return at
    at += found.length
  }
  return at
}
