import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import envPaths from 'env-paths'
import { parse, TomlError } from 'smol-toml'
import { ProlepsisError } from '../domain/errors.ts'
import { didYouMean } from '../domain/nearest-name.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts'
import { type FileUser, findAbove, type PassedOver } from './trust.ts'

/** The machine as configuration sees it; tests pass another. */
export interface ConfigContext {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's folders for settings and for data (XDG, macOS, Windows). */
  readonly userConfigDir: string
  readonly userDataDir: string
  /** Nothing above it is looked at. */
  readonly homeDir: string
  /** Null where files have no owners. */
  readonly user: FileUser | null
}

const CONFIG_FILE = 'prolepsis.toml'
export const PROJECT_FOLDER = '.prolepsis'

/** The only reader of the process's environment. */
export function processContext(cwd: string = process.cwd()): ConfigContext {
  const folders = envPaths('prolepsis', { suffix: '' })
  const uid = process.geteuid?.()
  const gid = process.getegid?.()
  return {
    ...{ cwd, env: process.env, userConfigDir: folders.config, userDataDir: folders.data },
    homeDir: homedir(),
    user: uid === undefined || gid === undefined ? null : { uid, gid },
  }
}

/** Settings in a TOML file by their names; paths in it are relative to its folder. @throws INVALID_CONFIG */
export function readConfigFile(path: string): Partial<Record<SettingName, unknown>> {
  const table = parseToml(path)
  const values: Partial<Record<SettingName, unknown>> = {}
  for (const [key, value] of Object.entries(table)) {
    const name = SETTING_NAMES.find((candidate) => SETTINGS[candidate].key === key)
    if (name === undefined) throw unknownKey(path, key)
    const isPath = SETTINGS[name].type === 'path' && typeof value === 'string'
    values[name] = isPath ? resolve(dirname(path), value) : value
  }
  return values
}

/** The project's file above `cwd`, and the user's, those that exist and are trusted. One that is both is the user's. */
export function configFiles(context: ConfigContext): {
  readonly project: string | null
  readonly user: string | null
  readonly passedOver: readonly PassedOver[]
} {
  const { path: project, passedOver } = findAbove(context.cwd, CONFIG_FILE, 'file', context)
  const user = join(context.userConfigDir, CONFIG_FILE)
  return {
    project: project === user ? null : project,
    user: existsSync(user) ? user : null,
    passedOver,
  }
}

function parseToml(path: string): Record<string, unknown> {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const where = error instanceof TomlError ? `${path}:${error.line}:${error.column}` : path
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new ProlepsisError('INVALID_CONFIG', `${where} cannot be read as TOML: ${reason}`, {
      hint: 'Correct the file, or remove it to work with defaults.',
      cause: error,
      details: { path },
    })
  }
}

function unknownKey(path: string, key: string): ProlepsisError {
  const known = SETTING_NAMES.map((name) => SETTINGS[name].key)
  return new ProlepsisError('INVALID_CONFIG', `Unknown setting "${key}" in ${path}.`, {
    hint: didYouMean(key, known, `Known settings: ${known.join(', ')}.`),
    details: { path, key },
  })
}
