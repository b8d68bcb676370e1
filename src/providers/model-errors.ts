import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'

export interface ErrorContext {
  readonly modelId: string
  /** Where the call went, as it may be shown. */
  readonly baseUrl?: string | undefined
  /** Never to be shown. */
  readonly secrets?: readonly string[] | undefined
  /** @default Date.now: an HTTP date of Retry-After is told from it */
  readonly now?: () => number
}

/**
 * What a model's client threw, as an error of ours. Understands the errors of the AI SDK and of the vendors' own clients (`statusCode` or
 * `status`, response headers) and those of the network; what nobody knows counts as a failure that may pass.
 *
 * 408, 409, 429, 5xx, network: MODEL_UNAVAILABLE, retryable, with `details.retryAfterMs` where the vendor said so. Other 4xx: MODEL_REFUSED.
 */
export function modelErrorOf(thrown: unknown, context: ErrorContext): ProlepsisError {
  // a vendor's client may have put what we raised ourselves into its own error
  const own = (chainOf(thrown) as readonly unknown[]).find(isProlepsisError)
  if (own !== undefined) return own
  const { modelId, baseUrl } = context
  const status = statusOf(thrown)
  const told = messageOf(thrown, context)
  const details = { modelId, ...(status === null ? {} : { status }) }
  if (status === null || status === 408 || status === 409 || status === 429 || status >= 500) {
    const retryAfterMs = retryAfterOf(headersOf(thrown), (context.now ?? Date.now)())
    const where = baseUrl === undefined ? '' : ` at ${baseUrl}`
    return new ProlepsisError(
      'MODEL_UNAVAILABLE',
      status === null
        ? `The model ${modelId} could not be reached${where} or broke off: ${told}`
        : `The model ${modelId} is not available (${status}): ${told}`,
      {
        hint: unavailableHint(status, thrown, baseUrl),
        retryable: true,
        cause: causeWithout(thrown, context),
        details: { ...details, ...(retryAfterMs === null ? {} : { retryAfterMs }) },
      },
    )
  }
  return new ProlepsisError(
    'MODEL_REFUSED',
    `The provider of ${modelId} refused the call (${status}): ${told}`,
    {
      hint: refusedHint(status, told, baseUrl),
      cause: causeWithout(thrown, context),
      details,
    },
  )
}

/** Text without keys: the given ones, and what looks like one. */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
  let safe = text
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '***')
  return safe
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|key)-[A-Za-z0-9_*-]{6,}/g, '***')
    .replaceAll(/\bAIza[A-Za-z0-9_-]{10,}/g, '***')
    .replaceAll(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, '$1 ***')
    .replaceAll(/([?&](?:key|api_key|apikey|token|access_token)=)[^&\s"']+/gi, '$1***')
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1***@')
}

const LONGEST_MESSAGE = 300

function messageOf(thrown: unknown, { secrets }: ErrorContext): string {
  const own = ownMessage(thrown)
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : ''
  const text = cause === '' || own.includes(cause) ? own : `${own}: ${cause}`
  const safe = withoutSecrets(withoutReply(text), secrets).replaceAll(/\s+/g, ' ').trim()
  if (safe === '') return codeOf(thrown) ?? 'no reason was given.'
  return safe.length > LONGEST_MESSAGE ? `${safe.slice(0, LONGEST_MESSAGE)}…` : safe
}

/** The AI SDK repeats a reply whose form it does not know: vectors, and what models made of stored text. */
const withoutReply = (text: string): string =>
  text.replaceAll(
    /(parsing failed|validation failed[^:]*): (?:Text|Value): [\s\S]*?(?=Error message:(?![\s\S]*Error message:)|$)/g,
    '$1. ',
  )

/** Errors inside of a stream are plain objects. */
function ownMessage(thrown: unknown): string {
  const message: unknown =
    typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : thrown
  return typeof message === 'string'
    ? message
    : thrown instanceof Error
      ? ''
      : (JSON.stringify(thrown) ?? String(thrown))
}

/** The vendor's error holds the request (stored text, headers): its kind and place are kept, not itself. */
function causeWithout(thrown: unknown, context: ErrorContext): Error {
  const kept = new Error(messageOf(thrown, context))
  if (!(thrown instanceof Error)) return kept
  kept.name = thrown.name
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  kept.stack = [`${kept.name}: ${kept.message}`, ...frames].join('\n')
  return kept
}

function unavailableHint(status: number | null, thrown: unknown, baseUrl: string | undefined): string {
  if (status === 429)
    return 'The rate limit, or the account’s quota, is reached: repeat later, or lower model_concurrency.'
  if (status !== null) return 'Repeat the call later.'
  const code = codeOf(thrown)
  const isWrongAddress = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  if (baseUrl === undefined) {
    return isWrongAddress ? 'See whether this machine reaches the network.' : 'Repeat the call.'
  }
  if (!isWrongAddress) {
    return `Repeat the call; if it stays so, see whether ${baseUrl} is the base URL of a model’s API (often it ends with /v1).`
  }
  return `Nothing answers at ${baseUrl}: see whether the server runs there, and the setting of the base URL (model_base_url, embedder_base_url).`
}

function refusedHint(status: number, told: string, baseUrl: string | undefined): string {
  if (/max\w*[ _-]?tokens|maximum context|context length/i.test(told)) {
    return 'The model takes, or writes, fewer tokens: lower thinking_tokens, or name a model with a larger window.'
  }
  if (status === 401 || status === 403)
    return 'See whether the key in the environment is right and may use this model.'
  if (status === 404) {
    return baseUrl === undefined
      ? 'See whether the provider has a model of that name.'
      : `See whether there is a model of that name, and whether ${baseUrl} is the right base URL (often it ends with /v1).`
  }
  if (status === 402) return 'The account has no credit left.'
  if (status === 413)
    return 'The request is too large for the model: retain smaller chunks, or name a model with a larger window.'
  return 'The provider does not take this request: see the message.'
}

function statusOf(thrown: unknown): number | null {
  for (const error of chainOf(thrown)) {
    for (const value of [error.statusCode, error.status]) {
      if (typeof value === 'number' && value >= 400 && value <= 599) return value
    }
  }
  return null
}

function codeOf(thrown: unknown): string | null {
  for (const error of chainOf(thrown)) if (typeof error.code === 'string') return error.code
  return null
}

function headersOf(thrown: unknown): (name: string) => string | null {
  for (const error of chainOf(thrown)) {
    const headers = error.responseHeaders ?? error.headers
    if (headers instanceof Headers) return (name) => headers.get(name)
    if (typeof headers !== 'object' || headers === null) continue
    const entries = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    return (name) => {
      const value: unknown = entries.get(name)
      return typeof value === 'string' ? value : null
    }
  }
  return () => null
}

/** An error and what caused it, at most five deep; errors of many attempts or addresses by their last. */
function chainOf(thrown: unknown): Readonly<Record<string, unknown>>[] {
  const chain: Readonly<Record<string, unknown>>[] = []
  let error = thrown
  while (typeof error === 'object' && error !== null && chain.length < 5) {
    // an object: each member is checked where it is read
    const members = error as Readonly<Record<string, unknown>>
    chain.push(members)
    error =
      members.lastError ??
      members.cause ??
      (Array.isArray(members.errors) ? members.errors.at(-1) : undefined)
  }
  return chain
}

/** `retry-after-ms` (milliseconds), `retry-after` as seconds or as an HTTP date (RFC 9110 §10.2.3). */
function retryAfterOf(header: (name: string) => string | null, now: number): number | null {
  const milliseconds = Number(header('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds
  const value = header('retry-after')
  if (value === null || value.trim() === '') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
