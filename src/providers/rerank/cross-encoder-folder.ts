import { access, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { errorCodeOf } from '../../domain/error-code.ts'
import { ProlepsisError } from '../../domain/errors.ts'

/** A cross-encoder's files, and what they say of it. */
export interface CrossEncoderFolder {
  readonly modelPath: string
  readonly tokeniserPath: string
  readonly modelId: string
  /** Special tokens included. */
  readonly maxTokens: number
}

/** Where an export of a model is laid: beside the tokeniser, or in a folder of its format. */
const MODEL_FILES = ['model.onnx', join('onnx', 'model.onnx')]
/** Of BERT and its kin, where the folder does not say otherwise. */
const DEFAULT_WINDOW = 512
/** A pair has three special tokens. */
const LEAST_WINDOW = 8

/** @throws ProlepsisError MODEL_NOT_FOUND when a file is missing, or `config.json` is there and is not JSON */
export async function readCrossEncoderFolder(path: string): Promise<CrossEncoderFolder> {
  const folder = resolve(path)
  const modelPath = await firstThere(MODEL_FILES.map((name) => join(folder, name)))
  const tokeniserPath = await firstThere([join(folder, 'tokenizer.json')])
  if (modelPath === null || tokeniserPath === null) {
    const missing = modelPath === null ? 'model.onnx' : 'tokenizer.json'
    throw new ProlepsisError('MODEL_NOT_FOUND', `The reranking model's folder ${folder} has no ${missing}.`, {
      hint: 'A folder of a cross-encoder holds model.onnx (or onnx/model.onnx) and tokenizer.json, and may hold config.json.',
      details: { path: folder, missing },
    })
  }
  const windows = [
    (await readJson(join(folder, 'config.json'))).max_position_embeddings,
    (await readJson(join(folder, 'tokenizer_config.json'))).model_max_length,
  ].filter((size): size is number => Number.isSafeInteger(size) && Number(size) >= LEAST_WINDOW)
  const maxTokens = Math.min(DEFAULT_WINDOW * 16, ...(windows.length > 0 ? windows : [DEFAULT_WINDOW]))
  return { modelPath, tokeniserPath, modelId: `local:${basename(folder)}`, maxTokens }
}

async function firstThere(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return null
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return { ...Object(value) }
  } catch (cause) {
    if (errorCodeOf(cause) === 'ENOENT') return {}
    throw new ProlepsisError('MODEL_NOT_FOUND', `${path} cannot be read, or is not JSON.`, {
      hint: 'Copy the model folder anew.',
      cause,
      details: { path },
    })
  }
}
