import { ProlepsisError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/nearest-name.ts'
import {
  TRACE_TYPES,
  type TracedExchange,
  type TraceEvent,
  type TraceType,
} from '../../observability/trace.ts'
import { eventsOfTrace, tailTrace, traceOfReceipt } from '../../store/queries/trace-read.ts'
import { checkKeys, checkText, checkWhole } from '../check-options.ts'
import type { MaintainDeps } from '../maintain-deps.ts'

export interface TailOptions {
  /** @default all */
  readonly types?: readonly TraceType[]
  /** Most events, 1 to 10,000. @default 50 */
  readonly limit?: number
  /** Id of an event: the first ones after it are given. @default none: the last ones */
  readonly after?: string
}

/** Events of the bank in the order in which they were noted. @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT */
export function tailOfTrace(
  { store }: Pick<MaintainDeps, 'store'>,
  options: TailOptions = {},
): Promise<readonly TraceEvent[]> {
  checkKeys(options, ['types', 'limit', 'after'], 'events.tail')
  return tailTrace(store.database, store.bankId, {
    types: checkTypes(options.types),
    after: options.after === undefined ? null : checkText(options.after, 'after'),
    limit: checkWhole(options.limit, 'limit', { least: 1, most: 10_000, default: 50 }),
  })
}

/** @throws ProlepsisError INVALID_ARGUMENT naming the nearest type */
export function checkTypes(types: unknown): readonly TraceType[] {
  if (types === undefined) return TRACE_TYPES
  const all = TRACE_TYPES.join(', ')
  if (!Array.isArray(types) || types.length === 0) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'types must be a list of types of event.', {
      hint: `Types: ${all}.`,
      details: { option: 'types' },
    })
  }
  return types.map((type: unknown) => {
    const known = TRACE_TYPES.find((one) => one === type)
    if (known !== undefined) return known
    const shown = String(type).slice(0, 80)
    throw new ProlepsisError('INVALID_ARGUMENT', `"${shown}" is no type of event.`, {
      hint: didYouMean(shown, TRACE_TYPES, `Types: ${all}.`),
      details: { option: 'types' },
    })
  })
}

/** What came of a call, by its trace id or by a receipt that it gave; null when the trace does not have it. */
export async function exchangeOf(
  { store }: Pick<MaintainDeps, 'store'>,
  id: string,
): Promise<TracedExchange | null> {
  const { database, bankId } = store
  checkText(id, 'id')
  const own = await eventsOfTrace(database, bankId, id)
  if (own.length > 0) return { traceId: id, events: own }
  const traceId = await traceOfReceipt(database, bankId, id)
  return traceId === null ? null : { traceId, events: await eventsOfTrace(database, bankId, traceId) }
}
