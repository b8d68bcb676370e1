import { isBlank } from '../domain/blank.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { RetainContent } from '../domain/retain.ts'
import type { Trust } from '../domain/trust.ts'
import { assertWellFormed } from '../domain/well-formed.ts'
import { extractText } from './extract/extract-text.ts'
import type { RetainRequest } from './retain-options.ts'
import type { ExtractedText } from './stages.ts'
import { contentHash } from './text-hash.ts'

/** What came in, measured and named, not yet read. */
export interface Content {
  readonly source: string
  readonly hash: string
  readonly defaultTrust: Trust
  /** Plain text of it; done at most once, and not at all when the hash is known. */
  readonly extract: () => Promise<ExtractedText>
}

/**
 * Checks size and kind of the content, gives it a source and a hash.
 *
 * @throws ProlepsisError EMPTY_TEXT, TEXT_TOO_LARGE, INVALID_TEXT, INVALID_ARGUMENT
 */
export async function readContent(
  content: RetainContent,
  request: RetainRequest,
  maxTextBytes: number,
): Promise<Content> {
  if (typeof content !== 'string' && !(content instanceof Uint8Array) && !Array.isArray(content)) {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      'The content is neither text, nor bytes, nor chat messages.',
      {
        hint: 'Give a string, a Uint8Array, or a list of { role, content }.',
        details: { option: 'content' },
      },
    )
  }
  const bytes = byteLength(content)
  if (bytes > maxTextBytes) {
    throw new ProlepsisError('TEXT_TOO_LARGE', `The text has ${bytes} bytes; the limit is ${maxTextBytes}.`, {
      hint: 'Split it, or raise maxTextBytes (max_text_bytes in prolepsis.toml): it takes many times as much memory.',
      details: { bytes, maxTextBytes },
    })
  }
  if (typeof content === 'string') {
    assertWellFormed(content, 'the text')
    if (isBlank(content)) throw emptyText()
  }
  const extractAs = (source: string): Promise<ExtractedText> =>
    extractText(content, {
      source,
      ...(request.mediaType === undefined ? {} : { mediaType: request.mediaType }),
    })

  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    // messages have no bytes of their own: their text is the original
    const extracted = await extractAs(request.source ?? 'note:')
    const hash = contentHash(extracted.text)
    const source = request.source ?? `note:${hash.slice(0, 12)}`
    return { source, hash, defaultTrust: 'user', extract: async () => checked(extracted) }
  }
  const hash = contentHash(content)
  const source = request.source ?? `note:${hash.slice(0, 12)}`
  return {
    source,
    hash,
    defaultTrust: typeof content === 'string' ? 'user' : 'unknown',
    extract: async () => checked(await extractAs(source)),
  }
}

function byteLength(content: RetainContent): number {
  if (content instanceof Uint8Array) return content.length
  if (typeof content === 'string') return Buffer.byteLength(content)
  return content.reduce((sum, message) => sum + Buffer.byteLength(String(message?.content ?? '')), 0)
}

function checked(extracted: ExtractedText): ExtractedText {
  assertWellFormed(extracted.text, 'the text')
  if (isBlank(extracted.text)) throw emptyText()
  return extracted
}

function emptyText(): ProlepsisError {
  return new ProlepsisError('EMPTY_TEXT', 'There is nothing to see in the text.', {
    hint: 'Give a text with at least one visible character.',
  })
}
