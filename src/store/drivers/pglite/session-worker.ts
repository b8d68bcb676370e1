/** The thread in which PGlite runs, so that a long statement blocks nobody and can be stopped. */
import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../../error-wire.ts'
import type { PgliteEngine } from './engine.ts'
import { createPgliteSession } from './session.ts'
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-protocol.ts'

const port = parentPort
if (port === null) throw new Error('session-worker runs as a worker thread only')
// The only starter is worker-engine.ts, which passes this shape.
const start = workerData as WorkerStart

function reply(message: WorkerReply): void {
  port?.postMessage(message)
}

async function answer(session: PgliteEngine, request: WorkerRequest): Promise<WorkerReply> {
  const { id } = request
  try {
    switch (request.kind) {
      case 'run':
        return { id, ok: true, value: await session.run(request.sql, request.parameters) }
      case 'copy':
        return { id, ok: true, value: await session.copyIn(request.sql, request.bytes) }
      case 'script':
        await session.script(request.sql)
        return { id, ok: true, value: undefined }
      case 'close':
        await session.close()
        return { id, ok: true, value: undefined }
    }
  } catch (error) {
    return { id, ok: false, error: packError(error) }
  }
}

try {
  const session = await createPgliteSession({
    ...start,
    onPanic: (reason) => reply({ id: 'panic', ok: false, error: packError(reason) }),
  })
  port.on('message', (request: WorkerRequest) => {
    void answer(session, request).then(reply)
  })
  reply({ id: 0, ok: true, value: undefined })
} catch (error) {
  reply({ id: 0, ok: false, error: packError(error) })
}
