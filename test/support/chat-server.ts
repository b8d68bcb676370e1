import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the server got it. */
export interface ChatRequest {
  readonly system: string
  readonly prompt: string
  readonly stream: boolean
}

export interface ChatServer {
  readonly baseUrl: string
  close(): Promise<void>
}

/**
 * A local server that speaks the chat completions of the OpenAI API, whole and as server-sent events, in the form of its published reference
 * (platform.openai.com/docs/api-reference/chat, objects `chat.completion` and `chat.completion.chunk`).
 *
 * @param reply the text of the reply, or the status of a refusal
 */
export async function startChatServer(
  reply: (request: ChatRequest) => string | { readonly status: number },
): Promise<ChatServer> {
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const asked = readRequest(body)
      const text = reply(asked)
      if (typeof text !== 'string') {
        response.writeHead(text.status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: { message: 'refused', type: 'invalid_request_error' } }))
        return
      }
      const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
      const frame = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'test' }
      if (!asked.stream) {
        const message = { role: 'assistant', content: text }
        const choices = [{ index: 0, message, finish_reason: 'stop' }]
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ ...frame, object: 'chat.completion', choices, usage }))
        return
      }
      response.setHeader('content-type', 'text/event-stream')
      const send = (event: object): void => {
        response.write(`data: ${JSON.stringify({ ...frame, object: 'chat.completion.chunk', ...event })}\n\n`)
      }
      for (const content of text.match(/[\s\S]{1,9}/g) ?? []) {
        send({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
      }
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })
      response.end('data: [DONE]\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections()
        server.close((error) => (error === undefined ? resolve() : reject(error)))
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer) // a request without encoding gives bytes
  return Buffer.concat(parts).toString()
}

function readRequest(body: string): ChatRequest {
  const { messages, stream }: { messages: { role: string; content: unknown }[]; stream?: boolean } =
    JSON.parse(body)
  const said = (role: string): string =>
    messages.flatMap((one) => (one.role === role ? [contentOf(one.content)] : [])).join('\n')
  return { system: said('system'), prompt: said('user'), stream: stream === true }
}

function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content)
  return content.map(({ text }: { text?: unknown }) => String(text ?? '')).join('')
}
