import type { Enrichment } from '../../../index.ts'
import { counted } from './layout.ts'
import { printable } from './printable.ts'

/** What the jobs of texts did, with what it cost by chunk. */
export function renderEnrichment(enrichment: Enrichment): string {
  const { state, jobs, chunks, written, kept, dropped, calls, inputTokens, outputTokens, costUsd, error } =
    enrichment
  if (state === 'none') return 'No questions were in line for a model.'
  const perHundred = chunks === 0 ? '' : ` (${((calls / chunks) * 100).toFixed(1)} per 100 chunks)`
  const tokens = inputTokens + outputTokens
  const perChunk = chunks === 0 ? '' : ` (${(tokens / chunks).toFixed(0)} per chunk)`
  const cost = costUsd === 0 ? '' : `; $${costUsd.toFixed(4)}`
  const lines = [
    `Questions of ${counted(chunks, 'chunk')}: ${written} written, ${kept} kept, ${dropped} dropped. Model: ${counted(calls, 'call')}${perHundred}, ${counted(tokens, 'token')}${perChunk}${cost}.`,
  ]
  if (state !== 'done') lines.push(`  ${counted(jobs, 'job')}, not all done: ${state}${reasonOf(error)}`)
  return lines.join('\n')
}

function reasonOf(error: Enrichment['error']): string {
  return error === null ? '' : `: ${printable(error.message)} (${error.code})`
}

/** What the command fails with when a model has not done all that was waited for, or null. */
export function enrichmentFailure(enrichment: Enrichment): readonly [message: string, hint: string] | null {
  const { state, error } = enrichment
  if (state === 'none' || state === 'done') return null
  const message = `The texts are kept and can be recalled; not all have their questions${reasonOf(error)}`
  return [
    message,
    state === 'waiting'
      ? 'It is tried again by itself: in the background, by prolepsis work, or at once by prolepsis jobs retry.'
      : 'prolepsis jobs list shows why; prolepsis jobs retry puts them back in line.',
  ]
}
