import type { Command } from 'commander'
import type { RecallOptions, Trust } from '../../index.ts'
import { ProlepsisError, TRUST_LEVELS } from '../schema/names.ts'
import { collect, defined, keyValue } from './options.ts'

/** Which documents a command may see. */
export interface FilterCommandOptions {
  readonly tag?: readonly string[]
  readonly tagAll?: readonly string[]
  readonly tagNone?: readonly string[]
  readonly tagStrict?: boolean
  readonly where?: Readonly<Record<string, unknown>>
  readonly from?: string
  readonly to?: string
  readonly asOf?: string
  readonly source?: string
  readonly minTrust?: Trust
  readonly person?: readonly string[]
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--tag <tag>', 'documents with one of these tags, and those without any tag, repeatable', collect)
    .option(
      '--tag-all <tag>',
      'documents with every one of these tags, and those without any tag, repeatable',
      collect,
    )
    .option('--tag-none <tag>', 'documents with none of these tags, repeatable', collect)
    .option('--tag-strict', 'with --tag or --tag-all: leave out documents without any tag')
    .option('--where <key=value>', 'metadata that must be there, repeatable', keyValue)
    .option('--from <time>', 'what happened at or after this time, ISO 8601')
    .option('--to <time>', 'what happened before this time, ISO 8601')
    .option('--as-of <time>', 'as memory stood at this time, ISO 8601')
    .option('--source <prefix>', 'sources that begin with this')
    .option('--person <name>', 'who speaks or is named, repeatable', collect)
    .addOption(command.createOption('--min-trust <level>', 'least trust').choices(TRUST_LEVELS))
}

/** The filter as the library takes it. @throws ProlepsisError INVALID_ARGUMENT */
export function filterOf(
  options: FilterCommandOptions,
): Pick<RecallOptions, 'tags' | 'where' | 'during' | 'asOf' | 'source' | 'minTrust' | 'people'> {
  if (options.tagStrict === true && options.tag === undefined && options.tagAll === undefined)
    throw new ProlepsisError('INVALID_ARGUMENT', '--tag-strict alone leaves nothing out.', {
      hint: 'Give --tag or --tag-all with it.',
    })
  const hasTags = options.tag !== undefined || options.tagAll !== undefined || options.tagNone !== undefined
  const tags = hasTags
    ? defined({ any: options.tag, all: options.tagAll, none: options.tagNone, strict: options.tagStrict })
    : undefined
  const during =
    options.from === undefined && options.to === undefined
      ? undefined
      : defined({ from: options.from, to: options.to })
  const { where, source, minTrust, asOf, person } = options
  return defined({ tags, where, during, asOf, source, minTrust, people: person })
}
