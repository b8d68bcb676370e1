import { isBlank } from '../../domain/blank.ts'
import { ProlepsisError } from '../../domain/errors.ts'

export interface PdfText {
  /** Pages with a form feed between them. */
  readonly text: string
  readonly title: string | null
  readonly notes: readonly string[]
}

/**
 * The text of a PDF, page by page.
 *
 * @throws UNSUPPORTED_MEDIA when it is damaged, encrypted or has no text
 */
export async function extractPdf(bytes: Uint8Array): Promise<PdfText> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  let pages: readonly string[]
  let title: string | null = null
  try {
    // The reader takes the buffer over, so it gets a copy, and refuses a Buffer, whose slice() is neither; 0 silences its warnings.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
    try {
      const info: unknown = (await getMeta(pdf)).info
      title = titleOf(info)
      pages = (await extractText(pdf, { mergePages: false })).text
    } finally {
      await pdf.destroy()
    }
  } catch (cause) {
    throw unreadable(cause)
  }
  const clean = pages.map(cleanPage)
  if (clean.every((page) => isBlank(page))) {
    throw new ProlepsisError('UNSUPPORTED_MEDIA', 'The PDF has no text: its pages are pictures.', {
      hint: 'Run text recognition (OCR) over it first.',
      details: { pages: pages.length },
    })
  }
  const empty = clean.flatMap((page, index) => (isBlank(page) ? [index + 1] : []))
  const notes = [`extracted from PDF, ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`]
  if (empty.length > 0)
    notes.push(`pages without text: ${empty.slice(0, 20).join(', ')}${empty.length > 20 ? ', …' : ''}`)
  return { text: clean.join('\n\f'), title, notes }
}

/** Fonts without a map to Unicode give characters that no text may have. */
function cleanPage(page: string): string {
  return page.replace(/[\u0000\f]/g, ' ').replace(/\p{Surrogate}/gu, '\uFFFD')
}

function titleOf(info: unknown): string | null {
  if (typeof info !== 'object' || info === null || !('Title' in info) || typeof info.Title !== 'string')
    return null
  const title = cleanPage(info.Title).trim()
  return title === '' ? null : title
}

function unreadable(cause: unknown): ProlepsisError {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'PasswordException') {
    return new ProlepsisError('UNSUPPORTED_MEDIA', 'The PDF is encrypted with a password.', {
      hint: 'Save a copy without the password and retain that.',
      cause,
    })
  }
  return new ProlepsisError('UNSUPPORTED_MEDIA', 'The PDF cannot be read: it is damaged.', {
    hint: 'Open it in a viewer and save it again, or extract its text first.',
    cause,
  })
}
