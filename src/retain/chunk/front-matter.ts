import { parse as parseToml } from 'smol-toml'
import { parse as parseYamlValue } from 'yaml'
import { parseYaml } from './parse-yaml.ts'

export interface FrontMatter {
  /** Length of the block with its fences and the line break after it, in UTF-16 units. */
  readonly end: number
  readonly values: Readonly<Record<string, unknown>>
  /** Why the values could not be read, or null. */
  readonly problem: string | null
}

const YAML_BLOCK = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
const TOML_BLOCK = /^\uFEFF?\+\+\+[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?\+\+\+[ \t]*(?:\r?\n|$)/
const KEY_LINE = /^[\w"'][^\n]*[:=]/m

/** Keys about a text are few; a parser takes seconds for more, on the thread of the caller. */
const MAX_BLOCK_CHARS = 200_000
/** Errors up to which each is told with its line. */
const MOST_TOLD_ERRORS = 20

/** The block of keys at the head of a Markdown file (`---` YAML, `+++` TOML), or null. */
export function readFrontMatter(text: string): FrontMatter | null {
  const yaml = YAML_BLOCK.exec(text)
  const match = yaml ?? TOML_BLOCK.exec(text)
  if (match === null) return null
  const body = match[1] ?? ''
  // Two thematic breaks around a paragraph are no front matter.
  if (body.trim() !== '' && !KEY_LINE.test(body)) return null
  if (body.length > MAX_BLOCK_CHARS) {
    return {
      end: match[0].length,
      values: {},
      problem: `front matter of over ${MAX_BLOCK_CHARS} characters was not read`,
    }
  }
  try {
    const value: unknown = yaml === null ? parseToml(body) : yamlValue(body)
    const values = isRecord(value) ? value : {}
    // Escapes may bring in what no text may hold; a value may hold itself.
    if (/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(values)))
      throw new Error('it has a NUL or half a surrogate pair')
    return { end: match[0].length, values, problem: null }
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return { end: match[0].length, values: {}, problem: `front matter could not be read: ${reason}` }
  }
}

/** @throws Error saying what is wrong, aliases that stand for very many values included */
function yamlValue(body: string): unknown {
  const documents = parseYaml(body)
  if (typeof documents === 'string') throw new Error(`it is ${documents}`)
  const errors = documents.flatMap((document) => document.errors)
  if (errors.length > MOST_TOLD_ERRORS) throw errors[0]!
  return parseYamlValue(body)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
