import { ProlepsisError } from '../domain/errors.ts'
import type { Memory } from '../memory-api.ts'
import type { Scope } from './scope.ts'

const scopes = new WeakMap<Memory, Scope>()

/** Remembers what a handle works on, for what tests and benchmarks need beside the public interface. */
export function rememberScope(memory: Memory, scope: Scope): void {
  scopes.set(memory, scope)
}

/** What a handle works on. @throws INVALID_ARGUMENT */
export function scopeOf(memory: Memory): Scope {
  const scope = scopes.get(memory)
  if (scope !== undefined) return scope
  throw new ProlepsisError('INVALID_ARGUMENT', 'This is not a memory that createMemory made.', {
    hint: 'Give the memory itself, not a copy of it.',
    details: { option: 'memory' },
  })
}
