import { isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { EventSink } from '../domain/events.ts'
import type { EmbeddingModel, EmbedOptions } from '../providers/embedding-model.ts'
import type { SharedServices } from '../store/database.ts'
import type { EmbedderSource } from './embedder-source.ts'
import type { CallLine } from './engine.ts'

const SERVICE = 'embed'

interface Request {
  readonly modelId: string
  readonly dimension: number
  readonly purpose: EmbedOptions['purpose']
  readonly texts: readonly string[]
}

interface Answer {
  readonly vectors: readonly Float32Array[]
  /** Texts that were over the window: index and number of parts. */
  readonly splits: readonly (readonly [index: number, parts: number])[]
}

/** Embeds for other processes of the data folder while this one owns it: the model is then loaded once for all of them. */
export function serveEmbedder(source: EmbedderSource, services: SharedServices, calls: CallLine): void {
  services.serve(SERVICE, (payload) =>
    calls.run(async (): Promise<Answer> => {
      const request = checked(payload)
      const { modelId, dimension } = await source.identity()
      if (modelId !== request.modelId || dimension !== request.dimension) {
        throw new ProlepsisError('MODEL_MISMATCH', `The owner of the data folder embeds with ${modelId}.`)
      }
      const splits: [number, number][] = []
      const onSplit = (index: number, parts: number): void => void splits.push([index, parts])
      const model = await source.load()
      return { vectors: await model.embed(request.texts, { purpose: request.purpose, onSplit }), splits }
    }),
  )
}

/**
 * The local model, which lets the owner of the data folder embed while another process is that: a short-lived process then
 * does not load it. What the owner does not do (it has another model, or fails), the local model does.
 */
export function askingOwner(
  source: EmbedderSource,
  services: SharedServices,
  events: EventSink,
): EmbedderSource {
  const embed = async (own: EmbeddingModel, texts: readonly string[], options: EmbedOptions) => {
    throwIfAborted(options.signal)
    if (services.isOwner() || texts.length === 0) return own.embed(texts, options)
    const { modelId, dimension } = own
    const request: Request = { modelId, dimension, purpose: options.purpose, texts }
    try {
      const { vectors, splits } = answerOf(
        await untilAborted(services.call(SERVICE, request), options.signal),
        texts.length,
      )
      for (const [index, parts] of splits) options.onSplit?.(index, parts)
      return [...vectors]
    } catch (error) {
      throwIfAborted(options.signal)
      if (!isRefusal(error)) {
        const reason = error instanceof Error ? error.message : String(error)
        const message = `The owner of the data folder did not embed (${reason}); this process does.`
        events.emit({ type: 'warning', code: 'embedder-not-shared', message })
      }
      return own.embed(texts, options)
    }
  }
  return {
    ...source,
    async load() {
      const own = await source.load()
      return { ...own, embed: (texts, options) => embed(own, texts, options) }
    },
  }
}

/** The owner is of another version, or has another model: nothing went wrong. */
function isRefusal(error: unknown): boolean {
  return isProlepsisError(error) && (error.code === 'NOT_FOUND' || error.code === 'MODEL_MISMATCH')
}

async function untilAborted<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return call
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([call, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function checked(payload: unknown): Request {
  // each member is checked
  const { modelId, dimension, purpose, texts } = (payload ?? {}) as Partial<Request>
  if (
    typeof modelId === 'string' &&
    typeof dimension === 'number' &&
    (purpose === 'query' || purpose === 'symmetric') &&
    Array.isArray(texts) &&
    texts.every((text) => typeof text === 'string')
  ) {
    return { modelId, dimension, purpose, texts }
  }
  // another version's request: its process has a model of its own
  throw new ProlepsisError('NOT_FOUND', 'The owner of the data folder does not embed requests of that form.')
}

function answerOf(value: unknown, count: number): Answer {
  const { vectors, splits } = (value ?? {}) as Partial<Answer> // each member is checked
  if (
    Array.isArray(vectors) &&
    vectors.length === count &&
    vectors.every((vector) => vector instanceof Float32Array) &&
    Array.isArray(splits)
  ) {
    return { vectors, splits }
  }
  throw new ProlepsisError('NOT_FOUND', 'The owner of the data folder answers in another form.')
}
