import { ProlepsisError } from '../schema/names.ts'

/** What the library calls an option, and what the command line calls it. */
const OPTIONS: Readonly<Record<string, string>> = {
  asOf: '--as-of',
  batchTokens: '--batch',
  count: '--n',
  expand: '--expand',
  'during.from': '--from',
  'during.to': '--to',
  history: '--history',
  hops: '--hops',
  ignore: '--ignore',
  ks: '--k',
  limit: '--limit',
  maxBytes: '--max-bytes',
  mediaType: '--media-type',
  metadata: '--meta',
  minTrust: '--min-trust',
  occurredAt: '--occurred-at',
  people: '--person',
  queries: '--query',
  questions: '--question',
  seed: '--seed',
  source: '--source',
  sourcePrefix: '--prefix',
  tag: '--tag',
  tags: '--tag',
  title: '--title',
  tokenBudget: '--budget',
  types: '--type',
  weights: '--weight',
  where: '--where',
}
/** Names that are no words of English: they are the library's wherever they stand. */
const UNMISTAKABLE =
  /\b(?:during\.from|during\.to|asOf|batchTokens|maxBytes|mediaType|minTrust|occurredAt|sourcePrefix|tokenBudget)\b/g

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^Give a Date or ISO 8601/, 'Give ISO 8601'],
  [/ or banks\.create\(\), or pass createIfMissing/, ''],
  [/ \(rebuildIndex\([^)]*\)\)/, ''],
  [/readOnly \(read_only in prolepsis\.toml\)/, 'read_only in prolepsis.toml'],
  [/^See (?:docs\/errors\.md and )?the types of .*$/, 'Add --help for the options and an example.'],
  [/^For example \w+: .*$/, 'Add --help for an example.'],
  [/^Give \w+ as a string\.$/, 'Give it a text.'],
]

/** An error of the library in the words of the command line. */
export function inWordsOfCommands(error: ProlepsisError): ProlepsisError {
  const message = named(withOwnName(error.message, error.details?.option))
  let hint = error.hint
  for (const [theirs, ours] of HINTS) hint = hint?.replace(theirs, ours)
  // the keys of a bank's settings are the same in both
  if (hint?.startsWith('It takes ') === false) hint = named(hint)
  if (message === error.message && hint === error.hint) return error
  return new ProlepsisError(error.code, message, {
    retryable: error.retryable,
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    ...(error.details === undefined ? {} : { details: error.details }),
  })
}

const named = (text: string): string => text.replace(UNMISTAKABLE, (name) => OPTIONS[name] ?? name)

/** `tags[0] must not be blank` speaks of `--tag`; what is deeper is named after the option: `--where k`. */
function withOwnName(message: string, option: unknown): string {
  if (typeof option !== 'string' || !message.startsWith(`${option} `)) return message
  const [, base = '', rest = ''] = /^(during\.\w+|tags(?=\.)|\w+)(.*)$/s.exec(option) ?? []
  const ours = OPTIONS[base]
  if (ours === undefined) return message
  const deeper = rest.replace(/^\[\d+\]$/, '').replace(/^\./, '')
  return `${ours}${deeper === '' ? '' : ` ${deeper}`}${message.slice(option.length)}`
}
