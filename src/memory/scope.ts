import type { RecallDeps } from '../recall/deps.ts'
import type { RetainDeps } from '../retain/retain-deps.ts'
import type { BankStore } from '../store/bank-store.ts'
import { repeatable } from '../store/repeat.ts'
import type { BankNeed, BankOpener } from './bank-opener.ts'
import type { Engine } from './engine.ts'

/** One bank of a memory, as its calls see it. */
export interface Scope {
  readonly engine: Engine
  readonly opener: BankOpener
  readonly name: string
  /** A write makes the bank when it is missing. */
  readonly createIfMissing: boolean
}

/** What kind of call it is: what it needs of its bank. */
export type CallKind = 'read' | 'recall' | 'write' | 'care'

export type BankDeps = RetainDeps & RecallDeps

/**
 * Runs a call on the bank: opens it as the call needs, waits at closing, and repeats it when the store's owner was lost or restarted
 * meanwhile (every call that comes here leaves the same state when it is repeated).
 */
export function callOn<T>(scope: Scope, kind: CallKind, work: (deps: BankDeps) => Promise<T>): Promise<T> {
  return scope.engine.calls.run(() =>
    repeatable(scope.engine.database, async () => work(await depsOf(scope, kind))),
  )
}

export async function depsOf(scope: Scope, kind: CallKind): Promise<BankDeps> {
  const { engine } = scope
  const store = await scope.opener.open(scope.name, needOf(scope, kind))
  return depsFor(engine, store)
}

export function depsFor(engine: Engine, store: BankStore): BankDeps {
  return {
    store,
    embedder: () => engine.embedder.load(),
    analyser: engine.analysers.of(store.language),
    clock: engine.clock,
    ids: engine.ids,
    events: engine.events,
    receipts: engine.receipts,
    people: engine.people,
    maxTextBytes: engine.resolved.settings.maxTextBytes,
  }
}

/** The bank that nobody named is always there; one that was named is made by a write, if at all. */
function needOf(scope: Scope, kind: CallKind): BankNeed {
  const bank = scope.engine.resolved.values.find((value) => value.name === 'bank')
  const isUnnamed = bank?.origin.kind === 'default' && bank.value === scope.name
  const writes = kind === 'write'
  return { create: isUnnamed || (writes && scope.createIfMissing), vectors: writes || kind === 'recall' }
}
