import type { Nodes, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'
import { readFrontMatter } from './front-matter.ts'
import { type Unit, unit } from './unit.ts'

/** Only blocks matter here; without its inline constructs the parser is several times faster and never quadratic. */
const NO_INLINE = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
}

const KINDS: Readonly<Record<string, string>> = {
  heading: 'heading',
  paragraph: 'paragraph',
  list: 'list',
  listItem: 'list-item',
  code: 'code',
  table: 'table',
  tableRow: 'table-row',
  blockquote: 'quote',
  html: 'html',
  thematicBreak: 'break',
  definition: 'definition',
}

export interface MarkdownUnits {
  readonly units: readonly Unit[]
  readonly notes: readonly string[]
}

/** Front matter, then the blocks under their headings; a heading stays with the block that follows. */
export function markdownUnits(text: string): MarkdownUnits {
  const front = readFrontMatter(text)
  // The parser drops a byte order mark, and its offsets with it.
  const offset = front?.end ?? (text.startsWith('\uFEFF') ? 1 : 0)
  const units: Unit[] = []
  if (front !== null) units.push(unit(0, front.end, 'front-matter', { group: null, order: 'lines' }))
  const root = fromMarkdown(text.slice(offset), {
    extensions: [gfmTable(), NO_INLINE],
    mdastExtensions: [gfmTableFromMarkdown()],
  })
  const path: (string | undefined)[] = []
  for (const node of root.children) {
    if (node.type === 'heading') {
      path.length = node.depth - 1
      path[node.depth - 1] = headingText(text.slice(offset), node)
    }
    const label = path.filter((part) => part !== undefined && part !== '').join(' > ') || null
    const block = blockUnit(node, offset, label)
    if (block !== null) units.push(block)
  }
  return { units, notes: front?.problem ? [front.problem] : [] }
}

function blockUnit(node: RootContent, offset: number, label: string | null): Unit | null {
  const { position } = node
  if (position?.start.offset === undefined || position.end.offset === undefined) return null
  const isProse = node.type === 'paragraph' || node.type === 'list' || node.type === 'blockquote'
  return unit(offset + position.start.offset, offset + position.end.offset, KINDS[node.type] ?? node.type, {
    label,
    group: label ?? '',
    gluesToNext: node.type === 'heading',
    order: isProse ? 'prose' : 'lines',
    ...(hasBlocks(node)
      ? {
          children: () =>
            node.children
              .map((child) => blockUnit(child, offset, label))
              .filter((child): child is Unit => child !== null),
        }
      : {}),
  })
}

function hasBlocks(node: Nodes): node is Extract<RootContent, { children: RootContent[] }> {
  return ['list', 'listItem', 'blockquote', 'table'].includes(node.type) && 'children' in node
}

/** What the heading says, without marks of form. */
function headingText(text: string, node: Nodes): string {
  const { position } = node
  if (position?.start.offset === undefined || position.end.offset === undefined) return ''
  return text
    .slice(position.start.offset, position.end.offset)
    .replace(/\n[ \t]*(?:=+|-+)[ \t]*$/, '')
    .replace(/^#{1,6}[ \t]*/, '')
    .replace(/[ \t]+#+[ \t]*$/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]+|<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
