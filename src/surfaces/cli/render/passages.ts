import type { Passage, RecallResult } from '../../../index.ts'
import { counted, layOut } from './layout.ts'
import type { Paint } from './paint.ts'
import { printable } from './printable.ts'
import { day } from './table.ts'

const CHANNEL_WORDS: Readonly<Record<string, string>> = {
  content: 'meaning',
  window: 'meaning with its surroundings',
  question: 'a question it answers',
  statement: 'a statement of it',
  concept: 'a concept of it',
  body: 'its words',
  cue: 'words of its cues',
  text: 'its words and those of its cues',
  context: 'words around it',
  document: 'words of its document',
  entity: 'a person',
}

const INDENT = '   '
const SHOWN_LINES = 12

export interface PassageStyle {
  readonly paint: Paint
  /** Of the terminal; null writes lines as long as they are, and all of them. */
  readonly columns: number | null
  /** Show whole passages, however long. */
  readonly full: boolean
  /** Show every score part. */
  readonly why: boolean
}

/** Ranked passages with source, line range and why, for a person. */
export function renderRecall(result: RecallResult, style: PassageStyle): string {
  const { paint } = style
  const blocks = result.passages.map((passage, index) => renderPassage(passage, style, index + 1))
  const count = result.passages.length
  const facts = [
    `${counted(count, 'passage')}`,
    `${counted(result.tokens, 'token')}`,
    `${Math.round(result.tookMs)} ms`,
    ...(result.receipt === null ? [] : [`receipt ${result.receipt}`]),
  ]
  return [
    ...result.degraded.map((reason) => paint.bad(`degraded: ${printable(reason)}`)),
    ...(style.why ? asked(result).map((line) => paint.faint(line)) : []),
    count === 0
      ? 'Nothing in memory answers this.'
      : `${blocks.join('\n\n')}\n\n${paint.faint(facts.join(', '))}`,
  ].join('\n')
}

const FORMULATORS: Readonly<Record<RecallResult['formulation']['by'], string>> = {
  rules: 'by rules',
  model: 'by the model',
  cache: 'by the model, a moment ago',
  caller: 'by you',
}

/** The questions that went out, and who wrote them. */
function asked({ queries, formulation }: RecallResult): string[] {
  const { by, tookMs } = formulation
  const took = by === 'model' ? `, ${Math.round(tookMs)} ms` : ''
  return [`asked (${FORMULATORS[by]}${took}):`, ...queries.map((query) => `${INDENT}${printable(query)}`)]
}

/** One passage; `rank` null leaves out how it was found. */
export function renderPassage(passage: Passage, style: PassageStyle, rank: number | null): string {
  const { paint, columns } = style
  const { startLine, endLine } = passage.span
  const place = `${printable(passage.source)}:${startLine}${endLine > startLine ? `-${endLine}` : ''}`
  const facts = [passage.label, passage.speaker, day(passage.occurredAt), passage.ref]
    .filter((fact) => fact !== null && fact !== '')
    .map((fact) => printable(fact ?? ''))
  const head = `${rank === null ? '' : `${paint.strong(`${rank}.`)} `}${paint.accent(place)}  ${paint.faint([...new Set(facts)].join(' · '))}`
  const text = printable(`${passage.before}${passage.text}${passage.after}`).trim()
  const lines = layOut(text, INDENT, columns)
  const hidden = columns === null || style.full ? 0 : Math.max(0, lines.length - SHOWN_LINES)
  const shown = hidden > 1 ? lines.slice(0, SHOWN_LINES) : lines
  return [
    head,
    ...shown,
    ...(hidden > 1 ? [paint.faint(`${INDENT}… ${hidden} more lines (--full shows them)`)] : []),
    ...(rank === null ? [] : reasons(passage, style)),
  ].join('\n')
}

function reasons(passage: Passage, { paint, columns, why }: PassageStyle): string[] {
  const { parts } = passage
  const ranks = Object.entries(parts.ranks).sort((a, b) => a[1] - b[1])
  const found = ranks.map(([channel, rank]) => `${CHANNEL_WORDS[channel] ?? channel} #${rank}`)
  const lines = [
    `why: score ${passage.score.toFixed(3)}; ${found.length === 0 ? 'scored beside others' : `by ${found.join(', ')}`}`,
  ]
  if (passage.cue !== null) lines.push(`met by ${passage.cue.kind}: ${printable(passage.cue.text)}`)
  if (why) {
    const numbers = Object.entries(parts.channels).map(([channel, score]) => `${channel} ${score.toFixed(3)}`)
    const reranked = parts.rerank === null ? '' : `, reranked ${parts.rerank.toFixed(3)}`
    lines.push(
      `scores: ${numbers.join(', ')}; fused ${parts.fused.toFixed(4)}, lift ×${parts.lift.toFixed(3)}${reranked}`,
    )
    const features = Object.entries(parts.features)
      .filter(([, value]) => value !== 0)
      .map(([name, value]) => `${name} ${value.toFixed(3)}`)
    lines.push(`features: ${features.join(', ')}`)
  }
  return lines.flatMap((line) => layOut(line, INDENT, columns)).map(paint.faint)
}
