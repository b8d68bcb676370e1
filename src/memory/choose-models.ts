import { type ResolvedSettings, resolveSettings } from '../config/resolve.ts'
import { SETTING_NAMES, type Settings } from '../config/settings.ts'
import { type ConfigContext, processContext } from '../config/sources.ts'
import type { SpaceSettings } from '../domain/embedder.ts'
import type { EventSink } from '../domain/events.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { TraceSink } from '../observability/trace.ts'
import { createWaitingLine } from '../providers/calls/waiting-line.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { LanguageModel } from '../providers/language-model.ts'
import { checkEmbedderName, checkRerankerName, languageProviderOf } from '../providers/models.ts'
import type { RerankingModel } from '../providers/reranking-model.ts'
import { type EmbedderSource, injectedEmbedder, localEmbedder, providerEmbedder } from './embedder-source.ts'
import { accessOf, checkModel, createModelSource, type ModelSource, policyOf } from './model-source.ts'
import { languageModelOf, type MemoryOptions, rerankerOf, wholeModel } from './options.ts'
import { injectedReranker, NO_RERANKER, namedReranker, type RerankerSource } from './reranker-source.ts'

/** The models of a memory: one of the caller's, or a name, or none. */
export interface ChosenModels {
  readonly model: LanguageModel | string | null
  readonly embedder: EmbeddingModel | string | null
  readonly reranker: RerankingModel | string | null
}

/**
 * Settings and models of the options: names of models are settings like others, what only code can give stands in their place.
 *
 * @throws ProlepsisError INVALID_ARGUMENT, INVALID_CONFIG, PROVIDER_UNKNOWN
 */
export function chooseModels(options: MemoryOptions): {
  readonly chosen: ChosenModels
  readonly resolved: ResolvedSettings
  readonly context: ConfigContext
} {
  const context = processContext(options.cwd)
  const given = languageModelOf(options.model)
  const whole = wholeModel(options.embedder)
  const ranking = rerankerOf(options.reranker)
  const { model: _, embedder: __, reranker: ___, ...others } = options
  const settings: Partial<Settings> = Object.fromEntries(
    Object.entries(others).filter(([name]) => SETTING_NAMES.some((known) => known === name)),
  )
  const names = {
    ...(typeof given === 'string' ? { model: given } : {}),
    ...(typeof whole === 'string' ? { embedder: whole } : {}),
    ...(typeof ranking === 'string' ? { reranker: ranking } : {}),
  }
  const resolved = resolveSettings({ ...settings, ...names }, context)
  const chosen = {
    model: typeof given === 'object' ? given : resolved.settings.model,
    embedder: typeof whole === 'object' ? whole : resolved.settings.embedder,
    reranker: typeof ranking === 'object' ? ranking : resolved.settings.reranker,
  }
  checkModel(chosen.model, resolved.settings)
  if (typeof chosen.embedder === 'string') checkEmbedderName(chosen.embedder)
  if (typeof chosen.reranker === 'string') {
    checkRerankerName(chosen.reranker)
    checkModel(gradingModelOf(chosen.reranker), resolved.settings)
  }
  return { chosen, resolved, context }
}

/** Keys of settings that a model of the caller's stands in for. */
export function modelsOfCode(chosen: ChosenModels): string[] {
  return Object.entries(chosen).flatMap(([name, model]) =>
    typeof model === 'object' && model !== null ? [name] : [],
  )
}

export interface ModelWorld {
  readonly settings: Settings
  readonly env: ConfigContext['env']
  readonly clock: Clock
}

export function embedderSourceOf({ embedder }: ChosenModels, world: ModelWorld): EmbedderSource {
  const { settings, env, clock } = world
  if (embedder === null) return localEmbedder(settings)
  if (typeof embedder === 'object') return injectedEmbedder(embedder)
  return providerEmbedder(embedder, {
    access: accessOf('embedder', settings.embedderBaseUrl, env),
    // a line of its own: a query does not wait for replies of the language model
    world: { line: createWaitingLine(settings.modelConcurrency), clock },
    policy: policyOf(settings),
  })
}

/** What of the settings says which model the memory embeds with; null for a caller's own. */
export function spaceSettingsOf(
  { embedder }: ChosenModels,
  { embedderBaseUrl, modelDir }: Settings,
): SpaceSettings | null {
  if (typeof embedder === 'object' && embedder !== null) return null
  if (embedder === null) return modelDir === null ? {} : { modelDir }
  return embedderBaseUrl === null ? { embedder } : { embedder, embedderBaseUrl }
}

/** The model that the memory would have under those settings. @throws ProlepsisError PROVIDER_UNKNOWN */
export function embedderUnder(named: SpaceSettings, world: ModelWorld): EmbedderSource {
  const { embedder = null, embedderBaseUrl = null, modelDir = null } = named
  if (embedder !== null) checkEmbedderName(embedder)
  const settings = { ...world.settings, embedderBaseUrl, modelDir }
  return embedderSourceOf({ model: null, reranker: null, embedder }, { ...world, settings })
}

export interface BankWorld extends ModelWorld {
  readonly ids: IdGenerator
  readonly trace: TraceSink
  readonly events: EventSink
}

export function modelSourceOf({ model }: ChosenModels, world: BankWorld): ModelSource {
  return createModelSource({ ...world, model, line: createWaitingLine(world.settings.modelConcurrency) })
}

const GRADER = 'grader:'

/** Name of the language model that a reranking model of that name grades with, or null. */
const gradingModelOf = (reranker: string): string | null =>
  reranker.startsWith(GRADER) ? reranker.slice(GRADER.length) : null

/** The address of the language model's API is that of its provider: a grading model of another one keeps its own, and its key. */
function graderSettings(grader: string, { model }: ChosenModels, settings: Settings): Settings {
  const provider = typeof model === 'string' ? languageProviderOf(model) : null
  const isShared = provider === null || provider === languageProviderOf(grader)
  return isShared ? settings : { ...settings, modelBaseUrl: null }
}

export function rerankerSourceOf(chosen: ChosenModels, world: BankWorld): RerankerSource {
  const { reranker } = chosen
  const { settings, env, clock } = world
  if (reranker === null) return NO_RERANKER
  const attempts = { line: createWaitingLine(settings.modelConcurrency), clock }
  const policy = policyOf(settings)
  if (typeof reranker === 'object') return injectedReranker(reranker, attempts, policy)
  const grader = gradingModelOf(reranker)
  const grading =
    grader === null
      ? null
      : createModelSource({
          ...{ ...world, model: grader, line: attempts.line },
          settings: graderSettings(grader, chosen, settings),
        })
  return namedReranker(reranker, (store) => ({
    ...{ access: accessOf('model', null, env), world: attempts, policy },
    local: {
      runtime: settings.runtime,
      ...(settings.threads === null ? {} : { threads: settings.threads }),
    },
    calls: async () => requireCalls(await grading?.calls(store)),
  }))
}

function requireCalls<T>(calls: T | null | undefined): T {
  if (calls === null || calls === undefined) throw new TypeError('a grading model without a language model')
  return calls
}
