import { ProlepsisError } from '../../domain/errors.ts'

export interface HtmlText {
  readonly markdown: string
  readonly title: string | null
}

const TITLE = /<title[^>]{0,200}>([^<]{0,2000})<\/title/i
const DROPPED = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'title',
  'object',
  'embed',
  'link',
  'meta',
] as const

/**
 * HTML as Markdown: what a reader sees, without scripts and styles.
 *
 * @throws UNSUPPORTED_MEDIA when it is nested thousands of levels deep
 */
export async function extractHtml(html: string): Promise<HtmlText> {
  const { default: TurndownService } = await import('turndown')
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  })
  service.remove([...DROPPED])
  service.addRule('drawing', {
    filter: (node) => node.nodeName.toLowerCase() === 'svg',
    replacement: () => '',
  })
  service.addRule('inlined picture', {
    filter: (node) => node.nodeName === 'IMG' && /^data:/i.test(node.getAttribute('src') ?? ''),
    replacement: (_content, node) => ('getAttribute' in node ? (node.getAttribute('alt') ?? '') : ''),
  })
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')} |`,
  })
  service.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => `\n|${content}${isFirstRow(node) ? `\n${rule(node.childNodes)}` : ''}`,
  })
  service.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })
  service.addRule('table part', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
  const title = TITLE.exec(html)?.[1]
  return {
    markdown: convert(service, html).replaceAll('\u0000', '\uFFFD'),
    title: title === undefined ? null : (await plainText(title)) || null,
  }
}

/** White space that HTML does not collapse, in endless runs: the converter takes the square of their length. */
const ENDLESS_SPACE =
  /(?:(?:[^\S \t\r\n]|&(?:nbsp|ensp|emsp|thinsp|#160|#xa0|#12|#8232|#8233);)[ \t\r\n]*){200,}/gi

function convert(service: { turndown(html: string): string }, html: string): string {
  try {
    return service.turndown(html.replace(ENDLESS_SPACE, ' '))
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw nestedTooDeep(cause)
  }
}

export function nestedTooDeep(cause?: unknown): ProlepsisError {
  return new ProlepsisError('UNSUPPORTED_MEDIA', 'The HTML is nested too deep to be read.', {
    hint: 'Extract its text first and retain that.',
    cause,
  })
}

/** Entities resolved. */
async function plainText(html: string): Promise<string> {
  const { default: TurndownService } = await import('turndown')
  const service = new TurndownService()
  service.escape = (text) => text
  return service.turndown(`<p>${html}</p>`).replace(/\s+/g, ' ').trim()
}

interface TreeNode {
  readonly nodeName: string
  readonly parentNode: TreeNode | null
  readonly previousSibling: TreeNode | null
}

function isFirstRow(node: TreeNode): boolean {
  for (let before = node.previousSibling; before !== null; before = before.previousSibling) {
    if (before.nodeName === 'TR') return false
  }
  const parent = node.parentNode
  if (parent === null || parent.nodeName === 'TABLE' || parent.nodeName === 'THEAD') return true
  for (let before = parent.previousSibling; before !== null; before = before.previousSibling) {
    if (['THEAD', 'TBODY', 'TR'].includes(before.nodeName)) return false
  }
  return true
}

function rule(cells: ArrayLike<{ readonly nodeName: string }>): string {
  const count = Array.from(cells).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH').length
  return `|${' --- |'.repeat(count)}`
}
