import type { GenerateRequest } from '../../src/providers/language-model.ts'
import { passagesIn, writeFromWords } from './writing-model.ts'

export type Fault =
  | 'refused'
  | 'rate limit'
  | 'server error'
  | 'hang'
  | 'cut stream'
  | 'prose'
  | 'empty'
  | 'wrong JSON'
  | 'cut JSON'

/** What goes wrong with a model, as its client sees it. */
export const FAULTS: Readonly<Record<Fault, (request: GenerateRequest) => Promise<string>>> = {
  refused: () => fail('invalid x-api-key', 401),
  'rate limit': () => fail('slow down', 429),
  'server error': () => fail('internal error', 500),
  // never answers; the caller gives up
  hang: ({ signal }: GenerateRequest) =>
    new Promise<string>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  'cut stream': () => {
    throw Object.assign(new TypeError('terminated'), { cause: new Error('other side closed') })
  },
  prose: async () => 'Of course! Here are some questions that one might ask about the passage.',
  empty: async () => '',
  'wrong JSON': async () => '{"answer": 42}',
  'cut JSON': async () => '{"passages": [{"id',
}

function fail(message: string, statusCode: number): never {
  throw Object.assign(new Error(message), { statusCode })
}

export interface FaultyModel {
  readonly modelId: string
  generate(request: GenerateRequest): Promise<string>
  /** What is wrong with it now; null: it writes questions from the words of each passage. */
  fault: Fault | null
  /** Calls so far. */
  calls: number
  /** Texts that it was asked about. */
  readonly asked: string[]
}

export function createFaultyModel(): FaultyModel {
  const model: FaultyModel = {
    modelId: 'test:faulty',
    fault: null,
    calls: 0,
    asked: [],
    async generate(request) {
      model.calls++
      if (model.fault !== null) return FAULTS[model.fault](request)
      const passages = passagesIn(request.prompt)
      model.asked.push(...passages.map(({ text }) => text))
      return JSON.stringify(writeFromWords(passages))
    },
  }
  return model
}
