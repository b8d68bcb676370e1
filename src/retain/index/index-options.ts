import { ProlepsisError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/nearest-name.ts'
import type { IndexOptions } from '../../domain/retain.ts'
import { readRetainOptions } from '../retain-options.ts'

/** Options of index, checked, with defaults. */
export interface IndexRequest {
  readonly sourcePrefix: string
  readonly tags: IndexOptions['tags']
  readonly metadata: IndexOptions['metadata']
  readonly trust: IndexOptions['trust']
  readonly maxBytes: number
  readonly ignore: readonly string[]
  readonly gitignore: boolean
  readonly followLinks: boolean
  readonly hidden: boolean
  readonly adopt: boolean
  readonly prune: boolean | 'force'
  readonly prompts: IndexOptions['prompts']
  readonly enrich: boolean | undefined
  readonly onProgress: IndexOptions['onProgress']
  readonly signal: AbortSignal | undefined
}

const OPTIONS: readonly (keyof IndexOptions)[] = [
  'sourcePrefix',
  'tags',
  'metadata',
  'trust',
  'maxBytes',
  'ignore',
  'gitignore',
  'followLinks',
  'hidden',
  'adopt',
  'prune',
  'prompts',
  'enrich',
  'await',
  'onJobProgress',
  'onProgress',
  'signal',
]

/**
 * @param call name of the call, for its errors
 * @param also options of the call that are read elsewhere
 * @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT, INVALID_TEXT
 */
export function readIndexOptions(
  path: unknown,
  options: IndexOptions,
  maxFileBytes: number,
  call = 'index',
  also: readonly string[] = [],
): IndexRequest {
  if (typeof path !== 'string' || path.trim() === '' || path.includes('\u0000')) {
    throw invalid('path', 'must name a folder or a file')
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalid('options', 'must be an object')
  const unknown = Object.keys(options).find((key) => !OPTIONS.some((known) => known === key))
  if (unknown !== undefined) {
    const known = [...OPTIONS, ...also]
    throw new ProlepsisError('UNKNOWN_OPTION', `${call} has no option "${unknown}".`, {
      hint: didYouMean(unknown, known, `Options: ${known.join(', ')}.`),
      details: { option: unknown },
    })
  }
  const { tags, metadata, trust, prompts, enrich, signal } = readRetainOptions({
    ...(options.tags === undefined ? {} : { tags: options.tags }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
    ...(options.trust === undefined ? {} : { trust: options.trust }),
    ...(options.prompts === undefined ? {} : { prompts: options.prompts }),
    ...(options.enrich === undefined ? {} : { enrich: options.enrich }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const { sourcePrefix = '', maxBytes = maxFileBytes, ignore = [] } = options
  if (typeof sourcePrefix !== 'string' || sourcePrefix.includes('\u0000'))
    throw invalid('sourcePrefix', 'must be text')
  if (!Number.isInteger(maxBytes) || maxBytes < 1) throw invalid('maxBytes', 'must be a whole number above 0')
  if (!Array.isArray(ignore) || ignore.some((pattern: unknown) => typeof pattern !== 'string')) {
    throw invalid('ignore', 'must be a list of patterns')
  }
  const { prune = true } = options
  if (typeof prune !== 'boolean' && prune !== 'force')
    throw invalid('prune', "must be true, false or 'force'")
  const flag = (name: 'gitignore' | 'followLinks' | 'hidden' | 'adopt', otherwise: boolean): boolean => {
    const value = options[name] ?? otherwise
    if (typeof value !== 'boolean') throw invalid(name, 'must be true or false')
    return value
  }
  return {
    sourcePrefix,
    tags,
    metadata,
    trust,
    prompts,
    maxBytes,
    ignore,
    gitignore: flag('gitignore', true),
    followLinks: flag('followLinks', false),
    hidden: flag('hidden', false),
    adopt: flag('adopt', false),
    prune,
    enrich,
    onProgress: options.onProgress,
    signal,
  }
}

function invalid(option: string, reason: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `${option} ${reason}.`, {
    hint: 'See the types of index for what each option takes.',
    details: { option },
  })
}
