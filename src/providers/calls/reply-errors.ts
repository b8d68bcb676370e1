import { ProlepsisError } from '../../domain/errors.ts'
import type { Misread } from './read-reply.ts'

export function unreadable(modelId: string, purpose: string, { errorKind, why }: Misread): ProlepsisError {
  return new ProlepsisError(
    'MODEL_REPLY_INVALID',
    `The reply of ${modelId} to "${purpose}" cannot be read. ${why}`,
    {
      hint: 'Repeat the call, or name a stronger model; the trace shows the replies.',
      retryable: true,
      details: { modelId, errorKind },
    },
  )
}

export function empty(modelId: string, purpose: string, atLimit: boolean): ProlepsisError {
  return new ProlepsisError('MODEL_REPLY_INVALID', `The reply of ${modelId} to "${purpose}" is empty.`, {
    hint: atLimit
      ? 'It thought until its tokens were used up: raise thinking_tokens.'
      : 'Repeat the call, or name another model.',
    retryable: true,
    details: { modelId, errorKind: 'empty' },
  })
}

export function filtered(modelId: string): ProlepsisError {
  return new ProlepsisError(
    'MODEL_REFUSED',
    `The provider’s content filter held back the reply of ${modelId}.`,
    {
      hint: 'The same text is held back again: name another model for it.',
      details: { modelId, finishReason: 'content-filter' },
    },
  )
}
