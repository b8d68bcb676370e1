import { parentPort, workerData } from 'node:worker_threads'
import { isProlepsisError } from '../../domain/errors.ts'
import { uncut } from './exit-guard.ts'
import type { InferenceReply, InferenceRequest, ThreadStart } from './inference-protocol.ts'
import { type OnnxModel, openOnnxModel } from './onnx-session.ts'
import { poolRows } from './pool.ts'

/**
 * The thread that runs the model: both runtimes compute on the thread that calls them, and would hold the caller's event
 * loop for as long as a batch takes.
 */
const port = parentPort
// the other side is `createInferenceThread`
const start = workerData as ThreadStart
let model: Promise<OnnxModel> | null = null

const load = (): Promise<OnnxModel> => {
  model ??= openOnnxModel(start)
  return model
}

async function answer(request: InferenceRequest): Promise<InferenceReply> {
  const { id } = request
  switch (request.kind) {
    case 'load':
      return { id, kind: 'loaded', runtime: (await load()).runtime }
    case 'run': {
      const { lengths } = request
      const input = { ...pad(request.ids, request.types, lengths), rows: lengths.length }
      const output = await (await load()).run(input)
      const { dimension, pooling } = start
      // a copy, since it is handed over
      const vectors =
        pooling === 'logit' ? Float32Array.from(output) : poolRows(output, lengths, dimension, pooling)
      return { id, kind: 'vectors', vectors }
    }
    case 'close': {
      const open = await model?.catch(() => null)
      await open?.close()
      return { id, kind: 'closed' }
    }
  }
}

function pad(
  ids: Int32Array,
  types: Int32Array | null,
  lengths: Int32Array,
): { ids: BigInt64Array; mask: BigInt64Array; types: BigInt64Array } {
  const longest = Math.max(...lengths)
  const padded = new BigInt64Array(longest * lengths.length)
  const mask = new BigInt64Array(padded.length)
  const paddedTypes = new BigInt64Array(padded.length)
  let from = 0
  lengths.forEach((length, row) => {
    for (let i = 0; i < length; i++) {
      padded[row * longest + i] = BigInt(ids[from + i]!)
      mask[row * longest + i] = 1n
      if (types !== null) paddedTypes[row * longest + i] = BigInt(types[from + i]!)
    }
    from += length
  })
  return { ids: padded, mask, types: paddedTypes }
}

function failure(id: number, error: unknown): InferenceReply {
  if (isProlepsisError(error) && (error.code === 'MODEL_NOT_FOUND' || error.code === 'MODEL_FAILED')) {
    return { id, kind: 'failed', code: error.code, message: error.message, hint: error.hint ?? '' }
  }
  const message = `The model failed: ${error instanceof Error ? error.message : String(error)}`
  const hint = 'Repeat the call; if it fails again, try the other runtime ("native" or "wasm").'
  return { id, kind: 'failed', code: 'MODEL_FAILED', message, hint }
}

// one after the other: a session of the WASM runtime takes one call at a time
let last: Promise<void> = Promise.resolve()
port?.on('message', (request: InferenceRequest) => {
  last = last.then(async () => {
    // the WASM runtime may be cut short at any time
    const work = start.runtime === 'wasm' ? answer(request) : uncut(start.exitFlags, () => answer(request))
    const reply = await work.catch((error: unknown) => failure(request.id, error))
    port.postMessage(reply, reply.kind === 'vectors' ? [reply.vectors.buffer] : [])
    if (request.kind === 'close') port.close()
  })
})
