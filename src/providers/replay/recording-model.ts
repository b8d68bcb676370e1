import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ProlepsisError } from '../../domain/errors.ts'
import type { GeneratePart, GenerateRequest, GenerateResult, LanguageModel } from '../language-model.ts'
import { digestOf, hashOfRequest, type RecordedCall } from './recording.ts'

/**
 * A model that writes down what another one answers, for `createReplayModel`: a JSON line for each reply, appended to `file` before it is
 * handed on. Failed calls are not recorded. The recording holds replies and no prompts, and no key.
 *
 * @param file made with its folder when it is missing
 * @throws ProlepsisError `generate`: as the model; UNREADABLE_FILE when the file cannot be written
 */
export function createRecordingModel(model: LanguageModel, file: string): LanguageModel {
  // one after the other: lines do not run into each other
  let writing: Promise<void> = Promise.resolve()
  const record = (request: GenerateRequest, result: GenerateResult): Promise<void> => {
    const { modelId } = model
    const { purpose } = request
    const call: RecordedCall = {
      ...{ hash: hashOfRequest(request), purpose, modelId },
      ...{ request: digestOf(request), result },
    }
    const written = writing.then(() => append(file, `${JSON.stringify(call)}\n`))
    writing = written.catch(() => undefined)
    return written
  }
  const { modelId, reportsCost, stream } = model
  return {
    modelId,
    ...(reportsCost === undefined ? {} : { reportsCost }),
    async generate(request) {
      const result = await model.generate(request)
      await record(request, result)
      return result
    },
    ...(stream === undefined
      ? {}
      : { stream: (request) => recorded(model.stream!(request), (result) => record(request, result)) }),
  }
}

async function* recorded(
  parts: AsyncIterable<GeneratePart>,
  record: (result: GenerateResult) => Promise<void>,
): AsyncGenerator<GeneratePart> {
  let text = ''
  for await (const part of parts) {
    if (part.type === 'text') text += part.text
    else await record({ text, finishReason: part.finishReason, usage: part.usage })
    yield part
  }
}

async function append(file: string, line: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await appendFile(file, line)
  } catch (cause) {
    throw new ProlepsisError('UNREADABLE_FILE', `The recording ${file} cannot be written.`, {
      hint: 'See whether its folder can be written to.',
      cause,
      details: { path: file },
    })
  }
}
