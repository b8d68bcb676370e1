import { ProlepsisError } from '../../domain/errors.ts'

/** What the work gives, if it comes in time; work that does not is left alone. @throws ProlepsisError MODEL_TIMEOUT */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  // nobody may be left to hear of its failure
  work.catch(() => undefined)
  let stop = (): void => undefined
  const over = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(timeIsOver(timeoutMs)), timeoutMs)
    stop = () => clearTimeout(timer)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    stop()
  }
}

function timeIsOver(timeoutMs: number): ProlepsisError {
  return new ProlepsisError('MODEL_TIMEOUT', `The language model was not ready within ${timeoutMs} ms.`, {
    hint: 'The first call loads the provider’s package; a longer formulate_ms gives it more time.',
    retryable: true,
  })
}
