import * as z from 'zod'
import type { ProlepsisError } from '../../domain/errors.ts'
import type { GenerateResult } from '../language-model.ts'
import type { ModelCall, ModelCalls, ModelReply } from '../model-calls.ts'
import { type Attempting, underLimits } from './attempts.ts'
import type { JsonSchema } from './fit-schema.ts'
import {
  afford,
  type CallsWorld,
  limitsOf,
  type ModelCallsOptions,
  type Request,
  requestOf,
  type SpendingBook,
  settle,
  soundUsage,
  withSpentTold,
} from './one-call.ts'
import { withoutThinking } from './read-json.ts'
import { readReply, repairNote } from './read-reply.ts'
import { empty, filtered, unreadable } from './reply-errors.ts'
import { NOTHING_SPENT } from './spending.ts'
import { streamCall } from './stream-call.ts'

/** Calls of a language model for one bank, under one policy: see `ModelCalls`. Nothing is called for it. */
export function createModelCalls(given: ModelCallsOptions): ModelCalls {
  const options: CallsWorld = { ...given, underWay: { tokens: 0, costUsd: 0 } }
  const { model } = options
  return {
    modelId: model.modelId,
    generate: (call) =>
      withSpent(options, call, async (attempting, spend) => {
        const text = await spoken(options, call, attempting, spend)
        return withoutThinking(text).trim()
      }),
    generateObject: (call) => {
      // what zod cannot say in JSON Schema is left open: the schema itself judges the reply
      const schema = z.toJSONSchema(call.schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema // a schema is an object
      return withSpent(options, call, async (attempting, spend) => {
        const first = await spoken(options, { ...call, jsonSchema: schema }, attempting, spend)
        const read = readReply(first, call, schema)
        if ('value' in read) return read.value
        const prompt = `${call.prompt}\n\n${repairNote(read)}`
        const second = await spoken(options, { ...call, prompt, jsonSchema: schema }, attempting, spend)
        const again = readReply(second, call, schema)
        if ('value' in again) return again.value
        throw unreadable(model.modelId, call.purpose, again)
      })
    },
    stream: (call) => streamCall(options, call),
  }
}

/** Runs a call with its clock, and gives what it took with its value; an error tells it in `details.spent`. */
async function withSpent<T>(
  options: CallsWorld,
  call: ModelCall,
  work: (attempting: Attempting, book: SpendingBook) => Promise<T>,
): Promise<ModelReply<T>> {
  const book: SpendingBook = { total: NOTHING_SPENT }
  try {
    const value = await underLimits(options, limitsOf(options, call), (attempting) => work(attempting, book))
    const { calls, ...usage } = book.total
    return { value, usage, calls }
  } catch (error) {
    throw withSpentTold(error, call, book.total)
  }
}

/** The text of a reply, after as many attempts as it takes. */
async function spoken(
  options: CallsWorld,
  call: Request,
  attempting: Attempting,
  book: SpendingBook,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { text, finishReason } = await oneAttempt(options, call, attempting, attempt, book)
      if (withoutThinking(text).trim() !== '') return text
      if (finishReason === 'content-filter') throw filtered(options.model.modelId)
      // asking for JSON, it is told what was wrong; it is the reader's to say so
      if (call.jsonSchema !== undefined) return ''
      throw empty(options.model.modelId, call.purpose, finishReason === 'length')
    } catch (thrown) {
      const error = attempting.errorOf(thrown)
      if (!(await attempting.pauseAfter(error, attempt))) throw error
    }
  }
}

async function oneAttempt(
  options: CallsWorld,
  call: Request,
  attempting: Attempting,
  attempt: number,
  book: SpendingBook,
): Promise<GenerateResult> {
  const { model, policy, clock } = options
  const request = requestOf(policy, call, attempting.signal)
  const leave = await attempting.enter()
  // in its turn, not before it: what waits in the line would be judged by a book without those before it
  const release = await afford(options, call, book.total, leave)
  const startedAt = clock.now()
  let reply: GenerateResult | null = null
  let error: ProlepsisError | null = null
  try {
    const given = await attempting.race(Promise.resolve(model.generate(request)))
    reply = { ...given, usage: soundUsage(given.usage) }
    return reply
  } catch (thrown) {
    error = attempting.errorOf(thrown)
    throw error
  } finally {
    leave()
    await settle(options, call, { attempt, startedAt, request, reply, error }, book)
    release()
  }
}
