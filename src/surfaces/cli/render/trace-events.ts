import type { TracedExchange, TraceEvent } from '../../../index.ts'
import { counted } from './layout.ts'
import type { Paint } from './paint.ts'
import { printable } from './printable.ts'

/** Characters of a text that a line shows. */
const SHOWN = 80
const NOT_KEPT = '(not kept)'

/** An event on one line: when it began, type, what happened, how long it took, its trace. */
export function eventLine(event: TraceEvent, paint: Paint): string {
  const took = `${event.durationMs.toFixed(event.durationMs < 10 ? 1 : 0)} ms`
  const error = event.errorCode === null ? '' : `  ${paint.bad(event.errorCode)}`
  const type = event.type.padEnd(10)
  return `${event.at.toISOString()}  ${type}  ${summaryOf(event)}  ${took}${error}  ${paint.faint(event.traceId)}`
}

function summaryOf(event: TraceEvent): string {
  switch (event.type) {
    case 'retain':
      return `${event.status} ${printable(event.source ?? '(no source)')}: ${counted(event.chunks, 'chunk')}, ${counted(event.cues, 'cue')}`
    case 'recall':
      return `${quoted(event.message)} → ${counted(event.passages, 'passage')}${event.degraded.length === 0 ? '' : ', degraded'}`
    case 'formulate': {
      const why = event.errorKind === null ? '' : ` (${event.errorKind})`
      const asked = event.queries?.length === 0 ? '' : `: ${quoted(event.queries?.join(' | ') ?? null)}`
      return `by ${event.by}${why}${asked}`
    }
    case 'model-call': {
      const tokens = `${event.inputTokens ?? '?'} + ${event.outputTokens ?? '?'} tokens`
      const cost = event.costUsd === null ? '' : `, $${event.costUsd.toFixed(5)}`
      return `${event.purpose} by ${printable(event.modelId)}, attempt ${event.attempt}: ${tokens}${cost}`
    }
    case 'answer':
      return `${event.status}: ${quoted(event.question)}, ${counted(event.citations, 'citation')}, ${counted(event.hops, 'hop')}`
    case 'job':
      return `${event.kind} ${event.jobId} ${event.event}, attempt ${event.attempt}`
    case 'sweep':
      return `${printable(event.root)}: ${event.seen} seen, ${event.created} created, ${event.updated} updated, ${event.moved} moved, ${event.deleted} deleted, ${event.failed.length} failed`
  }
}

/** Everything of an exchange, texts in full. */
export function exchangeText(exchange: TracedExchange, paint: Paint): string {
  const events = exchange.events.flatMap((event) => ['', eventLine(event, paint), ...detailsOf(event)])
  return [`trace ${exchange.traceId}`, ...events].join('\n')
}

function detailsOf(event: TraceEvent): string[] {
  switch (event.type) {
    case 'recall':
      return [
        ...lines('receipt', event.receiptId ?? '(none)'),
        ...lines('message', event.message),
        ...lines('queries', event.queries?.join('\n') ?? null),
        ...event.degraded.flatMap((entry) => lines('degraded', entry)),
        ...lines('stages', stagesOf(event.stages)),
      ]
    case 'formulate':
      return [
        ...lines('message', event.message),
        ...(event.queries?.length === 0 ? [] : lines('queries', event.queries?.join('\n') ?? null)),
      ]
    case 'model-call':
      return [
        ...lines('system', event.system),
        ...lines('prompt', event.prompt),
        ...lines('reply', event.reply),
        ...(event.error === null ? [] : lines('error', event.error)),
      ]
    case 'answer':
      return [...lines('question', event.question), ...lines('answer', event.answer)]
    case 'job':
      return event.error === null ? [] : lines('error', event.error)
    case 'sweep':
      return event.failed.flatMap(({ path, code }) => lines('failed', `${path}: ${code}`))
    case 'retain':
      return []
  }
}

function stagesOf(stages: Readonly<Record<string, number>>): string {
  return Object.entries(stages)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`)
    .join(', ')
}

function lines(name: string, text: string | null): string[] {
  const [first = '', ...rest] = (text === null ? NOT_KEPT : printable(text)).split('\n')
  return [`  ${name.padEnd(8)}  ${first}`, ...rest.map((line) => `            ${line}`.trimEnd())]
}

function quoted(text: string | null): string {
  if (text === null) return NOT_KEPT
  const line = printable(text.replace(/\s+/g, ' ').trim())
  return `"${line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`}"`
}
