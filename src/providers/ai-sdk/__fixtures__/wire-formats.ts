import type { LanguageProvider } from '../../provider-access.ts'

/**
 * Replies as vendors publish them: shortened examples of their documentation, named at each, with our text in their place. They are
 * documented examples, not captures of live traffic.
 */
export interface WireFormat {
  /** What follows the base URL. */
  readonly basePath: string
  /** Of a call without and with streaming. */
  readonly path: string
  readonly streamPath: string
  readonly keyHeader: readonly [name: string, value: (key: string) => string]
  reply(text: string, usage?: WireUsage): unknown
  events(pieces: readonly string[]): readonly string[]
  /** Stopped for its length, or held back by a filter. */
  readonly stopped: (reason: 'length' | 'content-filter', text: string) => unknown
  error(message: string): unknown
  /** Where the JSON Schema stands in the request's body. */
  schemaIn(body: Record<string, unknown>): unknown
}

interface WireUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
}

const USAGE: WireUsage = { input: 25, output: 15, reasoning: 0 }
const data = (value: unknown): string => `data: ${JSON.stringify(value)}`
const named = (type: string, value: object): string => `event: ${type}\n${data({ type, ...value })}`
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )

/** https://docs.anthropic.com/en/api/messages, …/build-with-claude/streaming, …/api/errors */
const anthropic: WireFormat = {
  ...{ basePath: '/v1', path: '/v1/messages', streamPath: '/v1/messages' },
  keyHeader: ['x-api-key', (key) => key],
  reply: (text, usage = USAGE) => anthropicReply(text, 'end_turn', usage),
  stopped: (reason, text) => anthropicReply(text, reason === 'length' ? 'max_tokens' : 'refusal', USAGE),
  events: (pieces) => [
    named('message_start', {
      message: {
        ...{ id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY', type: 'message', role: 'assistant', content: [] },
        ...{ model: 'claude-sonnet-4-5', stop_reason: null, stop_sequence: null },
        usage: { input_tokens: 25, output_tokens: 1 },
      },
    }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('ping', {}),
    ...pieces.map((text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    named('content_block_stop', { index: 0 }),
    named('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 15 },
    }),
    named('message_stop', {}),
  ],
  error: (message) => ({
    type: 'error',
    error: { type: 'invalid_request_error', message },
    request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
  }),
  schemaIn: (body) => at(body, 'output_config', 'format', 'schema') ?? at(body, 'tools', '0', 'input_schema'),
}

const anthropicReply = (text: string, stop_reason: string, usage: WireUsage): unknown => ({
  ...{ id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
  ...{ content: text === '' ? [] : [{ type: 'text', text }], stop_reason, stop_sequence: null },
  usage: { input_tokens: usage.input, output_tokens: usage.output },
})

/** https://platform.openai.com/docs/api-reference/responses/create, …/responses-streaming, …/docs/guides/error-codes */
const openai: WireFormat = {
  ...{ basePath: '/v1', path: '/v1/responses', streamPath: '/v1/responses' },
  keyHeader: ['authorization', (key) => `Bearer ${key}`],
  reply: (text, usage = USAGE) => openaiReply(text, null, usage),
  stopped: (reason, text) =>
    openaiReply(text, reason === 'length' ? 'max_output_tokens' : 'content_filter', USAGE),
  events: (pieces) => {
    const id = 'msg_67ccd3acc8d48190a77525dc6de64b4104becb25c45c1d41'
    const started = openaiReply('', null, USAGE, 'in_progress')
    return [
      named('response.created', { sequence_number: 0, response: started }),
      named('response.output_item.added', {
        ...{ sequence_number: 1, output_index: 0 },
        item: { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] },
      }),
      ...pieces.map((delta, i) =>
        named('response.output_text.delta', {
          ...{ sequence_number: 2 + i, item_id: id, output_index: 0, content_index: 0, delta },
        }),
      ),
      named('response.output_item.done', {
        ...{ sequence_number: 90, output_index: 0 },
        item: {
          id,
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: pieces.join(''), annotations: [] }],
        },
      }),
      named('response.completed', {
        sequence_number: 91,
        response: openaiReply(pieces.join(''), null, USAGE),
      }),
    ]
  },
  error: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  schemaIn: (body) => at(body, 'text', 'format', 'schema'),
}

const openaiReply = (
  text: string,
  incomplete: string | null,
  usage: WireUsage,
  status = 'completed',
): unknown => ({
  ...{ id: 'resp_67ccd2bed1ec8190b14f964abc054267', object: 'response', created_at: 1741476542 },
  status: incomplete === null ? status : 'incomplete',
  ...{
    error: null,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    model: 'gpt-4.1-2025-04-14',
  },
  output:
    text === ''
      ? []
      : [
          {
            ...{
              type: 'message',
              id: 'msg_67ccd2bf17f0819081ff3bb2cf6508e6',
              status: 'completed',
              role: 'assistant',
            },
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ],
  usage: {
    ...{ input_tokens: usage.input, input_tokens_details: { cached_tokens: 0 }, output_tokens: usage.output },
    ...{
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  },
})

/** https://ai.google.dev/api/generate-content (GenerateContentResponse), …/gemini-api/docs/troubleshooting (errors) */
const google: WireFormat = {
  basePath: '/v1beta',
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
  streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  keyHeader: ['x-goog-api-key', (key) => key],
  reply: (text, usage = USAGE) => googleReply(text, 'STOP', usage),
  stopped: (reason, text) => googleReply(text, reason === 'length' ? 'MAX_TOKENS' : 'SAFETY', USAGE),
  events: (pieces) =>
    pieces.map((text, i) => data(googleReply(text, i === pieces.length - 1 ? 'STOP' : undefined, USAGE))),
  error: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  schemaIn: (body) =>
    at(body, 'generationConfig', 'responseSchema') ?? at(body, 'generationConfig', 'responseJsonSchema'),
}

const googleReply = (text: string, finishReason: string | undefined, usage: WireUsage): unknown => ({
  candidates: [
    {
      content: { parts: text === '' ? [] : [{ text }], role: 'model' },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0,
    },
  ],
  usageMetadata: {
    ...{ promptTokenCount: usage.input, candidatesTokenCount: usage.output - usage.reasoning },
    ...{ thoughtsTokenCount: usage.reasoning, totalTokenCount: usage.input + usage.output },
  },
  ...{ modelVersion: 'gemini-2.5-flash', responseId: 'mAitaLmkHPPlz7IPvtfUqQ4' },
})

/** The chat completions of OpenAI (https://platform.openai.com/docs/api-reference/chat), which the vendors below speak with a few members of their own. */
const chat = (
  more: Partial<WireFormat> & { readonly usage?: (usage: WireUsage) => object; readonly isGroq?: boolean },
): WireFormat => {
  const usageOf = (usage: WireUsage): object => ({
    ...{
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    ...more.usage?.(usage),
  })
  const reply = (text: string, finish_reason: string, usage: WireUsage): unknown => ({
    ...{
      id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
      object: 'chat.completion',
      created: 1741569952,
      model: 'm',
    },
    choices: [{ index: 0, message: { role: 'assistant', content: text }, logprobs: null, finish_reason }],
    usage: usageOf(usage),
  })
  const chunk = (delta: object, finish_reason: string | null, usage?: object): string =>
    data({
      ...{ id: 'chatcmpl-123', object: 'chat.completion.chunk', created: 1694268190, model: 'm' },
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(usage === undefined
        ? {}
        : more.isGroq === true
          ? { x_groq: { id: 'req_01jbd6g2qdfw2adyrt2az8hz4w', usage } }
          : { usage }),
    })
  return {
    ...{ basePath: '/v1', path: '/v1/chat/completions', streamPath: '/v1/chat/completions' },
    keyHeader: ['authorization', (key) => `Bearer ${key}`],
    reply: (text, usage = USAGE) => reply(text, 'stop', usage),
    stopped: (reason, text) => reply(text, reason === 'length' ? 'length' : 'content_filter', USAGE),
    events: (pieces) => [
      chunk({ role: 'assistant', content: '' }, null),
      ...pieces.map((content) => chunk({ content }, null)),
      chunk({}, 'stop', usageOf(USAGE)),
      'data: [DONE]',
    ],
    error: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
    schemaIn: (body) => at(body, 'response_format', 'json_schema', 'schema'),
    ...more,
  }
}

export const WIRE_FORMATS: Readonly<Record<LanguageProvider, WireFormat>> = {
  anthropic,
  openai,
  google,
  /** https://docs.mistral.ai/api/#tag/chat: `model_length` and `error` among the reasons, errors as `{ object, message, type }` */
  mistral: chat({
    error: (message) => ({
      object: 'error',
      message,
      type: 'invalid_request_error',
      param: null,
      code: null,
    }),
  }),
  /** https://console.groq.com/docs/api-reference#chat-create: times in `usage`, and of a stream all of it in `x_groq` */
  groq: chat({
    isGroq: true,
    usage: () => ({
      queue_time: 0.037493756,
      prompt_time: 0.000680594,
      completion_time: 0.463333333,
      total_time: 0.464013927,
    }),
  }),
  /** https://openrouter.ai/docs/api-reference/overview, …/docs/use-cases/usage-accounting (`cost`), …/docs/api-reference/errors */
  openrouter: chat({
    basePath: '/api/v1',
    path: '/api/v1/chat/completions',
    streamPath: '/api/v1/chat/completions',
    usage: () => ({ cost: 0.00014 }),
    error: (message) => ({ error: { code: 400, message } }),
  }),
  /** https://docs.ollama.com/api/openai-compatibility */
  ollama: chat({ error: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }) }),
  /** As vLLM (https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html) and llama.cpp's server speak it. */
  'openai-compatible': chat({}),
}
