import { type Command, Option } from 'commander'
import type { IndexOptions, Trust } from '../../index.ts'
import { TRUST_LEVELS } from '../schema/names.ts'
import { byteSize, collect, defined, keyValue } from './options.ts'

/** How the files of a folder are chosen, and what their documents are given. */
export interface FolderOptions {
  readonly prefix?: string
  readonly tag?: readonly string[]
  readonly meta?: Readonly<Record<string, unknown>>
  readonly ignore?: readonly string[]
  readonly maxBytes?: number
  readonly gitignore: boolean
  readonly followLinks?: boolean
  readonly hidden?: boolean
  readonly adopt?: boolean
  readonly prune?: false | 'force'
  readonly trust?: Trust
}

export function folderOptions(command: Command): Command {
  return command
    .option('--prefix <prefix>', 'put before each path to make its source')
    .option('--tag <tag>', 'tag for every file, repeatable', collect)
    .option('--meta <key=value>', 'metadata for every file, repeatable', keyValue)
    .option('--ignore <pattern>', 'leave out, .gitignore syntax, repeatable', collect)
    .option('--max-bytes <size>', 'largest file', byteSize)
    .option('--no-gitignore', 'take files that .gitignore names too')
    .option('--hidden', 'take files and folders that begin with a dot too')
    .option('--adopt', 'take over sources that another folder has, after the folder was moved')
    .option('--follow-links', 'follow links to files and folders, out of the folder too')
    .addOption(
      new Option(
        '--prune <how>',
        'delete documents whose file is gone even when nearly all are gone',
      ).choices(['force']),
    )
    .option('--no-prune', 'keep documents whose file is gone')
    .addOption(new Option('--trust <level>', 'how far the files are to be believed').choices(TRUST_LEVELS))
}

export function folderOptionsOf(options: FolderOptions): IndexOptions {
  return {
    ...defined({
      sourcePrefix: options.prefix,
      tags: options.tag,
      metadata: options.meta,
      ignore: options.ignore,
      maxBytes: options.maxBytes,
      trust: options.trust,
      followLinks: options.followLinks,
      hidden: options.hidden,
      adopt: options.adopt,
      prune: options.prune,
    }),
    gitignore: options.gitignore,
  }
}
