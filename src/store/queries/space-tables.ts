import { ProlepsisError } from '../../domain/errors.ts'
import type { VectorSpace } from '../bank-store.ts'

/** An integer that is written into SQL text (a bank, a kind, a space), proved to be one. */
export function integerLiteral(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new ProlepsisError('INVALID_ARGUMENT', `${value} is not a whole number of 0 or more.`)
  }
  return String(value)
}

export function vectorsTable(space: Pick<VectorSpace, 'spaceId'>): string {
  return `vectors_${integerLiteral(space.spaceId)}`
}

export function bitsTable(space: Pick<VectorSpace, 'spaceId'>): string {
  return `bits_${integerLiteral(space.spaceId)}`
}
