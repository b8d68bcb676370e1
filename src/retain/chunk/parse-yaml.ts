import { Composer, type CST, type Document, type ParsedNode, Parser } from 'yaml'

/** Deeper YAML is no document of anybody, and the composer and all that walks its tree recurse. */
const MAX_DEPTH = 500
/** Each error costs as much as a hundred characters. */
const MOST_ERRORS = 100

/** One document of a YAML text; `errors` are not told with their lines, which takes the square of their number. */
export type YamlDocument = Document.Parsed<ParsedNode>

/**
 * Parses YAML from anywhere: in time linear in the text, whatever its errors, and without deep recursion.
 *
 * @returns why it is not parsed: it is nested too deep, or has more errors than are worth counting
 */
export function parseYaml(text: string): readonly YamlDocument[] | 'nested too deep' | 'wrong throughout' {
  const tokens = [...new Parser().parse(text)]
  if (isTooDeep(tokens)) return 'nested too deep'
  const wrong = tokens.filter(({ type }) => type === 'error' || type === 'flow-error-end')
  if (wrong.length > MOST_ERRORS) return 'wrong throughout'
  return [...new Composer({ logLevel: 'silent', uniqueKeys: false, prettyErrors: false }).compose(tokens)]
}

function isTooDeep(tokens: readonly CST.Token[]): boolean {
  const open: { readonly token: CST.Token; readonly depth: number }[] = []
  const visit = (token: CST.Token | null | undefined, depth: number): void => {
    if (token) open.push({ token, depth })
  }
  for (const token of tokens) {
    visit(token, 0)
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { token: inner, depth } = next
      if (depth > MAX_DEPTH) return true
      if (inner.type === 'document') visit(inner.value, depth)
      if (!('items' in inner)) continue
      for (const item of inner.items) {
        visit(item.key, depth + 1)
        visit(item.value, depth + 1)
      }
    }
  }
  return false
}
