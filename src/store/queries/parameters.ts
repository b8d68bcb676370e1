import type { SqlValue } from '../database.ts'

/** Collects the values of a statement that is put together from parts; `bind` gives the `$n` that stands for one. */
export interface Parameters {
  readonly values: readonly SqlValue[]
  bind(value: SqlValue): string
}

/** The bank is always `$1`. */
export function createParameters(bankId: number): Parameters {
  const values: SqlValue[] = [bankId]
  return {
    values,
    bind(value: SqlValue): string {
      values.push(value)
      return `$${values.length}`
    },
  }
}
