import { ProlepsisError } from '../../domain/errors.ts'
import { awaitUncut, createExitFlags } from './exit-guard.ts'
import type { InferenceReply, InferenceRequest, InferenceStart, RuntimeInfo } from './inference-protocol.ts'
import { switchOffNativeTelemetry } from './native-telemetry.ts'
import { startInferenceWorker } from './start-inference-worker.ts'

/** The model in its own thread, started at the first call. */
export interface InferenceThread {
  /** Loads once, however many ask; a load that failed is tried again at the next call. */
  load(): Promise<RuntimeInfo>
  /**
   * A unit vector, or a logit, for each text of ids.
   *
   * @param types of each id: 0 for the first text of a pair, 1 for the second. @default all 0
   */
  run(batch: readonly (readonly number[])[], types?: readonly (readonly number[])[]): Promise<Float32Array[]>
  /** Waits for what is running, frees the model, ends the thread. Idempotent. */
  close(): Promise<void>
}

export function createInferenceThread(start: InferenceStart): InferenceThread {
  let connection: Connection | null = null
  let loading: Promise<RuntimeInfo> | null = null

  const connect = (): Connection => {
    connection ??= openConnection(start, (lost) => {
      if (connection === lost) reset()
    })
    return connection
  }
  const reset = (): void => {
    connection = null
    loading = null
  }
  const end = async (): Promise<void> => {
    const ending = connection
    reset()
    await ending?.end()
  }

  return {
    load() {
      loading ??= connect()
        .ask((id) => ({ kind: 'load', id }))
        .then(
          (reply) => (reply as Extract<InferenceReply, { kind: 'loaded' }>).runtime, // the protocol's answer to load
          async (error: unknown) => {
            await end()
            throw error
          },
        )
      return loading
    },
    async run(batch, types) {
      const lengths = Int32Array.from(batch, (ids) => ids.length)
      const ids = Int32Array.from(batch.flat())
      const ofPairs = types === undefined ? null : Int32Array.from(types.flat())
      const reply = await connect().ask(
        (id) => ({ kind: 'run', id, ids, types: ofPairs, lengths }),
        [ids.buffer, lengths.buffer, ...(ofPairs === null ? [] : [ofPairs.buffer])],
      )
      // the protocol's answer to run
      const { vectors } = reply as Extract<InferenceReply, { kind: 'vectors' }>
      return batch.map((_, row) => vectors.slice(row * start.dimension, (row + 1) * start.dimension))
    },
    close: end,
  }
}

interface Connection {
  ask(make: (id: number) => InferenceRequest, transfer?: readonly ArrayBuffer[]): Promise<InferenceReply>
  end(): Promise<void>
}

/** A thread and what is asked of it. While nothing is, it does not keep the process alive. */
function openConnection(start: InferenceStart, onLost: (connection: Connection) => void): Connection {
  // here, since a thread's own environment is a copy that the native library does not see
  switchOffNativeTelemetry()
  const exitFlags = createExitFlags()
  const worker = startInferenceWorker({ ...start, exitFlags })
  worker.unref()
  const onExit = (): void => awaitUncut(exitFlags)
  const waiting = new Map<
    number,
    { resolve: (reply: InferenceReply) => void; reject: (error: ProlepsisError) => void }
  >()
  let next = 0
  const take = (id: number) => {
    const found = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) {
      worker.unref()
      process.off('exit', onExit)
    }
    return found
  }
  const connection: Connection = {
    ask: (make, transfer = []) =>
      new Promise((resolve, reject) => {
        const id = next++
        if (waiting.size === 0) process.on('exit', onExit)
        waiting.set(id, { resolve, reject })
        worker.ref()
        worker.postMessage(make(id), transfer)
      }),
    async end() {
      // a thread that is lost meanwhile has ended as well
      await connection.ask((id) => ({ kind: 'close', id })).catch(() => undefined)
      await worker.terminate()
    },
  }
  const lose = (cause: unknown): void => {
    onLost(connection)
    for (const id of [...waiting.keys()]) take(id)?.reject(lostThread(cause))
  }
  worker.on('message', (reply: InferenceReply) => {
    const found = take(reply.id)
    if (reply.kind !== 'failed') found?.resolve(reply)
    else found?.reject(new ProlepsisError(reply.code, reply.message, { hint: reply.hint }))
  })
  worker.on('error', lose)
  worker.on('exit', (code) => lose(new Error(`The thread ended with code ${code}.`)))
  return connection
}

function lostThread(cause: unknown): ProlepsisError {
  return new ProlepsisError('MODEL_FAILED', 'The thread that runs the embedding model ended.', {
    hint: 'Repeat the call: the model is loaded again. If it ends again, the machine may be short of memory.',
    retryable: true,
    cause,
  })
}
