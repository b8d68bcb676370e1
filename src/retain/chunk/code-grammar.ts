import { readFile } from 'node:fs/promises'
import { Language, Parser, type Tree } from 'web-tree-sitter'

/** Loaded grammars by name. They never change, so one copy serves the whole process. */
const grammars = new Map<string, Promise<Language>>()

/** The largest file of real code that is parsed at all takes a second or two. */
const LONGEST_PARSE_MS = 15_000

/**
 * Parses code. The caller deletes the tree.
 *
 * @returns null when the parser gives up
 */
export async function parseCode(text: string, grammar: string): Promise<Tree | null> {
  const language = await loadGrammar(grammar)
  const parser = new Parser()
  try {
    parser.setLanguage(language)
    // its work cannot be counted: of text that is no code a single step may take a second
    const until = performance.now() + LONGEST_PARSE_MS
    return parser.parse(text, null, { progressCallback: () => performance.now() > until })
  } finally {
    parser.delete()
  }
}

function loadGrammar(name: string): Promise<Language> {
  const known = grammars.get(name)
  if (known !== undefined) return known
  const loading = Parser.init().then(async () =>
    Language.load(await readFile(new URL(`../../../grammars/${name}.wasm`, import.meta.url))),
  )
  grammars.set(name, loading)
  // A load that failed is tried again by the next call.
  loading.catch(() => grammars.delete(name))
  return loading
}
