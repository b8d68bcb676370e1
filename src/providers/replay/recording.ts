import { createHash } from 'node:crypto'
import type { GenerateRequest, GenerateResult } from '../language-model.ts'

/** One line of a recording (JSON Lines). It holds no prompt: the hash finds the answer, the digest tells people which one it is. */
export interface RecordedCall {
  /** See `hashOfRequest`. */
  readonly hash: string
  readonly purpose: string
  /** Who answered. */
  readonly modelId: string
  readonly request: RequestDigest
  readonly result: GenerateResult
}

/** Lengths in characters. */
export interface RequestDigest {
  readonly system: number
  readonly prompt: number
  readonly schema: boolean
  readonly maxOutputTokens: number
  readonly temperature: number
}

/**
 * What makes two requests the same: SHA-256, hex, over the JSON array of purpose, system, prompt, schema (null without), maxOutputTokens and
 * temperature (0 unless given). Keys of the schema count in their order.
 */
export function hashOfRequest(request: GenerateRequest): string {
  const { purpose, system, prompt, schema = null, maxOutputTokens, temperature = 0 } = request
  const parts = [purpose, system, prompt, schema, maxOutputTokens, temperature]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

export function digestOf({
  system,
  prompt,
  schema,
  maxOutputTokens,
  temperature = 0,
}: GenerateRequest): RequestDigest {
  return {
    ...{ system: system.length, prompt: prompt.length, schema: schema !== undefined },
    ...{ maxOutputTokens, temperature },
  }
}
