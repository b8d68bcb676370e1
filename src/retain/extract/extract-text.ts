import { isBlank } from '../../domain/blank.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import type { RetainContent } from '../../domain/retain.ts'
import { assertWellFormed } from '../../domain/well-formed.ts'
import { readFrontMatter } from '../chunk/front-matter.ts'
import { shortened, spacesBefore, withoutClosingHashes } from '../chunk/heading-text.ts'
import { renderChat } from '../chunk/render-chat.ts'
import type { ExtractedText } from '../stages.ts'
import { decodeText } from './decode-text.ts'
import { CHAT_MEDIA_TYPE, detectFormat, essence, nameParts } from './detect-format.ts'
import { extractHtml, nestedTooDeep } from './extract-html.ts'
import { extractPdf } from './extract-pdf.ts'
import { MAX_HTML_DEPTH, MAX_HTML_TAGS, measureHtml } from './html-measure.ts'
import { signatureOf } from './media-signature.ts'

export interface ExtractOptions {
  /** Its extension tells the format when no media type does. */
  readonly source: string
  /** May carry `; charset=…`. */
  readonly mediaType?: string | undefined
}

const HTML_EXTENSIONS = new Set(['html', 'htm', 'xhtml'])
const HTML_MEDIA_TYPES = new Set(['text/html', 'application/xhtml+xml'])
/** Longer HTML would hold the thread for too long. */
const MAX_HTML_CHARS = 5_000_000
/** A first heading is looked for in so many characters. */
const TITLE_REACH = 4000
/** Media types of text outside `text/`. */
const TEXT_APPLICATIONS =
  /^application\/(?:(?:ld\+|[\w.-]+\+)?json|[\w.-]+\+xml|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|x-httpd-php|x-ndjson|jsonl|x-jsonlines|octet-stream)$/

/**
 * Plain text of whatever came in: a string or text bytes verbatim, chat messages as a log, PDF and HTML as their text.
 *
 * @throws EMPTY_TEXT, INVALID_TEXT (with the offset), UNSUPPORTED_MEDIA (binary, images, archives, unreadable PDF),
 * INVALID_ARGUMENT, INVALID_TIME
 */
export async function extractText(content: RetainContent, options: ExtractOptions): Promise<ExtractedText> {
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    return finish(renderChat(content), { ...options, mediaType: CHAT_MEDIA_TYPE }, [])
  }
  const media = options.mediaType === undefined ? null : essence(options.mediaType)
  if (typeof content === 'string') {
    if (media === 'application/pdf') {
      throw new ProlepsisError('INVALID_ARGUMENT', 'A PDF was given as a string.', {
        hint: 'Give its bytes (Uint8Array).',
        details: { option: 'mediaType' },
      })
    }
    refuseOtherMedia(media)
    return fromString(content, options, [])
  }
  const signature = signatureOf(content)
  if (signature?.kind === 'pdf' || media === 'application/pdf') {
    const pdf = await extractPdf(content)
    return {
      text: pdf.text,
      mediaType: 'application/pdf',
      format: 'prose',
      codeLanguage: null,
      title: pdf.title,
      frontMatter: {},
      notes: pdf.notes,
    }
  }
  if (signature !== null) throw unsupported(`The content is ${signature.name}.`)
  refuseOtherMedia(media)
  const { text, notes } = decodeText(content, charsetOf(content, options))
  return fromString(text, options, notes)
}

async function fromString(
  text: string,
  options: ExtractOptions,
  notes: readonly string[],
): Promise<ExtractedText> {
  assertWellFormed(text, 'the text')
  if (!isHtml(text, options)) return finish(text, options, notes)
  const { tags, depth } = measureHtml(text)
  if (depth > MAX_HTML_DEPTH) throw nestedTooDeep()
  if (text.length > MAX_HTML_CHARS || tags > MAX_HTML_TAGS) {
    const mediaType = options.mediaType === undefined ? 'text/html' : essence(options.mediaType)
    const plain = { text: notBlank(text), mediaType, format: 'prose', codeLanguage: null } as const
    const limit = tags > MAX_HTML_TAGS ? `${MAX_HTML_TAGS} tags` : `${MAX_HTML_CHARS} characters`
    const note = `HTML over ${limit}: kept with its tags, cut as prose`
    return { ...plain, title: null, frontMatter: {}, notes: [...notes, note] }
  }
  const { markdown, title } = await extractHtml(text)
  return {
    text: notBlank(markdown),
    mediaType: options.mediaType === undefined ? 'text/html' : essence(options.mediaType),
    format: 'markdown',
    codeLanguage: null,
    title,
    frontMatter: {},
    notes: [...notes, 'extracted from HTML'],
  }
}

function finish(text: string, options: ExtractOptions, notes: readonly string[]): ExtractedText {
  assertWellFormed(text, 'the text')
  const detected = detectFormat(notBlank(text), options.source, options.mediaType ?? null)
  const frontMatter = detected.format === 'markdown' ? (readFrontMatter(text)?.values ?? {}) : {}
  const title = detected.format === 'markdown' ? markdownTitle(text, frontMatter) : null
  return { text, ...detected, title, frontMatter, notes }
}

function isHtml(text: string, options: ExtractOptions): boolean {
  if (options.mediaType !== undefined) {
    const media = essence(options.mediaType)
    if (HTML_MEDIA_TYPES.has(media)) return true
    if (media !== 'application/octet-stream') return false
  }
  const { extension } = nameParts(options.source)
  if (HTML_EXTENSIONS.has(extension)) return true
  return extension === '' && /^[\s\uFEFF]*<(?:!doctype html|html)[\s>]/i.test(text)
}

/** What front matter calls it, else the first heading near the top. */
export function markdownTitle(text: string, frontMatter: Readonly<Record<string, unknown>>): string | null {
  if (typeof frontMatter.title === 'string' && frontMatter.title.trim() !== '')
    return shortened(frontMatter.title.trim())
  const head = text.length > TITLE_REACH ? text.slice(0, text.lastIndexOf('\n', TITLE_REACH) + 1) : text
  const line = /^#[ \t]+([^\n]+)$/m.exec(head)?.[1]?.replace(/\r$/, '') ?? ''
  const heading = withoutClosingHashes(line.slice(0, spacesBefore(line, line.length))).trim()
  return heading === '' ? null : shortened(heading)
}

/** The charset of the media type, or the one that an HTML page declares. */
function charsetOf(bytes: Uint8Array, options: ExtractOptions): string | null {
  const named = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(options.mediaType ?? '')?.[1]
  if (named !== undefined) return named
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2048)).toString('latin1')
  if (!isHtml(head, options)) return null
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? null
}

function refuseOtherMedia(media: string | null): void {
  if (media === null || media.startsWith('text/') || TEXT_APPLICATIONS.test(media)) return
  throw unsupported(`The media type ${media} cannot be read.`, media)
}

function unsupported(message: string, mediaType?: string): ProlepsisError {
  return new ProlepsisError('UNSUPPORTED_MEDIA', message, {
    hint: 'Give text (UTF-8), PDF or HTML; convert other formats to text first.',
    ...(mediaType === undefined ? {} : { details: { mediaType } }),
  })
}

function notBlank(text: string): string {
  if (!isBlank(text)) return text
  throw new ProlepsisError('EMPTY_TEXT', 'There is nothing to see in the text.', {
    hint: 'Give a text with at least one visible character.',
  })
}
