import type { Node } from 'web-tree-sitter'

/** A name that occurs somewhere: called, or imported. */
export interface NamedPlace {
  readonly start: number
  readonly name: string
}

/** Node types that call something, with the field that says what. */
const CALLS: Readonly<Record<string, string>> = {
  call_expression: 'function',
  call: 'function',
  method_invocation: 'name',
  invocation_expression: 'function',
  function_call_expression: 'function',
  member_call_expression: 'name',
  nullsafe_member_call_expression: 'name',
  scoped_call_expression: 'name',
  function_call: 'name',
  macro_invocation: 'macro',
  new_expression: 'constructor',
  object_creation_expression: 'type',
  command: 'name',
}
const IMPORTS = [
  'import_statement',
  'import_from_statement',
  'import_declaration',
  'use_declaration',
  'preproc_include',
  'using_directive',
  'namespace_use_declaration',
]
const RE_EXPORT = 'export_statement'
/** Functions that import by being called. */
const IMPORTING_CALLS = new Set([
  'require',
  'require_relative',
  'import',
  'source',
  'include_once',
  'require_once',
])
const NAME_LENGTH = 80

export interface CodeNames {
  readonly calls: readonly NamedPlace[]
  readonly imports: readonly NamedPlace[]
}

/** Everything that a file calls and imports, in order. */
export function codeNames(root: Node): CodeNames {
  const calls: NamedPlace[] = []
  const imports: NamedPlace[] = []
  for (const node of root.descendantsOfType(Object.keys(CALLS))) {
    const called = node.childForFieldName(CALLS[node.type] ?? '') ?? node.childForFieldName('method')
    const name =
      called === null ? (/^new\s+([\w.]+)/.exec(node.text.slice(0, NAME_LENGTH))?.[1] ?? '') : called.text
    const last = lastIdentifier(name)
    if (last === null) continue
    if (IMPORTING_CALLS.has(last)) imports.push(...importedNames(node))
    else calls.push({ start: node.startIndex, name: last })
  }
  for (const node of root.descendantsOfType(IMPORTS)) imports.push(...importedNames(node))
  for (const node of root.descendantsOfType(RE_EXPORT)) {
    if (node.childForFieldName('source') !== null) imports.push(...importedNames(node))
  }
  imports.sort((one, other) => one.start - other.start)
  return { calls, imports }
}

function lastIdentifier(callee: string): string | null {
  // Of a long chain only its end is looked at.
  const name = /([\p{L}_$][\p{L}\p{N}_$]*)[!?]?(?:::<[^<>]*>|<[^<>]*>)?$/u.exec(
    callee.slice(-NAME_LENGTH).trim(),
  )?.[1]
  return name === undefined || name === 'super' ? null : name
}

/** The modules and the names that an import names: quoted paths, dotted paths, and identifiers. */
function importedNames(node: Node): NamedPlace[] {
  const text = node.text.slice(0, 2000)
  const names: string[] = []
  for (const match of text.matchAll(
    /["'<`]([^"'<>`\n]{1,120})["'>`]|[\p{L}_$@][\p{L}\p{N}_$]*(?:(?:\.|::|\\)[\p{L}\p{N}_$*]+)*/gu,
  )) {
    const name = match[1] ?? match[0]
    if (match[1] !== undefined || !WORDS_OF_IMPORT.has(name)) names.push(name.replaceAll(',', ' '))
  }
  return [...new Set(names)].map((name) => ({ start: node.startIndex, name }))
}

const WORDS_OF_IMPORT = new Set(
  'import export from as type typeof use using include require require_relative static global pub crate self super const function mod extern local define source'.split(
    ' ',
  ),
)
