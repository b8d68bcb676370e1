import { ProlepsisError } from '../../src/domain/errors.ts'
import { NO_USAGE } from '../../src/providers/language-model.ts'
import type { ModelCall, ModelCalls } from '../../src/providers/model-calls.ts'

/** A passage as the writer of questions is shown it. */
export interface AskedPassage {
  readonly id: number
  readonly most: number
  /** Its facts and its text, without marks of quotation. */
  readonly text: string
}

export interface WritingModel extends ModelCalls {
  /** Every call that was made. */
  readonly calls: readonly (ModelCall & { readonly passages: readonly AskedPassage[] })[]
}

/** Calls of a model that answers with what `write` makes of the passages: a value, or a text as it stands. */
export function createWritingModel(
  write: (passages: readonly AskedPassage[], call: ModelCall) => unknown,
): WritingModel {
  const calls: (ModelCall & { readonly passages: readonly AskedPassage[] })[] = []
  const unused = (): never => {
    throw new Error('only objects are asked for')
  }
  return {
    modelId: 'test:writer',
    calls,
    async generateObject(call) {
      const passages = passagesIn(call.prompt)
      calls.push({ ...call, passages })
      const read = call.schema.safeParse(write(passages, call))
      if (read.success)
        return { value: read.data, calls: 1, usage: { ...NO_USAGE, inputTokens: 100, outputTokens: 10 } }
      throw new ProlepsisError('MODEL_REPLY_INVALID', 'The reply is not what was asked for.', {
        details: { errorKind: 'schema' },
      })
    },
    generate: unused,
    stream: unused,
  }
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
