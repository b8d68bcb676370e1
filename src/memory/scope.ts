import { ProlepsisError } from '../domain/errors.ts'
import type { RecallDeps } from '../recall/deps.ts'
import type { RetainDeps } from '../retain/retain-deps.ts'
import type { BankStore } from '../store/bank-store.ts'
import { repeatable } from '../store/repeat.ts'
import { type BankNeed, type BankOpener, mismatch } from './bank-opener.ts'
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
export type CallKind = 'read' | 'recall' | 'recall-by-mode' | 'write' | 'change'

export type BankDeps = RetainDeps & RecallDeps
type OpenedDeps = BankDeps & { readonly renewed: () => Promise<BankDeps> }

/**
 * Runs a call on the bank: opens it as the call needs, waits at closing, and repeats it when the store's owner was lost or restarted
 * meanwhile (every call that comes here leaves the same state when it is repeated).
 */
export function callOn<T>(scope: Scope, kind: CallKind, work: (deps: BankDeps) => Promise<T>): Promise<T> {
  return scope.engine.calls.run(() =>
    repeatable(scope.engine.database, async () => work(await depsOf(scope, kind))),
  )
}

export async function depsOf(scope: Scope, kind: CallKind): Promise<OpenedDeps> {
  const { engine } = scope
  if (kind === 'write' || kind === 'change') assertWritable(engine)
  const store = await scope.opener.open(scope.name, needOf(scope, kind))
  engine.jobs.serve(store.bank)
  return { ...(await depsFor(engine, store)), renewed: () => renewedDeps(scope, kind) }
}

/** The bank as it stands now; one that was deleted meanwhile is not made again. */
async function renewedDeps(scope: Scope, kind: CallKind): Promise<BankDeps> {
  const need = { ...needOf(scope, kind), create: false, fresh: true }
  return depsFor(scope.engine, await scope.opener.open(scope.name, need))
}

/** @throws ProlepsisError STORE_READ_ONLY */
export function assertWritable(engine: Engine): void {
  if (!engine.resolved.settings.readOnly) return
  throw new ProlepsisError('STORE_READ_ONLY', 'The memory was opened read-only.', {
    hint: 'Open it without readOnly (read_only in prolepsis.toml) to change it.',
  })
}

export async function depsFor(engine: Engine, store: BankStore): Promise<BankDeps> {
  return {
    store,
    // never another one: vectors of two models cannot be compared
    async embedder() {
      const shelved = await engine.embedders.of(store.space)
      if (shelved === null) throw await mismatch(engine, store)
      return shelved.source.load()
    },
    analyser: await engine.analysers.of(store.language),
    clock: engine.clock,
    ids: engine.ids,
    events: engine.events,
    receipts: engine.receipts,
    people: engine.people,
    maxTextBytes: engine.resolved.settings.maxTextBytes,
    model: () => engine.model.calls(store),
    reranker: () => engine.reranker.model(store),
    trace: engine.trace,
    enrichment: engine.jobs.enrichment,
    formulation: {
      by: engine.resolved.settings.formulator,
      timeoutMs: engine.resolved.settings.formulateMs,
      cache: engine.formulations,
    },
  }
}

/** The bank that nobody named is always there; one that was named is made by a write, if at all. */
function isUnnamed({ engine, name }: Scope): boolean {
  const bank = engine.resolved.values.find((value) => value.name === 'bank')
  return bank?.origin.kind === 'default' && bank.value === name
}

/** Makes the bank when it is the one that is always there. */
export async function makeUnnamed(scope: Scope): Promise<void> {
  if (isUnnamed(scope)) await scope.opener.ensure(scope.name)
}

function needOf(scope: Scope, kind: CallKind): BankNeed {
  const writes = kind === 'write'
  return {
    create: isUnnamed(scope) || (writes && scope.createIfMissing),
    vectors: kind === 'recall-by-mode' ? 'by-mode' : writes || kind === 'recall',
    fresh: writes || kind === 'change',
  }
}
