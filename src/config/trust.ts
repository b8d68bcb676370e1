import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { SettingName } from './settings.ts'

/** Who asks; null where files have no owners (Windows). */
export interface FileUser {
  readonly uid: number
  readonly gid: number
}

/** A file, folder or key that was found and is not obeyed. */
export interface PassedOver {
  readonly path: string
  /** Key of the setting, or null when nothing of `path` counts. */
  readonly key: string | null
  readonly reason: string
  /** It would have decided: to work on without it may be to work on something else. */
  readonly decides: boolean
}

/** Where text goes, what runs and what may be spent: a project's file, which comes with a clone, does not decide on them. */
export const OWN_SETTINGS: ReadonlySet<SettingName> = new Set([
  ...(['databaseUrl', 'modelDir'] as const),
  ...(['model', 'modelBaseUrl', 'embedder', 'embedderBaseUrl', 'reranker'] as const),
  ...(['dayTokens', 'dayCostUsd', 'documentTokens', 'documentCostUsd', 'inputPrice', 'outputPrice'] as const),
])

interface Found {
  readonly path: string | null
  readonly passedOver: readonly PassedOver[]
}

/**
 * The nearest file or folder of that name in `from` or a folder above it that the user can trust. The search ends with the home folder
 * and with the file system.
 */
export function findAbove(
  from: string,
  name: string,
  kind: 'file' | 'folder',
  bounds: { readonly homeDir: string; readonly user: FileUser | null },
): Found {
  const passedOver: PassedOver[] = []
  const start = resolve(from)
  const device = statSync(start, { throwIfNoEntry: false })?.dev
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, name)
    const found = statOf(path)
    if (found !== undefined && (kind === 'file' ? found.isFile() : found.isDirectory())) {
      const reason = bounds.user === null ? null : distrust(path, found, bounds.user)
      if (reason === null) return { path, passedOver }
      passedOver.push({ path, key: null, reason, decides: false })
    }
    const above = dirname(folder)
    const ends = above === folder || relative(folder, resolve(bounds.homeDir)) === ''
    if (ends || (device !== undefined && statOf(above)?.dev !== device)) return { path: null, passedOver }
  }
}

/** Undefined when it is not there, or cannot be looked at. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // a folder above that may not be entered, a link loop: nothing that could be read either
    return undefined
  }
}

/** Why another user may have written it; null when only this user or the administrator can have. */
function distrust(path: string, found: Stats, user: FileUser): string | null {
  // a link is as good as who made it
  const owners = [found.uid, lstatSync(path).uid]
  if (owners.some((owner) => owner !== user.uid && owner !== 0)) return 'it belongs to another user'
  // a group of the user's own is the user
  const others = (found.mode & 0o002) !== 0 || ((found.mode & 0o020) !== 0 && found.gid !== user.gid)
  return others ? 'other users may write to it' : null
}
