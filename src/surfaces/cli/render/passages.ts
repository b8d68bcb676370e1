import type { Passage, RecallResult } from '../../../index.ts'
import { type Paint, printable } from './paint.ts'
import { day } from './table.ts'

const CHANNEL_WORDS: Readonly<Record<string, string>> = {
  content: 'meaning',
  window: 'context',
  question: 'question',
  statement: 'statement',
  concept: 'concept',
  body: 'words',
  cue: 'cue words',
  entity: 'person',
}

/** Ranked passages with source, line range and why, for a person. */
export function renderRecall(result: RecallResult, paint: Paint, details: boolean): string {
  const lines: string[] = []
  for (const reason of result.degraded) lines.push(paint.bad(`degraded: ${reason}`))
  if (result.passages.length === 0) lines.push('Nothing in memory answers this.')
  for (const [index, passage] of result.passages.entries()) {
    if (index > 0) lines.push('')
    lines.push(renderPassage(passage, paint, index + 1, details))
  }
  if (result.receipt !== null && result.passages.length > 0) {
    lines.push(
      '',
      paint.faint(
        `${result.passages.length} passages, ${result.tokens} tokens, ${Math.round(result.tookMs)} ms, receipt ${result.receipt}`,
      ),
    )
  }
  return lines.join('\n')
}

export function renderPassage(passage: Passage, paint: Paint, rank: number | null, details: boolean): string {
  const { span } = passage
  const place = `${printable(passage.source)}:${span.startLine}${span.endLine > span.startLine ? `-${span.endLine}` : ''}`
  const facts = [
    passage.label === null ? '' : printable(passage.label),
    day(passage.occurredAt),
    `ref ${printable(passage.ref)}`,
  ].filter((fact) => fact !== '')
  const head = `${rank === null ? '' : `${paint.strong(`${rank}.`)} `}${paint.accent(place)}  ${paint.faint(facts.join(' · '))}`
  const text = printable(`${passage.before}${passage.text}${passage.after}`).trimEnd()
  const body = text.split('\n').map((line) => `   ${line}`)
  return [head, ...body, ...(rank === null ? [] : why(passage, paint, details))].join('\n')
}

function why(passage: Passage, paint: Paint, details: boolean): string[] {
  const { parts } = passage
  const ranks = Object.entries(parts.ranks).sort((a, b) => a[1] - b[1])
  const found = ranks.map(([channel, rank]) => `${CHANNEL_WORDS[channel] ?? channel} #${rank}`)
  const lines = [
    `   ${paint.faint(`why: score ${passage.score.toFixed(3)}; ${found.length === 0 ? 'scored beside others' : found.join(', ')}`)}`,
  ]
  if (passage.cue !== null)
    lines.push(`   ${paint.faint(`met by ${passage.cue.kind}: ${printable(passage.cue.text)}`)}`)
  if (details) {
    const numbers = Object.entries(parts.channels).map(([channel, score]) => `${channel} ${score.toFixed(3)}`)
    lines.push(
      `   ${paint.faint(`scores: ${numbers.join(', ')}; fused ${parts.fused.toFixed(4)}, lift ×${parts.lift.toFixed(3)}`)}`,
    )
    const features = Object.entries(parts.features).map(([name, value]) => `${name} ${value.toFixed(3)}`)
    lines.push(`   ${paint.faint(`features: ${features.join(', ')}`)}`)
  }
  return lines
}
