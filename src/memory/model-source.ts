import { providerKey } from '../config/provider-keys.ts'
import type { Settings } from '../config/settings.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { EventSink } from '../domain/events.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { TraceSink } from '../observability/trace.ts'
import type { CallPolicy, UsageBook } from '../providers/calls/call-policy.ts'
import type { WaitingLine } from '../providers/calls/waiting-line.ts'
import type { LanguageModel } from '../providers/language-model.ts'
import type { ModelCalls } from '../providers/model-calls.ts'
import { type AccessOf, checkLanguageModelName } from '../providers/models.ts'
import type { BankStore } from '../store/bank-store.ts'
import { addModelUsage, modelSpendingOf } from '../store/queries/model-usage.ts'

/** The language model of a memory, made ready when a call first needs it. */
export interface ModelSource {
  /** Whether there is one; nothing is loaded for it. */
  readonly isConfigured: boolean
  /** Its calls for one bank, under the memory's policy; null when the memory has none. @throws ProlepsisError PROVIDER_UNKNOWN, PROVIDER_NOT_INSTALLED, MODEL_KEY_MISSING */
  calls(store: BankStore): Promise<ModelCalls | null>
  /** Ends what waits and runs. Idempotent. */
  close(): Promise<void>
}

/** A memory without a language model: the rules alone. */
export const NO_MODEL: ModelSource = {
  isConfigured: false,
  calls: async () => null,
  close: async () => undefined,
}

export interface ModelSourceOptions {
  /** Null: no model. A name is loaded when a call first needs it. */
  readonly model: LanguageModel | string | null
  readonly settings: Settings
  /** What the provider's keys are read from. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Shared by all models of the memory. */
  readonly line: WaitingLine
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly trace: TraceSink
  readonly events: EventSink
}

/**
 * Checks what can be known of a model before anything is opened.
 *
 * @throws ProlepsisError PROVIDER_UNKNOWN for a name that is none; INVALID_CONFIG for a budget in money without prices
 */
export function checkModel(model: LanguageModel | string | null, settings: Settings): void {
  if (model === null) return
  if (typeof model === 'string') checkLanguageModelName(model)
  const reportsCost =
    typeof model === 'string' ? /^(record:.*:)?openrouter:/.test(model) : model.reportsCost === true
  assertPriced(settings, reportsCost)
}

export function createModelSource(options: ModelSourceOptions): ModelSource {
  const { model, settings, env } = options
  if (model === null) return NO_MODEL
  const access = accessOf('model', settings.modelBaseUrl, env)
  let loading: Promise<LanguageModel> | null = null
  const load = (): Promise<LanguageModel> => {
    if (typeof model !== 'string') return Promise.resolve(model)
    loading ??= import('../providers/models.ts')
      .then(({ createLanguageModel }) => createLanguageModel(model, access))
      .catch((error: unknown) => {
        // a key that is set meanwhile, a package that is installed: the next call tries again
        loading = null
        throw error
      })
    return loading
  }
  const banks = new Map<number, ModelCalls>()
  return {
    isConfigured: true,
    async calls(store) {
      const known = banks.get(store.bankId)
      if (known !== undefined) return known
      const [loaded, { createModelCalls }] = await Promise.all([
        load(),
        import('../providers/calls/create-model-calls.ts'),
      ])
      const { line, clock, ids, trace } = options
      const calls = createModelCalls({
        ...{ model: loaded, policy: policyOf(settings), line, clock, ids, trace },
        ...{ bank: store, usage: usageOf(store, settings, options.events) },
      })
      banks.set(store.bankId, calls)
      return calls
    },
    close: async () => options.line.close(),
  }
}

/** How providers are reached: an address of one's own holds for whichever is named. */
export function accessOf(
  use: 'model' | 'embedder',
  baseUrl: string | null,
  env: Readonly<Record<string, string | undefined>>,
): AccessOf {
  return (provider) => ({ ...providerKey(provider, use, env), baseUrl })
}

export function policyOf(settings: Settings): CallPolicy {
  return {
    ...{ timeoutMs: settings.modelTimeoutMs, attempts: settings.modelAttempts },
    thinkingTokens: settings.thinkingTokens,
    day: { tokens: settings.dayTokens, costUsd: settings.dayCostUsd },
    prices: { input: settings.inputPrice, output: settings.outputPrice },
  }
}

/** A limit on money that nobody can judge is none. */
function assertPriced(settings: Settings, reportsCost: boolean): void {
  const { dayCostUsd, documentCostUsd, inputPrice, outputPrice } = settings
  if (dayCostUsd === null && documentCostUsd === null) return
  if (reportsCost || (inputPrice !== null && outputPrice !== null)) return
  throw new ProlepsisError(
    'INVALID_CONFIG',
    'A budget in money is set, and the price of the model is not known.',
    {
      hint: 'Set input_price and output_price (US dollars for a million tokens), or a budget in tokens (day_tokens, document_tokens).',
      details: { setting: dayCostUsd === null ? 'documentCostUsd' : 'dayCostUsd' },
    },
  )
}

/** The book is the table of the bank; a memory that may not write keeps its own, for as long as it is open. */
function usageOf({ database, bankId }: BankStore, settings: Settings, events: EventSink): UsageBook {
  const own = new Map<string, { tokens: number; costUsd: number }>()
  return {
    async spentOn(day) {
      const stored = await modelSpendingOf(database, bankId, day)
      const here = own.get(day) ?? { tokens: 0, costUsd: 0 }
      return { tokens: stored.tokens + here.tokens, costUsd: stored.costUsd + here.costUsd }
    },
    async add(entry) {
      const keepHere = (): void => {
        const { tokens, costUsd } = own.get(entry.day) ?? { tokens: 0, costUsd: 0 }
        own.set(entry.day, {
          tokens: tokens + entry.inputTokens + entry.outputTokens,
          costUsd: costUsd + entry.costUsd,
        })
      }
      if (settings.readOnly) return keepHere()
      try {
        await addModelUsage(database, bankId, entry)
      } catch (error) {
        keepHere()
        const reason = error instanceof Error ? error.message : String(error)
        const message = `What a call of ${entry.modelId} took could not be written down (${reason}); this memory counts it for itself.`
        events.emit({ type: 'warning', code: 'model-usage-not-written', message })
      }
    },
  }
}
