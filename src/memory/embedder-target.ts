import { resolve } from 'node:path'
import { SETTINGS } from '../config/settings.ts'
import type { SpaceSettings } from '../domain/embedder.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { checkKeys } from '../maintain/check-options.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { InjectedEmbedder } from '../providers/injected-embedder.ts'
import type { EmbedderShelf, ShelvedEmbedder } from './embedder-shelf.ts'
import { injectedEmbedder } from './embedder-source.ts'
import { wholeModel } from './options.ts'

/**
 * An embedding model to move a bank to: a model or its function (yours to close); `'local'`, the model of the package; `'provider:model'`; or the
 * settings that name it, `{ modelDir }`, `{ embedder, embedderBaseUrl }`.
 */
export type EmbedderTarget = EmbeddingModel | InjectedEmbedder | SpaceSettings | string

/** @throws ProlepsisError INVALID_ARGUMENT, PROVIDER_UNKNOWN */
export function readTarget(target: unknown, option: string, shelf: EmbedderShelf): ShelvedEmbedder {
  if (typeof target === 'string') return shelf.under(namedSettings(target, option))
  if (typeof target !== 'object' || target === null || Array.isArray(target)) throw noTarget(option)
  if ('embed' in target) {
    // wholeModel and the embedder itself check the rest
    const model = wholeModel(target as EmbeddingModel | InjectedEmbedder)
    if (typeof model !== 'object') throw noTarget(option)
    return { source: injectedEmbedder(model), settings: null }
  }
  return shelf.under(readSettings(target, option))
}

function namedSettings(name: string, option: string): SpaceSettings {
  if (name === 'local') return {}
  if (name === '') throw noTarget(option)
  return { embedder: name }
}

function readSettings(target: object, option: string): SpaceSettings {
  checkKeys(target, ['modelDir', 'embedder', 'embedderBaseUrl'], option)
  const { modelDir, embedder, embedderBaseUrl }: Partial<Record<keyof SpaceSettings, unknown>> = target
  const texts = [modelDir, embedder, embedderBaseUrl].every(
    (value) => value === undefined || (typeof value === 'string' && value !== ''),
  )
  if (!texts || (modelDir === undefined) === (embedder === undefined)) throw noTarget(option)
  if (typeof modelDir === 'string') return { modelDir: resolve(modelDir) }
  // never with its value: it may hold a password
  const address = SETTINGS.embedderBaseUrl.schema.safeParse(embedderBaseUrl)
  if (embedderBaseUrl !== undefined && !address.success) {
    const why = address.error.issues[0]?.message ?? 'is no address'
    throw new ProlepsisError('INVALID_ARGUMENT', `The address of the embedding model’s API ${why}.`, {
      hint: 'Such as http://localhost:8000/v1. Keys are read from the environment alone.',
      details: { option: 'embedderBaseUrl' },
    })
  }
  return {
    embedder: String(embedder),
    ...(typeof embedderBaseUrl === 'string' ? { embedderBaseUrl } : {}),
  }
}

function noTarget(option: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `${option} names no embedding model.`, {
    hint: "Give 'local', 'provider:model', { modelDir }, { embedder, embedderBaseUrl }, or a model with modelId, dimension and embed.",
    details: { option },
  })
}
