import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { isProlepsisError, type ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type {
  FinishReason,
  GeneratePart,
  GenerateRequest,
  GenerateResult,
  LanguageModel,
  TokenUsage,
} from '../language-model.ts'
import { type ErrorContext, modelErrorOf } from '../model-errors.ts'
import type { ModelName } from '../model-name.ts'
import type { LanguageProvider, ProviderAccess } from '../provider-access.ts'
import { errorContext } from './error-context.ts'
import { languageVendor, type Vendor } from './vendors.ts'

/**
 * A provider's model through the AI SDK: its package makes the request and reads the reply, once, without retries of its own. JSON Schema
 * goes along where one is asked for; a provider that refuses it is asked again, and from then on, in words.
 *
 * @throws ProlepsisError MODEL_KEY_MISSING, PROVIDER_NOT_INSTALLED, INVALID_CONFIG
 */
export async function createAiSdkLanguageModel(
  { provider, model }: ModelName<LanguageProvider>,
  access: ProviderAccess,
): Promise<LanguageModel> {
  const vendor = await languageVendor(provider, model, access)
  const context = errorContext({ provider, model }, access)
  let takesSchema = true

  /** `ask` with the schema; without it when that was what the provider refused. */
  const asking = async <T>(
    request: GenerateRequest,
    ask: (options: LanguageModelV3CallOptions) => PromiseLike<T>,
  ) => {
    const withSchema = request.schema !== undefined && takesSchema
    try {
      return await ask(optionsOf(request, vendor, withSchema))
    } catch (thrown) {
      const error = errorOf(thrown, request, context)
      if (!withSchema || !mayBeTheSchema(error)) throw error
      try {
        const result = await ask(optionsOf(request, vendor, false))
        takesSchema = false
        return result
      } catch (again) {
        const second = errorOf(again, request, context)
        throw second.code === 'MODEL_REFUSED' ? error : second
      }
    }
  }
  return {
    modelId: context.modelId,
    reportsCost: provider === 'openrouter',
    async generate(request) {
      throwIfAborted(request.signal)
      const { content, finishReason, usage } = await asking(request, (options) =>
        vendor.model.doGenerate(options),
      )
      const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
      return { text, ...endOf(finishReason, usage) }
    },
    async *stream(request) {
      throwIfAborted(request.signal)
      const { stream } = await asking(request, (options) => vendor.model.doStream(options))
      try {
        yield* partsOf(stream)
      } catch (thrown) {
        throw errorOf(thrown, request, context)
      }
    },
  }
}

async function* partsOf(stream: ReadableStream<LanguageModelV3StreamPart>): AsyncGenerator<GeneratePart> {
  const reader = stream.getReader()
  let end: Omit<GenerateResult, 'text'> | null = null
  try {
    for (;;) {
      const { done, value: part } = await reader.read()
      if (done) break
      if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta }
      else if (part.type === 'error') throw part.error
      else if (part.type === 'finish') {
        // the packages end a stream of which the vendor did not tell the end in this way
        if (part.finishReason.raw === undefined && part.finishReason.unified !== 'stop') break
        end = endOf(part.finishReason, part.usage)
      }
    }
  } finally {
    // nothing is wrong with a stream that nobody reads on
    await reader.cancel().catch(() => undefined)
  }
  if (end === null) throw new Error('the stream broke off before its end')
  yield { type: 'end', ...end }
}

function optionsOf(
  { system, prompt, schema, maxOutputTokens, temperature = 0, signal }: GenerateRequest,
  { providerOptions }: Vendor<unknown>,
  withSchema: boolean,
): LanguageModelV3CallOptions {
  const instructions =
    schema === undefined || withSchema
      ? system
      : `${system}\n\nReply with JSON alone, of the form that this JSON Schema gives:\n${JSON.stringify(schema)}`
  return {
    prompt: [
      ...(instructions === '' ? [] : [{ role: 'system' as const, content: instructions }]),
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    ...{ maxOutputTokens, temperature },
    ...(signal === undefined ? {} : { abortSignal: signal }),
    ...(withSchema
      ? { responseFormat: { type: 'json' as const, name: 'reply', schema: schema as object } }
      : {}),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

function errorOf(thrown: unknown, { signal }: GenerateRequest, context: ErrorContext): ProlepsisError {
  if (isProlepsisError(thrown)) return thrown
  throwIfAborted(signal)
  return modelErrorOf(thrown, context)
}

/** 400 and 422 say that the request does not fit; it may be for the schema. */
const mayBeTheSchema = ({ code, details }: ProlepsisError): boolean =>
  code === 'MODEL_REFUSED' && (details.status === 400 || details.status === 422)

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
}

function endOf(
  reason: LanguageModelV3FinishReason,
  usage: LanguageModelV3Usage,
): Omit<GenerateResult, 'text'> {
  return { finishReason: REASONS[reason.unified] ?? 'other', usage: usageOf(usage) }
}

function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV3Usage): TokenUsage {
  // OpenRouter tells US dollars (https://openrouter.ai/docs/guides/administration/usage-accounting)
  const cost = raw?.cost
  return {
    inputTokens: inputTokens.total ?? null,
    outputTokens: outputTokens.total ?? null,
    reasoningTokens: outputTokens.reasoning ?? null,
    costUsd: typeof cost === 'number' ? cost : null,
  }
}
