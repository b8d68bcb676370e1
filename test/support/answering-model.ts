import type { GenerateRequest } from '../../src/index.ts'
import { createFakeLanguageModel, type FakeLanguageModel } from '../../src/testing.ts'

/** What is replied to calls of each purpose: a value (sent as JSON), a text as it stands, or what a function makes of the request. */
export type Replies = {
  [Purpose in 'answer' | 'check' | 'map' | 'reduce']?: unknown | ((request: GenerateRequest) => unknown)
}

export interface AnsweringModel extends FakeLanguageModel {
  /** Set anew by each test. */
  replies: Replies
  /** Requests of one purpose since the replies were set, oldest first. */
  asked(purpose: keyof Replies): GenerateRequest[]
  /** Sets the replies, and counts calls from here. */
  answers(replies: Replies): void
}

/** A language model whose replies a test writes; what it was not told to answer fails the test. */
export function createAnsweringModel(): AnsweringModel {
  let since = 0
  const model: AnsweringModel = Object.assign(
    createFakeLanguageModel({
      reply: async (request) => {
        // purposes that a test is about
        const reply: unknown = Reflect.get(model.replies, request.purpose)
        if (reply === undefined) throw new Error(`nobody said what to answer to ${request.purpose}`)
        const value: unknown = typeof reply === 'function' ? await reply(request) : reply
        return typeof value === 'string' ? value : JSON.stringify(value)
      },
    }),
    {
      replies: {},
      asked: (purpose: keyof Replies) => model.calls.slice(since).filter((call) => call.purpose === purpose),
      answers: (replies: Replies) => {
        model.replies = replies
        since = model.calls.length
      },
    },
  )
  return model
}

/** The number under which a prompt shows the passage that holds a text; 0 when none does. */
export function passageWith(request: Pick<GenerateRequest, 'prompt'>, text: string): number {
  for (const [, id, block] of request.prompt.matchAll(
    /^<passage (\d+) [^\n]*>\n([\s\S]*?)\n<\/passage \1>$/gm,
  )) {
    if (block?.includes(text) === true) return Number(id)
  }
  return 0
}

/** The number under which a check's prompt shows a sentence; 0 when it does not. */
export function sentenceWith(request: Pick<GenerateRequest, 'prompt'>, text: string): number {
  for (const [, id, block] of request.prompt.matchAll(
    /^<sentence (\d+) [^\n]*>\n([\s\S]*?)\n<\/sentence \1>$/gm,
  )) {
    if (block?.includes(text) === true) return Number(id)
  }
  return 0
}

/** A check that calls every sentence of the prompt the same. */
export function verdictForAll(verdict: string): (request: GenerateRequest) => unknown {
  return (request) => ({
    sentences: [...request.prompt.matchAll(/^<sentence (\d+) /gm)].map(([, id]) => ({
      id: Number(id),
      verdict,
    })),
  })
}
