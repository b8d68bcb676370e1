import { type FrontMatter, readFrontMatter } from './front-matter.ts'
import { shortened, withoutClosingHashes } from './heading-text.ts'
import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts'
import { type ScannedUnits, type Unit, unit } from './unit.ts'

/** Front matter, then the blocks under their headings; a heading stays with the block that follows. */
export function markdownUnits(text: string): ScannedUnits {
  const front = readFrontMatter(text)
  return { units: unitsOf(text, front), notes: front?.problem ? [front.problem] : [] }
}

function* unitsOf(text: string, front: FrontMatter | null): Generator<Unit, void, undefined> {
  if (front !== null) yield unit(0, front.end, 'front-matter', { group: null, order: 'lines' })
  const path: string[] = []
  for (const block of markdownBlocks(text, front?.end ?? (text.startsWith('\uFEFF') ? 1 : 0))) {
    if (block.kind === 'heading') {
      while (path.length < block.depth) path.push('')
      path.length = block.depth
      path[block.depth - 1] = headingText(text.slice(block.start, block.end))
    }
    const label = path.filter((part) => part !== '').join(' > ')
    yield blockUnit(block, label === '' ? null : label)
  }
}

function blockUnit(block: MarkdownBlock, label: string | null): Unit {
  const isProse = block.kind === 'paragraph' || block.kind === 'list' || block.kind === 'quote'
  const { parts } = block
  return unit(block.start, block.end, block.kind, {
    label,
    group: label ?? '',
    gluesToNext: block.kind === 'heading',
    order: isProse ? 'prose' : 'lines',
    ...(parts.length < 2 ? {} : { children: () => partUnits(block, label) }),
  })
}

/** A list's items or a table's rows; the table's head goes to its first row. */
function partUnits(block: MarkdownBlock, label: string | null): Unit[] {
  return block.parts.map((start, index) =>
    unit(index === 0 ? block.start : start, block.parts[index + 1] ?? block.end, block.kind, {
      label,
      group: label ?? '',
      order: block.kind === 'list' ? 'prose' : 'lines',
    }),
  )
}

/** What the heading says, without marks of form. */
function headingText(lines: string): string {
  const words = lines
    .trim()
    .replace(/\n[ \t]*(?:=+|-+)$/, '')
    .replace(/^#{1,6}(?:[ \t]+|$)/, '')
  const plain = withoutClosingHashes(words)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[`*]+|<[^<>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return shortened(plain)
}
