import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // the body of a vendor's request: looked into by tests
  readonly body: Record<string, unknown>
}

/** How one request is answered. */
export type WireAnswer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly text: string }
  /** Server-sent events, whole or broken off: by closing the connection, or by an end that says nothing. */
  | { readonly events: readonly string[]; readonly then?: 'end' | 'destroy' }
  | { readonly hang: true }
  /** A body that ends before the length that its header gives. */
  | { readonly cut: string }

export interface WireServer {
  readonly url: string
  readonly requests: readonly WireRequest[]
  /** Answers the next requests, in order; the last one stays. */
  answer(...answers: WireAnswer[]): void
  close(): Promise<void>
}

/** A server on this machine that answers as it is told and keeps what it was asked. */
export async function startWireServer(): Promise<WireServer> {
  const requests: WireRequest[] = []
  let answers: WireAnswer[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    requests.push({
      ...{ method: request.method ?? '', path: request.url ?? '', headers: request.headers },
      body: text === '' ? {} : JSON.parse(text),
    })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer === undefined) response.writeHead(500).end()
    else give(response, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    answer(...given) {
      answers = given
      requests.length = 0
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function give(response: ServerResponse, answer: WireAnswer): void {
  if ('hang' in answer) return
  if ('cut' in answer) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
    response.write(answer.cut, () => response.destroy())
    return
  }
  if ('events' in answer) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const text = answer.events.map((event) => `${event}\n\n`).join('')
    if (answer.then === 'destroy') response.write(text, () => setImmediate(() => response.destroy()))
    else response.end(text)
    return
  }
  const isJson = 'json' in answer
  response.writeHead(answer.status ?? 200, {
    'content-type': isJson ? 'application/json' : 'text/html',
    ...answer.headers,
  })
  response.end(isJson ? JSON.stringify(answer.json) : answer.text)
}
