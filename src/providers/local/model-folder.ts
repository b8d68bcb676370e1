import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProlepsisError } from '../../domain/errors.ts'

/** A folder under `models/`: the same three levels up from `src` and from `dist`. */
const DEFAULT_FOLDER = new URL('../../../models/bge-small-en-v1.5-int8/', import.meta.url)

/** What `model.json` says, and where the other files are. */
export interface ModelFolder {
  readonly modelPath: string
  readonly tokeniserPath: string
  readonly modelId: string
  readonly dimension: number
  /** Special tokens included. */
  readonly maxTokens: number
  readonly pooling: Pooling
  readonly queryPrefix: string
  readonly documentPrefix: string
}

/** `cls`: the first token's vector; `mean`: of all tokens. */
export type Pooling = 'cls' | 'mean'

/**
 * @param path @default the model of the package
 * @throws ProlepsisError MODEL_NOT_FOUND when a file is missing or `model.json` is not right
 */
export async function readModelFolder(path: string = fileURLToPath(DEFAULT_FOLDER)): Promise<ModelFolder> {
  const [descriptionPath, modelPath, tokeniserPath] = ['model.json', 'model.onnx', 'tokenizer.json'].map(
    (name) => join(path, name),
  ) as [string, string, string] // three in, three out
  for (const file of [descriptionPath, modelPath, tokeniserPath]) {
    await access(file).catch((cause: unknown) => {
      throw new ProlepsisError('MODEL_NOT_FOUND', `The embedding model has no file ${file}.`, {
        hint: 'A model folder holds model.onnx, tokenizer.json and model.json; without a setting for it, install the package again.',
        cause,
        details: { path: file },
      })
    })
  }
  return { modelPath, tokeniserPath, ...parse(await readFile(descriptionPath, 'utf8'), descriptionPath) }
}

function parse(text: string, path: string): Omit<ModelFolder, 'modelPath' | 'tokeniserPath'> {
  const wrong = (what: string, cause?: unknown): ProlepsisError =>
    new ProlepsisError('MODEL_NOT_FOUND', `${path} ${what}.`, {
      hint: 'It needs modelId, dimension, maxTokens and pooling ("cls" or "mean"), and may have queryPrefix and documentPrefix: see models/README.md.',
      cause,
      details: { path },
    })
  let description: Readonly<Record<string, unknown>>
  try {
    // every value is checked below; null becomes an empty object
    description = (JSON.parse(text) ?? {}) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw wrong('is not JSON', cause)
  }
  const { modelId, dimension, maxTokens, pooling, queryPrefix = '', documentPrefix = '' } = description
  if (typeof modelId !== 'string' || modelId === '') throw wrong('has no modelId')
  if (!isCount(dimension)) throw wrong('has no dimension that is a whole number above 0')
  if (!isCount(maxTokens) || maxTokens < 8) throw wrong('has no maxTokens of 8 or more')
  if (pooling !== 'cls' && pooling !== 'mean') throw wrong('has no pooling that is "cls" or "mean"')
  if (typeof queryPrefix !== 'string' || typeof documentPrefix !== 'string') {
    throw wrong('has a prefix that is not a text')
  }
  // else the tokens of prefix and text would not add up
  if (/\S$/.test(queryPrefix) || /\S$/.test(documentPrefix))
    throw wrong('has a prefix that does not end in a space')
  return { modelId, dimension, maxTokens, pooling, queryPrefix, documentPrefix }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
