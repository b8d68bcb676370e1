import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { InferenceSession, Tensor, TypedTensor } from 'onnxruntime-common'
import { ProlepsisError } from '../../domain/errors.ts'
import type { InferenceStart, RuntimeInfo } from './inference-protocol.ts'

type Onnx = typeof import('onnxruntime-common')

export interface OnnxModel {
  readonly runtime: RuntimeInfo
  /** Hidden states of a padded batch, `rows × length × dimension`; or one logit a row, where that is what the model gives. */
  run(input: {
    readonly ids: BigInt64Array
    readonly mask: BigInt64Array
    /** @default all 0 */
    readonly types?: BigInt64Array
    readonly rows: number
  }): Promise<Float32Array>
  close(): Promise<void>
}

/**
 * Opens the model with the native runtime, or with the WASM one where that is asked for or `auto` finds no native one.
 *
 * @throws ProlepsisError MODEL_FAILED when no runtime loads, MODEL_NOT_FOUND when the model's file cannot be read as a model
 */
export async function openOnnxModel(
  start: InferenceStart,
  importNative: () => Promise<Onnx> = () => import('onnxruntime-node'),
): Promise<OnnxModel> {
  if (start.runtime === 'wasm') return open(start, await loadWasm(), null, 'wasm')
  let native: Onnx
  try {
    native = await importNative()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (start.runtime === 'auto') return open(start, await loadWasm(), reason, 'wasm')
    throw new ProlepsisError('MODEL_FAILED', `The native runtime does not load: ${reason}`, {
      hint: 'Install onnxruntime-node for this platform, or set the runtime to "auto" or "wasm".',
      cause,
    })
  }
  return open(start, native, null, 'native')
}

/** The binary is handed over, so that nothing is ever fetched. */
async function loadWasm(): Promise<Onnx> {
  const onnx: Onnx = await import('onnxruntime-web')
  const binary = await readFile(
    createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
  )
  onnx.env.wasm.wasmBinary = binary
  // its threads are more workers: on two cores they cost more than they give
  onnx.env.wasm.numThreads = 1
  return onnx
}

async function open(
  start: InferenceStart,
  onnx: Onnx,
  fallbackReason: string | null,
  name: RuntimeInfo['name'],
): Promise<OnnxModel> {
  const session = await createSession(start, onnx, name)
  const { Tensor } = onnx
  const [output] = session.outputNames
  const takesTypes = session.inputNames.includes('token_type_ids')
  return {
    runtime: { name, fallbackReason },
    async run({ ids, mask, types, rows }) {
      const shape = [rows, ids.length / rows]
      const feeds: Record<string, TypedTensor<'int64'>> = {
        input_ids: new Tensor('int64', ids, shape),
        attention_mask: new Tensor('int64', mask, shape),
      }
      if (takesTypes) {
        feeds.token_type_ids = new Tensor('int64', types ?? new BigInt64Array(ids.length), shape)
      }
      const states = (await session.run(feeds))[output!]
      if (start.pooling === 'logit') return logitsOf(states, rows)
      const expected = [...shape, start.dimension]
      if (states?.type !== 'float32' || String(states.dims) !== String(expected)) {
        throw new ProlepsisError(
          'MODEL_FAILED',
          `The model's output is ${states?.type} of shape ${states?.dims.join(' × ')}, not float32 of ${expected.join(' × ')}.`,
          {
            hint: 'Set dimension in model.json to that of the model; its first output must be one vector a token.',
          },
        )
      }
      // float32 was checked above
      return states.data as Float32Array
    },
    close: () => session.release(),
  }
}

/** One number a row: the only logit, or, of a model that tells two classes apart, how much the second outweighs the first. */
function logitsOf(output: Tensor | undefined, rows: number): Float32Array {
  const [given, classes] = output?.dims ?? []
  if (
    output?.type !== 'float32' ||
    output.dims.length !== 2 ||
    given !== rows ||
    (classes !== 1 && classes !== 2)
  ) {
    throw new ProlepsisError(
      'MODEL_FAILED',
      `The model's output is ${output?.type} of shape ${output?.dims.join(' × ')}, not float32 of ${rows} × 1.`,
      {
        hint: 'A cross-encoder classifies pairs of texts: export it as a sequence-classification model with one label.',
      },
    )
  }
  // float32 was checked above
  const logits = output.data as Float32Array
  if (classes === 1) return logits
  return Float32Array.from({ length: rows }, (_, row) => logits[2 * row + 1]! - logits[2 * row]!)
}

async function createSession(
  start: InferenceStart,
  onnx: Onnx,
  name: RuntimeInfo['name'],
): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: [name === 'native' ? 'cpu' : 'wasm'],
    intraOpNumThreads: start.threads,
    interOpNumThreads: 1,
    // shapes differ from call to call: a pattern would only be kept, never met again
    enableMemPattern: false,
    logSeverityLevel: 3,
    // threads that wait by spinning take the cores from the database and from the caller
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  }
  try {
    return name === 'native'
      ? await onnx.InferenceSession.create(start.modelPath, options)
      : await onnx.InferenceSession.create(await readFile(start.modelPath), options)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ProlepsisError(
      'MODEL_NOT_FOUND',
      `The model ${start.modelPath} is damaged or not an ONNX model: ${reason}`,
      {
        hint: 'Install the package again, or copy the model folder anew.',
        cause,
      },
    )
  }
}
