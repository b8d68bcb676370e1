import type { Node } from 'web-tree-sitter'
import { isProlepsisError } from '../../domain/errors.ts'
import { paragraphUnits } from './chunk-prose.ts'
import { parseCode } from './code-grammar.ts'
import { grammarOf } from './code-languages.ts'
import { type CodeNames, codeNames, type NamedPlace } from './code-names.ts'
import { definitionOf, docstringOf, isComment, isPrefix } from './code-symbols.ts'
import { packUnits } from './pack-units.ts'
import { type ScannedUnits, TARGET_TOKENS, type TokenLimits, type Unit, unit } from './unit.ts'

/** Past this a tree costs more memory than it is worth; such files are nearly always generated. */
const MAX_PARSED_CHARS = 2_000_000
/** A file of which more than this part is errors at its root did not parse. */
const MOST_ERRORS = 0.3
/** Containers over so many tokens are cut into their members: a method is a whole of its own. */
const WHOLE_CONTAINER_TOKENS = TARGET_TOKENS * 1.5
const MOST_NAMES = 40

/** Cuts code at its definitions; without a grammar, or when it does not parse, at blank lines, and says so. */
export async function codeChunks(
  text: string,
  language: string | null,
  limits: TokenLimits,
): Promise<ScannedUnits> {
  const byLines = (note: string): ScannedUnits => ({
    units: packUnits(text, paragraphUnits(text, 0, text.length, 'code', 'lines'), limits),
    notes: [`${note}: cut at blank lines`],
  })
  const name = language ?? 'code'
  const grammar = language === null ? null : grammarOf(language)
  if (grammar === null) return byLines(`no grammar for ${name}`)
  if (text.length > MAX_PARSED_CHARS) return byLines(`too large for the ${name} parser`)
  let tree: Awaited<ReturnType<typeof parseCode>>
  try {
    tree = await parseCode(text, grammar)
  } catch (error) {
    if (isProlepsisError(error)) throw error
    return byLines(`the ${name} parser failed (${error instanceof Error ? error.message : String(error)})`)
  }
  if (tree === null) return byLines(`${name} did not parse`)
  try {
    const root = tree.rootNode
    if (didNotParse(root, text.length)) return byLines(`${name} did not parse`)
    const packed = packUnits(text, siblings(root.namedChildren, '', 'code', text), limits)
    return { units: withNames(packed, codeNames(root)), notes: [] }
  } finally {
    tree.delete()
  }
}

function didNotParse(root: Node, length: number): boolean {
  if (root.isError) return true
  if (!root.hasError) return false
  let wrong = 0
  for (const child of root.children) if (child.isError) wrong += child.endIndex - child.startIndex
  return wrong > length * MOST_ERRORS
}

/** A comment or decorator run that waits for what it is about. */
interface Waiting {
  readonly start: number
  readonly end: number
  /** Comments only. */
  readonly words: string
  /** Whether it can only belong to what follows. */
  readonly binds: boolean
}

/** Units of neighbouring nodes: each definition with its doc comment and decorators. */
function siblings(nodes: readonly Node[], path: string, otherKind: string, text: string): Unit[] {
  const units: Unit[] = []
  let waiting: Waiting | null = null
  for (const node of nodes) {
    // What a blank line sets apart from the node stands for itself.
    if (waiting !== null && !waiting.binds && isApart(text, waiting.end, node.startIndex)) {
      units.push(unit(waiting.start, waiting.end, 'comment', common(path, path)))
      waiting = null
    }
    if (!isComment(node) && !isPrefix(node)) {
      units.push(nodeUnit(node, waiting, path, otherKind, text))
      waiting = null
      continue
    }
    // A comment behind code, on its line, belongs to that code.
    const before = units.at(-1)
    if (
      waiting === null &&
      before !== undefined &&
      isComment(node) &&
      !hasBreak(text, before.end, node.startIndex)
    ) {
      units[units.length - 1] = { ...before, end: node.endIndex }
      continue
    }
    waiting = waitingWith(waiting, node, text)
  }
  if (waiting !== null) units.push(unit(waiting.start, waiting.end, 'comment', common(path, path)))
  return units
}

function waitingWith(held: Waiting | null, node: Node, text: string): Waiting {
  const words = isComment(node) ? text.slice(node.startIndex, node.endIndex) : ''
  return {
    start: held?.start ?? node.startIndex,
    end: node.endIndex,
    words: held === null || held.words === '' ? words : `${held.words}\n${words}`,
    binds: !isComment(node) || (held?.binds ?? false),
  }
}

function hasBreak(text: string, from: number, to: number): boolean {
  return text.slice(from, to).includes('\n')
}

/** Whether a blank line lies between. */
function isApart(text: string, from: number, to: number): boolean {
  return /\n[ \t\r]*\n/.test(text.slice(Math.max(0, from - 1), to))
}

function common(label: string, group: string): Pick<Unit, 'label' | 'group' | 'order' | 'mergedKind'> {
  return { label: label === '' ? null : label, group, order: 'lines', mergedKind: 'code' }
}

function nodeUnit(node: Node, waiting: Waiting | null, path: string, otherKind: string, text: string): Unit {
  const start = waiting?.start ?? node.startIndex
  const definition = definitionOf(node)
  const isImport = definition?.kind === 'import'
  // Statements keep the name of what they are part of.
  const isLocal = otherKind !== 'code' && (definition?.kind === 'variable' || definition?.name === null)
  if (definition === null || isImport || isLocal) {
    const children = node.namedChildCount > 0 ? { children: () => inside(node, path, otherKind, text) } : {}
    return unit(start, node.endIndex, isImport ? 'import' : otherKind, {
      ...common(path, isImport ? `${path} import` : path),
      ...children,
      ...(path === '' ? {} : { attributes: { symbol: path } }),
    })
  }
  const { kind, name, isContainer, body } = definition
  const symbol = name === null ? path : path === '' ? name : `${path}.${name}`
  const docstring = docstringOf(waiting?.words ?? '', body)
  return unit(start, node.endIndex, kind, {
    ...common(symbol, path),
    attributes: {
      ...(symbol === '' ? {} : { symbol }),
      ...(docstring === null ? {} : { docstring }),
    },
    ...(isContainer ? { splitOverTokens: WHOLE_CONTAINER_TOKENS } : {}),
    children: () => members(start, node, definition, symbol, docstring, text),
  })
}

/** A definition cut open: its head, which stays with the first member, and its members or statements. */
function members(
  start: number,
  node: Node,
  { kind, isContainer, body }: NonNullable<ReturnType<typeof definitionOf>>,
  symbol: string,
  docstring: string | null,
  text: string,
): Unit[] {
  const inner =
    body === null
      ? inside(node, symbol, isContainer ? 'code' : kind, text)
      : siblings(body.namedChildren, symbol, isContainer ? 'code' : kind, text)
  const [first] = inner
  if (first === undefined || first.start <= start) return inner
  const attributes = {
    ...(symbol === '' ? {} : { symbol }),
    ...(docstring === null ? {} : { docstring }),
  }
  const head = unit(start, first.start, kind, {
    ...common(symbol, symbol),
    gluesToNext: true,
    attributes,
  })
  return [head, ...inner]
}

/** What lies in a node, single wrappers skipped. */
function inside(node: Node, path: string, otherKind: string, text: string): Unit[] {
  let holder = node
  for (let depth = 0; depth < 32 && holder.namedChildCount === 1; depth++) {
    const only = holder.firstNamedChild
    if (only === null || only.namedChildCount === 0) break
    holder = only
  }
  return siblings(holder.namedChildren, path, otherKind, text)
}

/** Adds what each chunk calls and imports. */
function withNames(units: Iterable<Unit>, names: CodeNames): Unit[] {
  const calls = [...names.calls].sort((one, other) => one.start - other.start)
  let call = 0
  let imported = 0
  return Array.from(units, (span) => {
    const called = new Set<string>()
    const wanted = new Set<string>()
    for (; isBefore(calls[call], span.end); call++) called.add(calls[call]?.name ?? '')
    for (; isBefore(names.imports[imported], span.end); imported++)
      wanted.add(names.imports[imported]?.name ?? '')
    return {
      ...span,
      attributes: {
        ...span.attributes,
        ...(called.size === 0 ? {} : { calls: [...called].slice(0, MOST_NAMES).join(', ') }),
        ...(wanted.size === 0 ? {} : { imports: [...wanted].slice(0, MOST_NAMES).join(', ') }),
      },
    }
  })
}

function isBefore(place: NamedPlace | undefined, end: number): boolean {
  return place !== undefined && place.start < end
}
