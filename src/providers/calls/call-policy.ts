import type { Spending } from '../model-calls.ts'
import type { Prices } from './spending.ts'

/** How models are called: the settings of a memory. */
export interface CallPolicy {
  /** Of a whole call. */
  readonly timeoutMs: number
  /** In all. */
  readonly attempts: number
  /** Room for thinking, added to the tokens of each reply. */
  readonly thinkingTokens: number
  /** Of a bank, by day (UTC). */
  readonly day: Spending
  readonly prices: Prices
}

/** Purposes that a person, or an agent in the middle of a turn, waits for. */
const INTERACTIVE: ReadonlySet<string> = new Set(['formulate', 'answer', 'check', 'rerank'])

export const isInteractive = (purpose: string): boolean => INTERACTIVE.has(purpose)

/** Attempts of a call that says nothing: formulating has the rules to fall back on, and no time to lose. */
export const attemptsOf = (purpose: string, policy: CallPolicy): number =>
  purpose === 'formulate' ? 1 : policy.attempts

/** What a bank spent on models, by day: a port, since providers know no store. */
export interface UsageBook {
  /** Of the day (UTC, `YYYY-MM-DD`), all models and purposes together. */
  spentOn(day: string): Promise<{ readonly tokens: number; readonly costUsd: number }>
  /** Adds to the day. Never rejects: a reply that was paid for is not lost for its bookkeeping. */
  add(entry: UsageEntry): Promise<void>
}

export interface UsageEntry {
  readonly day: string
  readonly modelId: string
  readonly purpose: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** 0 where nobody knows it. */
  readonly costUsd: number
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
