import type { Node } from 'web-tree-sitter'

/** Kinds of chunk by node type, over all grammars: their type names do not contradict each other. */
const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    function: `function_declaration function_definition function_item function_signature function_signature_item
      generator_function_declaration local_function_statement decorated_function macro_definition preproc_function_def
      delegate_declaration`,
    method: `method_definition method_declaration method singleton_method constructor_declaration
      destructor_declaration method_signature abstract_method_signature compact_constructor_declaration
      operator_declaration indexer_declaration conversion_operator_declaration`,
    class:
      'class_declaration abstract_class_declaration class_definition class_specifier class record_declaration singleton_class',
    interface: 'interface_declaration trait_item trait_declaration annotation_type_declaration',
    struct: 'struct_item struct_specifier struct_declaration union_specifier union_item type_declaration',
    enum: 'enum_declaration enum_item enum_specifier',
    type: 'type_alias_declaration type_item type_definition alias_declaration concept_definition',
    module: `module mod_item namespace_definition namespace_declaration file_scoped_namespace_declaration
      internal_module impl_item foreign_mod_item linkage_specification`,
    import: `import_statement import_declaration import_from_statement future_import_statement use_declaration
      extern_crate_declaration preproc_include using_directive namespace_use_declaration package_clause
      package_declaration using_declaration extern_alias_directive`,
    field: `public_field_definition field_definition field_declaration property_declaration property_signature
      event_field_declaration event_declaration`,
    variable: `lexical_declaration variable_declaration const_item static_item const_declaration var_declaration
      declaration preproc_def assignment variable_assignment assignment_statement`,
    rule: 'rule_set media_statement keyframes_statement supports_statement at_rule',
  }).flatMap(([kind, types]) => types.split(/\s+/).map((type): [string, string] => [type, kind])),
)

const CONTAINERS = new Set(['class', 'interface', 'struct', 'enum', 'module'])
/** Nodes that only dress a definition. */
const WRAPPERS = new Set([
  'export_statement',
  'ambient_declaration',
  'decorated_definition',
  'template_declaration',
  'expression_statement',
  'type_declaration',
])
const WRAPPED_FIELDS = ['declaration', 'definition', 'value'] as const
const FUNCTION_VALUES = new Set([
  'arrow_function',
  'function_expression',
  'generator_function',
  'function_definition',
])
const COMMENTS = new Set(['comment', 'line_comment', 'block_comment', 'html_comment', 'doc_comment'])
/** Stand before what they are about as siblings of it. */
const PREFIXES = new Set(['decorator', 'attribute_item', 'attribute_list', 'annotation', 'marker_annotation'])
const DOCSTRING_CHARS = 300
const NAME_CHARS = 120

export function isComment(node: Node): boolean {
  return COMMENTS.has(node.type)
}

export function isPrefix(node: Node): boolean {
  return PREFIXES.has(node.type)
}

export interface Definition {
  readonly kind: string
  /** Last part of the symbol path, or null when it has no name. */
  readonly name: string | null
  /** Has members that are definitions themselves. */
  readonly isContainer: boolean
  /** What holds the members or statements, or null. */
  readonly body: Node | null
}

/** What a node defines, wrappers looked through, or null when it defines nothing. */
export function definitionOf(node: Node): Definition | null {
  const inner = unwrap(node)
  if (node.type === 'export_statement' && node.childForFieldName('source') !== null) {
    return { kind: 'import', name: null, isContainer: false, body: null }
  }
  const kind = KINDS.get(inner.type)
  if (kind === undefined) return assignedFunction(inner)
  if (kind === 'variable') return variableOf(inner)
  const isNested = kind === 'function' && node.type !== inner.type && node.type === 'expression_statement'
  return {
    kind: isNested ? 'code' : kind,
    name: kind === 'import' ? null : nameOf(inner),
    isContainer: CONTAINERS.has(kind),
    body: bodyOf(inner),
  }
}

function unwrap(node: Node): Node {
  let inner = node
  for (let depth = 0; depth < 4 && WRAPPERS.has(inner.type); depth++) {
    const field = WRAPPED_FIELDS.map((name) => inner.childForFieldName(name)).find((child) => child !== null)
    const next =
      field ?? inner.namedChildren.find((child) => KINDS.has(child.type) || WRAPPERS.has(child.type))
    if (next === undefined || (!KINDS.has(next.type) && !WRAPPERS.has(next.type))) break
    inner = next
  }
  return inner
}

/** `const open = () => …` is a function; other variables go by their first name. */
function variableOf(node: Node): Definition {
  const declarator =
    node.childForFieldName('declarator') ??
    node.namedChildren.find((child) => /declarator|_spec$|^assignment_statement$/.test(child.type)) ??
    node
  const value = declarator.childForFieldName('value')
  const isFunction = value !== null && FUNCTION_VALUES.has(value.type)
  const isPrototype = declarator.type === 'function_declarator'
  return {
    kind: isFunction || isPrototype ? 'function' : 'variable',
    name: nameOf(declarator) ?? nameOf(node),
    isContainer: false,
    body: isFunction ? bodyOf(value) : null,
  }
}

/** `Store.prototype.open = function () {…}`, `exports.open = …`. */
function assignedFunction(node: Node): Definition | null {
  const assignment = node.type === 'expression_statement' ? node.firstNamedChild : null
  if (assignment?.type !== 'assignment_expression') return null
  const right = assignment.childForFieldName('right')
  const left = assignment.childForFieldName('left')
  if (right === null || left === null || !FUNCTION_VALUES.has(right.type)) return null
  return { kind: 'function', name: cleanName(left.text), isContainer: false, body: bodyOf(right) }
}

function bodyOf(node: Node): Node | null {
  const body =
    node.childForFieldName('body') ?? node.childForFieldName('type')?.childForFieldName('body') ?? null
  const held =
    body ?? node.namedChildren.find((child) => /(?:_body|_list|^block|^body)$/.test(child.type)) ?? null
  // Go wraps a block's statements once more.
  return held?.namedChildCount === 1 && held.firstNamedChild?.type === 'statement_list'
    ? held.firstNamedChild
    : held
}

function nameOf(node: Node): string | null {
  if (node.type === 'impl_item') {
    const type = node.childForFieldName('type')
    return type === null ? null : cleanName(type.text.replace(/<.*$/s, ''))
  }
  const named = node.childForFieldName('name') ?? node.childForFieldName('left') ?? declaredName(node)
  if (named === null) {
    const spec = node.namedChildren.find((child) => /_spec$/.test(child.type))?.childForFieldName('name')
    return spec === undefined || spec === null ? null : cleanName(spec.text)
  }
  const receiver = node.childForFieldName('receiver')
  const type =
    receiver === null ? null : /([\p{L}_][\p{L}\p{N}_]*)(?:\[[^\]]*\])?\s*\)\s*$/u.exec(receiver.text)?.[1]
  return cleanName(type ? `${type}.${named.text}` : named.text)
}

/** C and C++ wrap the name in declarators. */
function declaredName(node: Node): Node | null {
  let inner = node.childForFieldName('declarator')
  for (let depth = 0; depth < 8 && inner !== null; depth++) {
    const next: Node | null =
      inner.childForFieldName('declarator') ??
      inner.childForFieldName('name') ??
      (inner.type === 'reference_declarator' ? inner.firstNamedChild : null)
    if (next === null || /identifier|destructor_name|operator/.test(inner.type)) return inner
    inner = next
  }
  return inner
}

function cleanName(name: string): string | null {
  const clean = name
    .replace(/::|->|:/g, '.')
    .replace(/^(?:module\.)?exports\.|\.prototype(?=\.)/g, '')
    .replace(/^['"]|['"]$/g, '')
    .replace(/[\s,]+/g, ' ')
    .trim()
  return clean === '' || clean.length > NAME_CHARS || /[{}()[\]]/.test(clean) ? null : clean
}

/** The words of a doc comment, or of the string that opens a Python body; the first few hundred characters. */
export function docstringOf(comment: string, body: Node | null): string | null {
  const opening = body?.firstNamedChild
  const string = opening?.type === 'expression_statement' ? opening.firstNamedChild : opening
  const source = comment.trim() !== '' ? comment : string?.type === 'string' ? string.text : ''
  const words = source
    .split('\n')
    .filter((line) => !/^\s*(?:@\w|#\[|#!|\[|\/\/\s*(?:eslint|biome|@ts-|prettier|noqa|nolint))/.test(line))
    .map((line) =>
      line
        .replace(/^\s*(?:\/\*+!?|\*+\/|\*+(?!\*)|\/\/[/!]?|#+|--+\[*|;+|[rRuUbBfF]?(?:"""|'''|"|'))\s?/, '')
        .replace(/\s*(?:\*+\/|"""|'''|"|'|\]\])\s*$/, '')
        .replace(/<\/?(?:summary|remarks|para)>/g, '')
        .trim(),
    )
    // Rules drawn in comments say nothing.
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (words === '') return null
  return words.length <= DOCSTRING_CHARS
    ? words
    : `${words.slice(0, DOCSTRING_CHARS).replace(/[\ud800-\udbff]$|\s+\S*$/, '')} …`
}
