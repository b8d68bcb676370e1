import { ProlepsisError } from '../../domain/errors.ts'
import { withoutSecrets } from '../model-errors.ts'

/** No reply is so long: vectors of a hundred texts take some 10 MB as JSON. */
const LONGEST_REPLY_BYTES = 64 * 1024 * 1024
const MOST_REDIRECTS = 3

/**
 * `fetch` for calls that carry a key and stored text. A redirect that keeps the request is followed within its origin alone: elsewhere the
 * platform's own would send the prompt, and every header but `Authorization` (so `x-api-key`). A reply without end is cut off.
 *
 * @throws ProlepsisError MODEL_REFUSED for another redirect; MODEL_UNAVAILABLE, while the reply is read, when it is over `longest` bytes
 */
export function guardedFetch(modelId: string, longest: number = LONGEST_REPLY_BYTES): typeof fetch {
  return async (input, init) => {
    let response = await fetch(input, { ...init, redirect: 'manual' })
    for (let left = MOST_REDIRECTS; response.status >= 300 && response.status < 400; left--) {
      await response.body?.cancel()
      const to = targetOf(response)
      const isSame = to !== null && to.origin === new URL(response.url).origin
      if (!isSame || left === 0 || (response.status !== 307 && response.status !== 308)) {
        throw redirected(modelId, response.status, to)
      }
      response = await fetch(to, { ...init, redirect: 'manual' })
    }
    return response.body === null ? response : bounded(response, response.body, longest, modelId)
  }
}

function targetOf(response: Response): URL | null {
  const location = response.headers.get('location')
  return location !== null && URL.canParse(location, response.url) ? new URL(location, response.url) : null
}

function bounded(
  response: Response,
  body: ReadableStream<Uint8Array>,
  longest: number,
  modelId: string,
): Response {
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > longest) controller.error(tooLong(modelId, longest))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(body.pipeThrough(counter), { status, statusText, headers })
}

function redirected(modelId: string, status: number, to: URL | null): ProlepsisError {
  const where = to === null ? 'nowhere' : withoutSecrets(`${to.origin}${to.pathname}`)
  return new ProlepsisError(
    'MODEL_REFUSED',
    `The provider of ${modelId} sends the call on (${status}) to ${where}; nothing was sent there.`,
    {
      hint: 'If that is the right address, set the base URL to it (model_base_url, embedder_base_url).',
      details: { modelId, status },
    },
  )
}

function tooLong(modelId: string, longest: number): ProlepsisError {
  return new ProlepsisError('MODEL_UNAVAILABLE', `The reply of ${modelId} is over ${longest} bytes.`, {
    hint: 'See whether the base URL is that of a model’s API (model_base_url, embedder_base_url).',
    details: { modelId },
  })
}
