import { readFile } from 'node:fs/promises'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import {
  FINISH_REASONS,
  type GenerateRequest,
  type GenerateResult,
  type LanguageModel,
  NO_USAGE,
} from '../language-model.ts'
import { digestOf, hashOfRequest, type RecordedCall } from './recording.ts'

/**
 * A model that answers from a recording (`createRecordingModel`) and calls nobody. The same request was answered more than once: the
 * first answer comes first, the last one for good.
 *
 * @param file JSON Lines
 * @throws ProlepsisError UNREADABLE_FILE, IMPORT_INVALID with `details.line`; `generate`: RECORDING_MISSING with `details.hash`, and `details.nearest`, the purpose
 *   of its recorded calls that is likest to the one asked for, or null
 */
export async function createReplayModel(file: string): Promise<LanguageModel> {
  const recorded = await readRecording(file)
  const answers = new Map<string, GenerateResult[]>()
  for (const { hash, result } of recorded) answers.set(hash, [...(answers.get(hash) ?? []), result])
  const given = new Map<string, number>()
  return {
    // as the model that was recorded: what it wrote stays its own
    modelId: recorded[0]?.modelId ?? 'replay:empty',
    async generate(request) {
      throwIfAborted(request.signal)
      const hash = hashOfRequest(request)
      const known = answers.get(hash)
      if (known === undefined) throw missing(file, request, hash, recorded)
      const turn = given.get(hash) ?? 0
      given.set(hash, turn + 1)
      return known[Math.min(turn, known.length - 1)]!
    },
  }
}

function missing(
  file: string,
  asked: GenerateRequest,
  hash: string,
  recorded: readonly RecordedCall[],
): ProlepsisError {
  const { purpose } = asked
  const purposes = [...new Set(recorded.map((call) => call.purpose))]
  const nearest = purposes.includes(purpose) ? purpose : (purposes[0] ?? null)
  const same = recorded.filter((call) => call.purpose === purpose).length
  const digest = digestOf(asked)
  const differsInRoom = recorded.some(
    ({ request, ...call }) =>
      call.purpose === purpose &&
      request.system === digest.system &&
      request.prompt === digest.prompt &&
      request.maxOutputTokens !== digest.maxOutputTokens,
  )
  const difference = differsInRoom
    ? 'room for the reply (thinking_tokens)'
    : 'prompt, or version of the prompt,'
  return new ProlepsisError(
    'RECORDING_MISSING',
    `The recording ${file} has no answer to this request for "${purpose}" (${hash.slice(0, 12)}…).`,
    {
      hint:
        same > 0
          ? `It has ${same} for "${purpose}" whose ${difference} was another: record again with record:FILE:provider:model.`
          : `It holds ${purposes.map((name) => `"${name}"`).join(', ') || 'nothing'}: record with record:FILE:provider:model.`,
      details: { hash, purpose, nearest, path: file },
    },
  )
}

async function readRecording(file: string): Promise<readonly RecordedCall[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new ProlepsisError('UNREADABLE_FILE', `The recording ${file} cannot be read.`, {
      hint: 'Make one with the model record:FILE:provider:model.',
      cause,
      details: { path: file },
    })
  }
  return text
    .split('\n')
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => readLine(line, number, file))
}

function readLine(line: string, number: number, file: string): RecordedCall {
  try {
    const call = JSON.parse(line) as Partial<RecordedCall> | null // each member is checked
    const { hash, purpose, modelId, request, result } = call ?? {}
    if (
      typeof hash === 'string' &&
      typeof purpose === 'string' &&
      typeof modelId === 'string' &&
      typeof result?.text === 'string' &&
      FINISH_REASONS.includes(result.finishReason)
    ) {
      const digest = { system: 0, prompt: 0, schema: false, maxOutputTokens: 0, temperature: 0, ...request }
      return {
        hash,
        purpose,
        modelId,
        request: digest,
        result: { ...result, usage: { ...NO_USAGE, ...result.usage } },
      }
    }
  } catch {
    // said below, with the line
  }
  throw new ProlepsisError('IMPORT_INVALID', `Line ${number} of the recording ${file} is no recorded call.`, {
    hint: 'Remove the line, or record again.',
    details: { path: file, line: number },
  })
}
