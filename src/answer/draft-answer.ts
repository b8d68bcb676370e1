import { errorCodeOf } from '../domain/error-code.ts'
import { NO_USAGE } from '../providers/language-model.ts'
import type { ModelCall } from '../providers/model-calls.ts'
import { counted, type ModelRun } from './model-run.ts'
import {
  ANSWER,
  type DraftAnswer,
  type DraftSentence,
  draft,
  isBlank,
  readFollowUp,
  readSentence,
  readStatus,
} from './reply-schemas.ts'
import { createSentenceReader } from './sentence-reader.ts'

/**
 * Asks the model for an answer. With `onSentence` the reply is read as it comes, and each sentence is given when it is whole. A streamed reply in
 * which nothing can be read is asked for once more, whole.
 *
 * @throws ProlepsisError as ModelCalls
 */
export async function draftAnswer(
  run: ModelRun,
  call: ModelCall,
  onSentence: ((sentence: DraftSentence) => void) | null,
): Promise<DraftAnswer> {
  if (onSentence === null) return counted(run, run.model.generateObject({ ...call, schema: ANSWER }))
  const reader = createSentenceReader()
  const sentences: DraftSentence[] = []
  let [usage, isCut, unread] = [NO_USAGE, false, 0]
  try {
    for await (const part of run.model.stream(call)) {
      if (part.type === 'end') {
        usage = part.usage
        isCut = part.finishReason === 'length'
        continue
      }
      for (const value of reader.push(part.text)) {
        const sentence = readSentence(value)
        if (sentence === null && !isBlank(value)) unread += 1
        if (sentence === null || readStatus(reader.reply.values.get('status')) === 'not-in-memory') continue
        sentences.push(sentence)
        onSentence(sentence)
      }
    }
  } catch (error) {
    // an empty reply is asked for again, as one that cannot be read
    if (sentences.length > 0 || errorCodeOf(error) !== 'MODEL_REPLY_INVALID') throw error
  } finally {
    run.tally.add(usage, 1)
  }
  const { values, hasSentences } = reader.reply
  const status = readStatus(values.get('status'))
  const isRead = hasSentences && (sentences.length > 0 || unread === 0)
  if (!isRead && status !== 'not-in-memory') return again(run, call, onSentence)
  if (isCut) run.degraded.push('answer: the reply was cut at its longest')
  // what was given is not taken back by a status that comes after it
  return draft(sentences.length > 0 ? 'answered' : status, sentences, readFollowUp(values.get('followUp')))
}

async function again(
  run: ModelRun,
  call: ModelCall,
  onSentence: (sentence: DraftSentence) => void,
): Promise<DraftAnswer> {
  const whole = await counted(run, run.model.generateObject({ ...call, schema: ANSWER }))
  for (const sentence of whole.sentences) onSentence(sentence)
  return whole
}
