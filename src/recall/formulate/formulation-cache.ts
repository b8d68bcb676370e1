import type { Clock } from '../../domain/ports.ts'

/** Questions that a model wrote a moment ago: the same message in the same conversation is not paid for twice. */
export interface FormulationCache {
  /** Looks a key up. What `keep` is given later is dropped when the bank was cleared meanwhile. */
  open(bankId: number, key: string): FormulationSlot
  /** Forgets what belongs to a bank. */
  clear(bankId: number): void
}

export interface FormulationSlot {
  /** Null when nothing is known, or what is known is too old. */
  readonly queries: readonly string[] | null
  keep(queries: readonly string[]): void
}

interface Entry {
  readonly queries: readonly string[]
  readonly keptAt: number
}

/**
 * The least recently used go first.
 *
 * @param bounds.maxEntries of all banks together. @default 500
 * @param bounds.maxAgeMs @default 10 minutes
 */
export function createFormulationCache(
  clock: Clock,
  bounds: { readonly maxEntries?: number; readonly maxAgeMs?: number } = {},
): FormulationCache {
  const { maxEntries = 500, maxAgeMs = 600_000 } = bounds
  const entries = new Map<string, Entry>()
  /** How often a bank was cleared. */
  const clearings = new Map<number, number>()
  const clearingsOf = (bankId: number): number => clearings.get(bankId) ?? 0

  const find = (name: string): readonly string[] | null => {
    const entry = entries.get(name)
    if (entry === undefined) return null
    entries.delete(name)
    const age = clock.now() - entry.keptAt
    // a clock that was set back makes an entry neither young nor old
    if (age < 0 || age > maxAgeMs) return null
    entries.set(name, entry)
    return entry.queries
  }

  return {
    open(bankId, key) {
      const name = `${bankId}:${key}`
      const before = clearingsOf(bankId)
      return {
        queries: find(name),
        keep(queries) {
          if (clearingsOf(bankId) !== before) return
          entries.delete(name)
          entries.set(name, { queries, keptAt: clock.now() })
          for (const oldest of entries.keys()) {
            if (entries.size <= maxEntries) break
            entries.delete(oldest)
          }
        },
      }
    },
    clear(bankId) {
      clearings.set(bankId, clearingsOf(bankId) + 1)
      for (const name of entries.keys()) if (name.startsWith(`${bankId}:`)) entries.delete(name)
    },
  }
}
