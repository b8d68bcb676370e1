import type { Filter } from '../domain/filter.ts'
import { assertPlainJson } from '../domain/plain-json.ts'
import { checkPrompts } from '../domain/prompt-files.ts'
import {
  CHANNELS,
  type Channel,
  FORMULATOR_CHOICES,
  FUSIONS,
  type HistoryMessage,
  RECALL_MODES,
  type RecallMode,
  type RecallOptions,
  type RecallQuery,
} from '../domain/recall.ts'
import { parseTime } from '../domain/time.ts'
import { TRUST_LEVELS } from '../domain/trust.ts'
import { checkRerank, checkWeights } from './bank-settings.ts'
import {
  assertKnown,
  assertObject,
  flag,
  invalid,
  list,
  messageText,
  oneOf,
  text,
  texts,
  whole,
} from './check-values.ts'
import {
  DEFAULT_WEIGHTS,
  MAX_EXPAND,
  MAX_LIMIT,
  MODE_CHANNELS,
  RECALL_DEFAULTS,
  type RecallRequest,
} from './request.ts'

const FILTER_NAMES = ['tags', 'where', 'during', 'asOf', 'source', 'minTrust', 'people']
const OPTION_NAMES = [
  ...FILTER_NAMES,
  ...['limit', 'tokenBudget', 'mode', 'fusion', 'weights', 'expand', 'receipt', 'signal'],
  ...['formulator', 'prompts', 'rerank'],
]

/**
 * Checks a recall's question and options and fills in defaults.
 *
 * @throws ProlepsisError EMPTY_TEXT for a blank message, INVALID_TEXT for a NUL or a lone surrogate, UNKNOWN_OPTION for
 * a name that is none, INVALID_TIME, INVALID_ARGUMENT for any other value; details.option names it.
 */
export function validateRecall(query: RecallQuery, options: RecallOptions = {}): RecallRequest {
  const asked = readQuery(query)
  assertObject(options, 'options')
  assertKnown(options, OPTION_NAMES, 'recall')
  const mode = oneOf(options.mode, RECALL_MODES, 'mode') ?? RECALL_DEFAULTS.mode
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw invalid('signal', 'signal must be an AbortSignal.')
  }
  return {
    ...asked,
    filter: readFilter(options),
    limit: whole(options.limit, 'limit', 1, MAX_LIMIT) ?? RECALL_DEFAULTS.limit,
    tokenBudget: whole(options.tokenBudget, 'tokenBudget', 0, Number.MAX_SAFE_INTEGER) ?? null,
    mode,
    fusion: oneOf(options.fusion, FUSIONS, 'fusion') ?? RECALL_DEFAULTS.fusion,
    weights: readWeights(options.weights, mode),
    expand: whole(options.expand, 'expand', 0, MAX_EXPAND) ?? RECALL_DEFAULTS.expand,
    formulator: oneOf(options.formulator, FORMULATOR_CHOICES, 'formulator') ?? null,
    prompts:
      options.prompts === undefined ? {} : checkPrompts(options.prompts, 'prompts', ['formulate', 'rerank']),
    rerank: checkRerank(options.rerank),
    receipt: flag(options.receipt, 'receipt') ?? RECALL_DEFAULTS.receipt,
    signal: options.signal,
  }
}

function readQuery(query: RecallQuery): Pick<RecallRequest, 'message' | 'history' | 'queries'> {
  if (typeof query === 'string') return { message: messageText(query, 'message'), history: [], queries: [] }
  assertObject(query, 'query')
  assertKnown(query, ['message', 'history', 'queries'], 'the query of recall')
  const history = list(query.history, 'history').map((item, i): HistoryMessage => {
    assertObject(item, `history[${i}]`)
    const { role, content } = item as { role?: unknown; content?: unknown } // checked on the next lines
    return { role: text(role, `history[${i}].role`), content: text(content, `history[${i}].content`) }
  })
  const queries = list(query.queries, 'queries').map((item, i) => messageText(item, `queries[${i}]`))
  return { message: messageText(query.message, 'message'), history, queries }
}

/** The part of the options that filters. @throws ProlepsisError as validateRecall */
export function readFilter(options: RecallOptions): Filter {
  const { tags, where, during, asOf, source, minTrust, people } = options
  const filter: { -readonly [Name in keyof Filter]: Filter[Name] } = {}
  if (tags !== undefined) {
    assertObject(tags, 'tags')
    assertKnown(tags, ['any', 'all', 'none', 'strict'], 'tags')
    const strict = flag(tags.strict, 'tags.strict')
    filter.tags = {
      ...(tags.any === undefined ? {} : { any: texts(tags.any, 'tags.any') }),
      ...(tags.all === undefined ? {} : { all: texts(tags.all, 'tags.all') }),
      ...(tags.none === undefined ? {} : { none: texts(tags.none, 'tags.none') }),
      ...(strict === undefined ? {} : { strict }),
    }
  }
  if (where !== undefined) {
    assertObject(where, 'where')
    // a value that is undefined would filter by nothing
    assertPlainJson(where, 'where', 'refuse')
    filter.where = where
  }
  if (during !== undefined) {
    assertObject(during, 'during')
    assertKnown(during, ['from', 'to'], 'during')
    const from = during.from === undefined ? undefined : parseTime(during.from, 'during.from')
    const to = during.to === undefined ? undefined : parseTime(during.to, 'during.to')
    if (from !== undefined && to !== undefined && from >= to) {
      throw invalid('during', 'during.from must be before during.to.')
    }
    filter.during = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  }
  if (asOf !== undefined) filter.asOf = parseTime(asOf, 'asOf')
  if (source !== undefined) filter.source = text(source, 'source')
  const trust = oneOf(minTrust, TRUST_LEVELS, 'minTrust')
  if (trust !== undefined) filter.minTrust = trust
  if (people !== undefined) filter.people = texts(people, 'people')
  return filter
}

function readWeights(weights: unknown, mode: RecallMode): Record<Channel, number> {
  const given = weights === undefined ? {} : checkWeights(weights)
  const read = (channel: Channel): number => {
    const weight = given[channel]
    const chosen = typeof weight === 'number' ? weight : DEFAULT_WEIGHTS[mode][channel]
    return MODE_CHANNELS[mode].includes(channel) ? chosen : 0
  }
  const result = Object.fromEntries(CHANNELS.map((channel) => [channel, read(channel)]))
  if (CHANNELS.every((channel) => result[channel] === 0)) {
    throw invalid(
      'weights',
      'The weights switch every channel off.',
      'Leave at least one channel a weight above 0.',
    )
  }
  return result as Record<Channel, number> // fromEntries over all channels
}
