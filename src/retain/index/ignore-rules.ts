import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { errorCodeOf } from '../../domain/error-code.ts'

/** What editors, office programs and browsers keep beside a file while it is open or on its way, and what file systems leave of deleted ones. */
const TEMPORARY_FILES: readonly string[] = [
  ...[
    '*.sw[j-p]',
    '*~',
    '\\#*#',
    '.#*',
    '4913',
    '.~lock.*#',
    '~$*',
    '*.kate-swp',
    '*___jb_tmp___',
    '*___jb_old___',
  ],
  ...['*.tmp', '*.part', '*.partial', '*.crdownload', '*.goutputstream-*', '.nfs*', '.fuse_hidden*'],
]

/** Never worth reading; a `!` rule in an ignore file can bring them back. */
const DEFAULT_IGNORES: readonly string[] = ['.git', 'node_modules', '.prolepsis', ...TEMPORARY_FILES]

/** Ignore files by name; in one folder the later one has the last word. */
const IGNORE_FILES = ['.gitignore', '.prolepsisignore'] as const

interface Layer {
  readonly base: string
  readonly rules: Ignore
}

/** The rules that hold in a folder: those of the folders above, the folder's own, then the caller's. */
export interface IgnoreRules {
  /** Whether a path below is left out; a folder that is left out is never entered. */
  ignores(path: string, isFolder: boolean): boolean
  /** Whether a `!` rule has the last word about it: a hidden file that is wanted. */
  bringsBack(path: string, isFolder: boolean): boolean
  /** The rules inside a folder below: these and its own ignore files. */
  enter(folder: string): Promise<IgnoreRules>
}

export interface IgnoreOptions {
  /** Heed .gitignore, .prolepsisignore and .git/info/exclude. */
  readonly gitignore: boolean
  /** The caller's patterns, relative to the root; they have the last word. */
  readonly patterns: readonly string[]
}

/**
 * Rules at the root of a walk. As in git, ignore files of the folders above count too, up to the folder that holds `.git`.
 */
export async function rulesAt(root: string, options: IgnoreOptions): Promise<IgnoreRules> {
  const layers: Layer[] = []
  for (const folder of options.gitignore ? await foldersToRepository(root) : [root]) {
    const texts = options.gitignore ? await textsIn(folder, ['.git/info/exclude', ...IGNORE_FILES]) : []
    const patterns = folder === root ? options.patterns : []
    layers.push({
      base: folder,
      rules: matcher().add([...DEFAULT_IGNORES, ...texts.flatMap(linesOf), ...patterns]),
    })
  }
  // once more at the end, over the ignore files of folders below
  const last: Layer = { base: root, rules: matcher().add([...options.patterns]) }
  return rulesOf(layers, last, options.gitignore)
}

function rulesOf(layers: readonly Layer[], ofCaller: Layer, heedFiles: boolean): IgnoreRules {
  const verdict = (path: string, isFolder: boolean): 'ignored' | 'brought back' | null => {
    let last: 'ignored' | 'brought back' | null = null
    for (const { base, rules } of [...layers, ofCaller]) {
      const below = relative(base, path).split(sep).join('/')
      const parent = below.lastIndexOf('/')
      // the walk came in here because a later layer brought the folder back: this one has no more to say
      if (parent > 0 && rules.ignores(below.slice(0, parent + 1))) continue
      const result = rules.test(isFolder ? `${below}/` : below)
      if (result.ignored) last = 'ignored'
      else if (result.unignored) last = 'brought back'
    }
    return last
  }
  return {
    ignores: (path, isFolder) => verdict(path, isFolder) === 'ignored',
    bringsBack: (path, isFolder) => verdict(path, isFolder) === 'brought back',
    async enter(folder) {
      const texts = heedFiles ? await textsIn(folder, IGNORE_FILES) : []
      if (texts.length === 0) return this
      return rulesOf(
        [...layers, { base: folder, rules: matcher().add(texts.flatMap(linesOf)) }],
        ofCaller,
        heedFiles,
      )
    },
  }
}

// git's own matching minds letter case only where the file system does
const matcher = (): Ignore => ignore({ ignorecase: process.platform !== 'linux' })

const linesOf = (text: string): string[] => text.split(/\r?\n/)

async function textsIn(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(names.map((name) => textIfAny(join(folder, name))))
  return texts.filter((text) => text !== null)
}

/** From the folder that holds `.git` down to `root`; only `root` when it is in no repository. */
async function foldersToRepository(root: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (let folder = root; ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (await exists(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) return [root]
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(['ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES', 'ELOOP'])

async function textIfAny(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = errorCodeOf(error)
    // a folder named .gitignore, or none, says nothing; an unreadable one or a loop of links neither, as in git
    if (typeof code === 'string' && SAYS_NOTHING.has(code)) return null
    throw error
  }
}
