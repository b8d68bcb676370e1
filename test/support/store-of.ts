import type { Memory } from '../../src/index.ts'
import { depsOf } from '../../src/memory/scope.ts'
import { scopeOf } from '../../src/memory/scopes.ts'
import type { BankStore } from '../../src/store/bank-store.ts'

/** The store under a memory, to look at its tables. */
export async function storeOf(memory: Memory): Promise<BankStore> {
  return (await depsOf(scopeOf(memory), 'read')).store
}
