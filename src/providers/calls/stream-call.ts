import type { ProlepsisError } from '../../domain/errors.ts'
import type { GeneratePart, GenerateRequest, GenerateResult, LanguageModel } from '../language-model.ts'
import { NO_USAGE } from '../language-model.ts'
import type { ModelCall } from '../model-calls.ts'
import { type Attempting, beginCall } from './attempts.ts'
import {
  afford,
  type CallsWorld,
  limitsOf,
  requestOf,
  type SpendingBook,
  settle,
  soundUsage,
  withSpentTold,
} from './one-call.ts'
import { empty, filtered } from './reply-errors.ts'
import { NOTHING_SPENT, spentOn } from './spending.ts'
import { createThinkingFilter } from './thinking-filter.ts'

/** A reply as it comes, under the policy: tried again only while nothing has come. Whoever stops reading ends the call. */
export async function* streamCall(options: CallsWorld, call: ModelCall): AsyncGenerator<GeneratePart> {
  const book: SpendingBook = { total: NOTHING_SPENT }
  const { attempting, end } = beginCall(options, limitsOf(options, call))
  try {
    for (let attempt = 1; ; attempt++) {
      const parts = streamOnce(options, call, attempting, attempt, book)
      let hasBegun = false
      try {
        for await (const part of parts) {
          hasBegun = true
          yield part
        }
        return
      } catch (thrown) {
        const error = attempting.errorOf(thrown)
        if (hasBegun || !(await attempting.pauseAfter(error, attempt))) throw error
      }
    }
  } catch (thrown) {
    throw withSpentTold(attempting.errorOf(thrown), call, book.total)
  } finally {
    end()
  }
}

async function* streamOnce(
  options: CallsWorld,
  call: ModelCall,
  attempting: Attempting,
  attempt: number,
  book: SpendingBook,
): AsyncGenerator<GeneratePart> {
  const { model, policy, clock } = options
  const request = requestOf(policy, call, attempting.signal)
  const leave = await attempting.enter()
  const release = await afford(options, call, book.total, leave)
  const startedAt = clock.now()
  const filter = createThinkingFilter()
  let text = ''
  let shown = ''
  let ending: Omit<GenerateResult, 'text'> | null = null
  let error: ProlepsisError | null = null
  const parts = partsOf(model, request)
  try {
    for (;;) {
      const next = await attempting.race(Promise.resolve(parts.next()))
      if (next.done === true) break
      const part = next.value
      if (part.type === 'text') text += part.text
      else ending = { finishReason: part.finishReason, usage: soundUsage(part.usage) }
      const piece = part.type === 'text' ? filter.push(part.text) : ''
      shown += piece
      if (piece !== '') yield { type: 'text', text: piece }
    }
    const rest = filter.end()
    shown += rest
    if (rest !== '') yield { type: 'text', text: rest }
    const { finishReason, usage } = ending ?? { finishReason: 'other', usage: NO_USAGE }
    if (shown.trim() === '') {
      throw finishReason === 'content-filter'
        ? filtered(model.modelId)
        : empty(model.modelId, call.purpose, finishReason === 'length')
    }
    const { calls: _, ...spent } = spentOn(request, { text, usage }, policy.prices)
    yield { type: 'end', finishReason, usage: spent }
  } catch (thrown) {
    error = attempting.errorOf(thrown)
    throw error
  } finally {
    leave()
    // a model that hangs need not hear that nobody listens any more: it is not waited for
    void Promise.resolve(parts.return(undefined)).catch(() => undefined)
    const reply = text === '' && ending === null ? null : { text, ...(ending ?? UNTOLD) }
    await settle(options, call, { attempt, startedAt, request, reply, error }, book)
    release()
  }
}

const UNTOLD: Omit<GenerateResult, 'text'> = { finishReason: 'other', usage: NO_USAGE }

async function* partsOf(model: LanguageModel, request: GenerateRequest): AsyncGenerator<GeneratePart> {
  if (model.stream !== undefined) {
    yield* model.stream(request)
    return
  }
  const { text, finishReason, usage } = await model.generate(request)
  yield { type: 'text', text }
  yield { type: 'end', finishReason, usage }
}
