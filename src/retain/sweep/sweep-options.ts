import { createHash } from 'node:crypto'
import { ProlepsisError } from '../../domain/errors.ts'
import type { SweepOptions, SweepWatchOptions } from '../../domain/sweep.ts'
import { type IndexRequest, readIndexOptions } from '../index/index-options.ts'

export interface WatchRequest {
  readonly index: IndexRequest
  /** Null: by what the system tells. */
  readonly pollMs: number | null
  readonly intervalMs: number
}

const INTERVAL_MS = 600_000

/** @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT, INVALID_TEXT */
export function readSweepOptions(path: unknown, options: SweepOptions, maxFileBytes: number): IndexRequest {
  return readIndexOptions(path, options, maxFileBytes, 'sweep')
}

/** @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT, INVALID_TEXT */
export function readWatchOptions(
  path: unknown,
  options: SweepWatchOptions,
  maxFileBytes: number,
): WatchRequest {
  // callers without types may hand over anything: index's reader says so
  const { pollMs, intervalMs, ...rest } = (options ?? {}) as SweepWatchOptions
  const waits = ['await', 'onJobProgress'].find((name) => name in rest)
  if (waits !== undefined)
    throw new ProlepsisError('UNKNOWN_OPTION', `sweep.watch has no option "${waits}".`, {
      hint: 'A watch goes on: wait for jobs with jobs.wait, or see them with jobs.list.',
      details: { option: waits },
    })
  return {
    index: readIndexOptions(
      path,
      options === null || Array.isArray(options) ? options : rest,
      maxFileBytes,
      'sweep.watch',
      ['pollMs', 'intervalMs'],
    ),
    pollMs: pollMs === undefined ? null : milliseconds(pollMs, 'pollMs', 100),
    intervalMs: intervalMs === undefined ? INTERVAL_MS : milliseconds(intervalMs, 'intervalMs', 1000),
  }
}

/** What every document of the folder is given, as a hash: when it changes, all of them get it. */
export function labelsHash({ tags, metadata, trust, prompts }: IndexRequest): string {
  const given = JSON.stringify([tags ?? null, metadata ?? null, trust ?? null, prompts ?? null])
  return createHash('sha256').update(given).digest('hex').slice(0, 16)
}

const DAY_MS = 86_400_000

function milliseconds(value: unknown, option: string, least: number): number {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= DAY_MS) return Number(value)
  throw new ProlepsisError(
    'INVALID_ARGUMENT',
    `${option} must be a whole number from ${least} to ${DAY_MS}.`,
    {
      hint: 'It is in milliseconds.',
      details: { option },
    },
  )
}
