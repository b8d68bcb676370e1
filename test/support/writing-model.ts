import { createModelCalls } from '../../src/providers/calls/create-model-calls.ts'
import { createWaitingLine } from '../../src/providers/calls/waiting-line.ts'
import { createFakeLanguageModel } from '../../src/providers/fake/fake-language-model.ts'
import type { GenerateRequest } from '../../src/providers/language-model.ts'
import type { ModelCalls } from '../../src/providers/model-calls.ts'

/** A passage as the writer of questions is shown it. */
export interface AskedPassage {
  readonly id: number
  readonly most: number
  /** Its facts and its text, without marks of quotation. */
  readonly text: string
}

export interface WritingModel extends ModelCalls {
  /** Every request that was made, repetitions after a reply of no use among them. */
  readonly calls: readonly (GenerateRequest & { readonly passages: readonly AskedPassage[] })[]
}

/** Calls of a model that answers with what `write` makes of the passages: a text as it stands, or a value as JSON. */
export function createWritingModel(
  write: (passages: readonly AskedPassage[], request: GenerateRequest) => unknown,
): WritingModel {
  const calls: (GenerateRequest & { readonly passages: readonly AskedPassage[] })[] = []
  const model = createFakeLanguageModel({
    modelId: 'test:writer',
    reply: (request) => {
      const passages = passagesIn(request.prompt)
      calls.push({ ...request, passages })
      const reply = write(passages, request)
      return typeof reply === 'string' ? reply : JSON.stringify(reply)
    },
  })
  let ids = 0
  const none = { tokens: null, costUsd: null }
  const made = createModelCalls({
    model,
    policy: {
      ...{ timeoutMs: 60_000, attempts: 1, thinkingTokens: 0, day: none },
      prices: { input: null, output: null },
    },
    ...{ line: createWaitingLine(4), clock: { now: () => 0 }, random: () => 0.5 },
    timer: { after: () => () => undefined },
    ids: { next: () => `call-${++ids}` },
    trace: { record: () => undefined },
    bank: { bankId: 1, bank: 'b' },
    usage: { spentOn: async () => ({ tokens: 0, costUsd: 0 }), add: async () => undefined },
  })
  return { ...made, calls }
}

export function passagesIn(prompt: string): readonly AskedPassage[] {
  const found = prompt.matchAll(/^<passage (\d+), at most (\d+) questions?>\n([\s\S]*?)\n<\/passage \1>$/gm)
  return [...found].map(([, id, most, lines]) => ({
    id: Number(id),
    most: Number(most),
    text: lines!
      .split('\n')
      .map((line) => line.slice(2))
      .join('\n'),
  }))
}

/** A question, a statement and a concept made of the passage's own words. */
export function writeFromWords(passages: readonly AskedPassage[]): unknown {
  return {
    passages: passages.map(({ id, text }) => {
      const words = text.match(/\p{L}{4,}/gu) ?? ['nothing']
      return {
        id,
        questions: [`What about ${words.slice(-3).join(' ')}?`],
        statement: `It tells of ${words.slice(-5).join(' ')}.`,
        concepts: [`meeting ${words.at(-1)}`],
      }
    }),
  }
}
