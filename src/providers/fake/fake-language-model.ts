import { throwIfAborted } from '../../domain/errors.ts'
import { estimateTokens } from '../calls/spending.ts'
import type { GenerateRequest, GenerateResult, LanguageModel } from '../language-model.ts'
import { fakeReply } from './fake-reply.ts'

export interface FakeLanguageModelOptions {
  /** @default `fake:model` */
  readonly modelId?: string
  /** What it answers; what it throws, it fails with. @default valid JSON of the form that is asked for, made of the stored text in the prompt; prose without a form */
  readonly reply?: (request: GenerateRequest) => string | Promise<string>
}

export interface FakeLanguageModel extends LanguageModel {
  /** Every request so far, oldest first. */
  readonly calls: readonly GenerateRequest[]
}

/** A language model for tests and examples: calls nobody, gives the same reply to the same request everywhere. */
export function createFakeLanguageModel(options: FakeLanguageModelOptions = {}): FakeLanguageModel {
  const { modelId = 'fake:model', reply = fakeReply } = options
  const calls: GenerateRequest[] = []
  const generate = async (request: GenerateRequest): Promise<GenerateResult> => {
    throwIfAborted(request.signal)
    calls.push(request)
    const text = await reply(request)
    const inputTokens = estimateTokens(request.system) + estimateTokens(request.prompt)
    const usage = { inputTokens, outputTokens: estimateTokens(text), reasoningTokens: 0, costUsd: 0 }
    return { text, finishReason: 'stop', usage }
  }
  return {
    ...{ modelId, reportsCost: true, calls, generate },
    async *stream(request) {
      const { text, finishReason, usage } = await generate(request)
      for (const piece of text.match(/\S+\s*|\s+/g) ?? []) yield { type: 'text', text: piece }
      yield { type: 'end', finishReason, usage }
    },
  }
}
