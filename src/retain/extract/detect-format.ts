import type { Format } from '../../domain/document.ts'
import { looksLikeJsonChat } from '../chunk/chat-json.ts'
import { looksLikeTextChat } from '../chunk/chat-text.ts'
import { codeLanguageOfFile, codeLanguageOfShebang } from '../chunk/code-languages.ts'
import { readFrontMatter } from '../chunk/front-matter.ts'

/** Plain text that is known to be a conversation. */
export const CHAT_MEDIA_TYPE = 'text/x-chat'

export interface DetectedFormat {
  /** Without parameters. */
  readonly mediaType: string
  readonly format: Format
  readonly codeLanguage: string | null
}

type Known = readonly [mediaType: string, format: Format]

const BY_EXTENSION: Readonly<Record<string, Known>> = {
  md: ['text/markdown', 'markdown'],
  markdown: ['text/markdown', 'markdown'],
  mdx: ['text/markdown', 'markdown'],
  mkd: ['text/markdown', 'markdown'],
  json: ['application/json', 'json'],
  jsonc: ['application/json', 'json'],
  json5: ['application/json', 'json'],
  geojson: ['application/json', 'json'],
  webmanifest: ['application/json', 'json'],
  ipynb: ['application/json', 'json'],
  yaml: ['application/yaml', 'yaml'],
  yml: ['application/yaml', 'yaml'],
  toml: ['application/toml', 'toml'],
  csv: ['text/csv', 'prose'],
  tsv: ['text/tab-separated-values', 'prose'],
  rst: ['text/x-rst', 'prose'],
  tex: ['text/x-tex', 'prose'],
  srt: ['text/plain', 'prose'],
  vtt: ['text/vtt', 'prose'],
}

const BY_MEDIA_TYPE: Readonly<Record<string, Format>> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'application/json': 'json',
  'application/ld+json': 'json',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'text/x-yaml': 'yaml',
  'application/toml': 'toml',
  [CHAT_MEDIA_TYPE]: 'chat',
  'text/csv': 'prose',
  'text/prose': 'prose',
}

const CODE_MEDIA_TYPES: Readonly<Record<string, string>> = {
  'text/javascript': 'javascript',
  'application/javascript': 'javascript',
  'application/typescript': 'typescript',
  'text/typescript': 'typescript',
  'text/x-typescript': 'typescript',
  'text/x-python': 'python',
  'text/x-go': 'go',
  'text/x-rust': 'rust',
  'text/x-java': 'java',
  'text/x-java-source': 'java',
  'text/x-c': 'c',
  'text/x-csrc': 'c',
  'text/x-c++': 'cpp',
  'text/x-c++src': 'cpp',
  'text/x-csharp': 'csharp',
  'text/x-ruby': 'ruby',
  'text/x-php': 'php',
  'application/x-httpd-php': 'php',
  'text/x-sh': 'bash',
  'application/x-sh': 'bash',
  'text/css': 'css',
  'text/x-lua': 'lua',
  'text/x-sql': 'sql',
  'application/sql': 'sql',
  'application/xml': 'xml',
  'text/xml': 'xml',
}

const JSON_LINES_EXTENSIONS = new Set(['jsonl', 'ndjson'])
const JSON_LINES_MEDIA_TYPES = new Set([
  'application/x-ndjson',
  'application/jsonl',
  'application/x-jsonlines',
])
/** Looked at to tell what a text without a telling name is. */
const SAMPLE_CHARS = 200_000

/** `text/plain` of `Text/Plain; charset=utf-8`. */
export function essence(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase()
}

/** Lower-case extension without the dot of a path or URL, and the file's lower-case name. */
export function nameParts(source: string): { readonly fileName: string; readonly extension: string } {
  const path = /^[a-z][a-z0-9+.-]*:\/\//i.test(source) ? source.replace(/[?#].*$/s, '') : source
  const fileName = (path.split(/[/\\]/).pop() ?? '').toLowerCase()
  const dot = fileName.lastIndexOf('.')
  return { fileName, extension: dot <= 0 ? '' : fileName.slice(dot + 1) }
}

/** How a text is to be cut: by its media type when that tells, else by the source's extension, else by what it looks like. */
export function detectFormat(text: string, source: string, mediaType: string | null): DetectedFormat {
  const media = mediaType === null ? null : essence(mediaType)
  const { fileName, extension } = nameParts(source)
  if (media !== null) {
    const format = BY_MEDIA_TYPE[media]
    if (format !== undefined) return { mediaType: media, format, codeLanguage: null }
    const codeLanguage = CODE_MEDIA_TYPES[media]
    if (codeLanguage !== undefined) {
      return {
        mediaType: media,
        format: 'code',
        codeLanguage: codeLanguageOfFile(fileName, extension) ?? codeLanguage,
      }
    }
    if (media.endsWith('+json')) return { mediaType: media, format: 'json', codeLanguage: null }
  }
  if (JSON_LINES_EXTENSIONS.has(extension) || (media !== null && JSON_LINES_MEDIA_TYPES.has(media))) {
    const format = looksLikeJsonChat(text) ? 'chat' : 'json'
    return { mediaType: media ?? 'application/x-ndjson', format, codeLanguage: null }
  }
  const known = BY_EXTENSION[extension]
  if (known !== undefined) return { mediaType: media ?? known[0], format: known[1], codeLanguage: null }
  const codeLanguage = codeLanguageOfFile(fileName, extension) ?? codeLanguageOfShebang(text)
  if (codeLanguage !== null)
    return { mediaType: media ?? `text/x-${codeLanguage}`, format: 'code', codeLanguage }
  return { mediaType: media ?? 'text/plain', format: formatOfPlainText(text), codeLanguage: null }
}

function formatOfPlainText(text: string): Format {
  if (looksLikeJsonChat(text)) return 'chat'
  if (looksLikeTextChat(text.slice(0, SAMPLE_CHARS))) return 'chat'
  if (isJson(text)) return 'json'
  return looksLikeMarkdown(text.slice(0, SAMPLE_CHARS)) ? 'markdown' : 'prose'
}

function isJson(text: string): boolean {
  if (text.length > SAMPLE_CHARS || !/^[\s\uFEFF]*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON is an answer here, not a failure.
    return false
  }
}

function looksLikeMarkdown(text: string): boolean {
  if (readFrontMatter(text) !== null) return true
  const signs = [
    /^#{1,6} \S/m,
    /^(?:```|~~~)/m,
    /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
    /^\|[^\n]+\|[ \t]*\r?\n\|[ :|-]+\|/m,
    /\*\*[^*\n]{1,200}\*\*/,
    /^[-*] \S[^\n]*\n[-*] \S/m,
  ]
  const headings = text.match(/^#{1,6} \S/gm)?.length ?? 0
  return headings > 1 || signs.filter((sign) => sign.test(text)).length > 1
}
