import { isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import {
  FINISH_REASONS,
  type GeneratePart,
  type GenerateRequest,
  type GenerateResult,
  type LanguageModel,
  NO_USAGE,
} from './language-model.ts'
import { modelErrorOf } from './model-errors.ts'

/** Answers one request: the text of the reply, or with what it took. */
export type GenerateFunction = (
  request: GenerateRequest,
) => Promise<string | Partial<GenerateResult>> | string | Partial<GenerateResult>

/** A function of the caller's, with the name of its model. */
export interface InjectedLanguageModel {
  /** Change it when the model changes: what was written by another model is not written again for it. */
  readonly modelId: string
  readonly generate: GenerateFunction
  readonly stream?: (request: GenerateRequest) => AsyncIterable<GeneratePart>
  /** Its results tell `usage.costUsd`: a budget in money then needs no prices. @default false */
  readonly reportsCost?: boolean
}

/**
 * A caller's function as a language model. What it throws becomes MODEL_REFUSED or MODEL_UNAVAILABLE by its status (`statusCode` or
 * `status`, and Retry-After of its headers), MODEL_UNAVAILABLE where it has none.
 *
 * @param injected a function is named by its own `modelId`, else `injected:model`
 * @throws ProlepsisError INVALID_ARGUMENT; `generate` MODEL_REFUSED, MODEL_UNAVAILABLE, MODEL_REPLY_INVALID when it returns neither text nor a result; CANCELLED
 */
export function createInjectedLanguageModel(
  injected: InjectedLanguageModel | (GenerateFunction & { readonly modelId?: string }),
): LanguageModel {
  const { modelId, generate, stream, reportsCost } = described(injected)
  return {
    modelId,
    ...(reportsCost === undefined ? {} : { reportsCost }),
    async generate(request) {
      throwIfAborted(request.signal)
      let given: unknown
      try {
        given = await generate(request)
      } catch (thrown) {
        throwIfAborted(request.signal)
        throw modelErrorOf(thrown, { modelId })
      }
      return resultOf(given, modelId)
    },
    ...(stream === undefined ? {} : { stream: (request) => streaming(stream, request, modelId) }),
  }
}

function described(
  injected: InjectedLanguageModel | (GenerateFunction & { readonly modelId?: string }),
): InjectedLanguageModel {
  if (typeof injected === 'function') {
    return described({ modelId: injected.modelId ?? 'injected:model', generate: injected })
  }
  // callers without types may hand over anything
  const { modelId, generate, stream }: Partial<InjectedLanguageModel> = injected ?? {}
  const isNamed = typeof modelId === 'string' && modelId !== ''
  if (isNamed && typeof generate === 'function' && (stream === undefined || typeof stream === 'function')) {
    // methods keep the object that they belong to
    return {
      modelId,
      generate: (request) => injected.generate(request),
      ...(injected.reportsCost === undefined ? {} : { reportsCost: injected.reportsCost }),
      ...(injected.stream === undefined ? {} : { stream: (request) => injected.stream!(request) }),
    }
  }
  throw new ProlepsisError('INVALID_ARGUMENT', 'The model lacks something of a language model.', {
    hint: 'Give provider:model, a function that takes { system, prompt, … } and gives the text, or { modelId, generate }.',
    details: { option: 'model' },
  })
}

async function* streaming(
  stream: (request: GenerateRequest) => AsyncIterable<GeneratePart>,
  request: GenerateRequest,
  modelId: string,
): AsyncGenerator<GeneratePart> {
  try {
    yield* stream(request)
  } catch (thrown) {
    if (isProlepsisError(thrown)) throw thrown
    throwIfAborted(request.signal)
    throw modelErrorOf(thrown, { modelId })
  }
}

function resultOf(given: unknown, modelId: string): GenerateResult {
  if (typeof given === 'string') return { text: given, finishReason: 'stop', usage: NO_USAGE }
  const { text, finishReason, usage }: Partial<GenerateResult> = given ?? {} // each member is checked
  if (typeof text === 'string') {
    const isKnown = finishReason !== undefined && FINISH_REASONS.includes(finishReason)
    return { text, finishReason: isKnown ? finishReason : 'stop', usage: { ...NO_USAGE, ...usage } }
  }
  throw new ProlepsisError(
    'MODEL_REPLY_INVALID',
    `The model ${modelId} returned neither text nor a result.`,
    {
      hint: 'Return a string, or { text, finishReason, usage }.',
      details: { modelId, errorKind: 'empty' },
    },
  )
}
