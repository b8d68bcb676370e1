import { join, resolve } from 'node:path'
import { ProlepsisError } from '../domain/errors.ts'
import { OWN_KEY_VARIABLES } from './provider-keys.ts'
import { redactUrl } from './redact.ts'
import { environmentName, SETTING_NAMES, SETTINGS, type SettingName, type Settings } from './settings.ts'
import { type ConfigContext, configFiles, PROJECT_FOLDER, processContext, readConfigFile } from './sources.ts'
import { DEBUG_VARIABLE } from './terminal.ts'
import { findAbove, OWN_SETTINGS, type PassedOver } from './trust.ts'

/** Where a value came from, strongest first. `where` is the option, the variable, the file or the folder. */
export interface Origin {
  readonly kind: 'option' | 'environment' | 'project-file' | 'project-folder' | 'user-file' | 'default'
  readonly where: string
}

export interface ResolvedSetting {
  readonly name: SettingName
  /** Key in `prolepsis.toml`. */
  readonly key: string
  readonly value: Settings[SettingName]
  /** The value without secrets, as it may be shown. */
  readonly shown: string | number | boolean | null
  readonly origin: Origin
}

export interface ResolvedSettings {
  readonly settings: Settings
  /** A server when `databaseUrl` was given at least as explicitly as `dataDir`, else the embedded store. */
  readonly location: { readonly databaseUrl: string } | { readonly dataDir: string }
  /** Every setting with its origin, for `prolepsis config`. */
  readonly values: readonly ResolvedSetting[]
  /** `PROLEPSIS_` variables that name no setting. */
  readonly unknownVariables: readonly string[]
  /** What was found and is not obeyed, and why. */
  readonly passedOver: readonly PassedOver[]
}

const STRENGTH: readonly Origin['kind'][] = [
  'default',
  'user-file',
  'project-folder',
  'project-file',
  'environment',
  'option',
]

/**
 * Settings by precedence: option > environment `PROLEPSIS_…` > `prolepsis.toml` here or above > the user's
 * configuration folder > default. A project's file or folder counts only when no other user can have written it, and decides neither on
 * `databaseUrl` nor on `modelDir` (docs/decisions/0007-configuration-trust.md): `passedOver` says what was left out. An option that is undefined does not count; an empty variable neither.
 *
 * @throws ProlepsisError INVALID_CONFIG naming the value, its origin and what it must be
 */
export function resolveSettings(
  options: Partial<Settings> = {},
  context: ConfigContext = processContext(),
): ResolvedSettings {
  const files = configFiles(context)
  const project = files.project === null ? {} : readConfigFile(files.project)
  const user = files.user === null ? {} : readConfigFile(files.user)

  const folder = findAbove(context.cwd, PROJECT_FOLDER, 'folder', context)
  const values = SETTING_NAMES.map((name): ResolvedSetting => {
    const candidates: readonly (readonly [Origin['kind'], string, unknown])[] = [
      ['option', name, fromOption(name, options[name], context)],
      ['environment', environmentName(name), fromEnvironment(name, context)],
      ['project-file', files.project ?? '', OWN_SETTINGS.has(name) ? undefined : project[name]],
      ['project-folder', folder.path ?? '', name === 'dataDir' ? (folder.path ?? undefined) : undefined],
      ['user-file', files.user ?? '', user[name]],
      [
        'default',
        'default',
        name === 'dataDir' ? join(context.userDataDir, 'store') : SETTINGS[name].default,
      ],
    ]
    const [kind, where, raw] = candidates.find(([, , value]) => value !== undefined)!
    const value = checked(name, raw, { kind, where })
    return { name, key: SETTINGS[name].key, value, shown: shown(name, value), origin: { kind, where } }
  })

  const entries = values.map(({ name, value }) => [name, value])
  // every name of Settings is there, each checked by its own schema
  const settings = Object.freeze(Object.fromEntries(entries)) as unknown as Settings
  return {
    ...{ settings, location: locate(values, settings), values },
    unknownVariables: unknownVariables(context),
    passedOver: [
      ...files.passedOver,
      ...folder.passedOver,
      ...refusedKeys(files.project ?? '', project, values),
    ],
  }
}

function fromOption(name: SettingName, value: unknown, context: ConfigContext): unknown {
  return SETTINGS[name].type === 'path' && typeof value === 'string' && value !== ''
    ? resolve(context.cwd, value)
    : value
}

function fromEnvironment(name: SettingName, context: ConfigContext): unknown {
  const text = context.env[environmentName(name)]
  if (text === undefined || text.trim() === '') return undefined
  const { type } = SETTINGS[name]
  if (type === 'path') return resolve(context.cwd, text)
  if (type === 'number') return Number(text)
  if (type === 'boolean') return readBoolean(text)
  return text
}

function readBoolean(text: string): unknown {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  return /^(0|false|no|off)$/i.test(text) ? false : text
}

/** The keys of a project's file that it may not decide on. */
function refusedKeys(
  path: string,
  project: Partial<Record<SettingName, unknown>>,
  values: readonly ResolvedSetting[],
): readonly PassedOver[] {
  const isGiven = (name: SettingName): boolean =>
    values.some(
      (value) =>
        value.name === name && (value.origin.kind === 'option' || value.origin.kind === 'environment'),
    )
  return [...OWN_SETTINGS]
    .filter((name) => project[name] !== undefined)
    .map((name) => ({
      path,
      key: SETTINGS[name].key,
      reason: 'a project’s file does not decide on it',
      decides: !isGiven(name) && !(name === 'databaseUrl' && isGiven('dataDir')),
    }))
}

function checked(name: SettingName, value: unknown, origin: Origin): Settings[SettingName] {
  if (value === null) return null
  const result = SETTINGS[name].schema.safeParse(value)
  // the schema in the table is of this setting's type
  if (result.success) return result.data as Settings[SettingName]
  const where = origin.kind === 'option' ? `option ${name}` : `${SETTINGS[name].key} (${origin.where})`
  const reason = result.error.issues[0]?.message ?? 'is not valid'
  throw new ProlepsisError('INVALID_CONFIG', `The ${where} ${reason}; it is ${String(shown(name, value))}.`, {
    hint: SETTINGS[name].meaning,
    details: { setting: name, origin },
  })
}

function shown(name: SettingName, value: unknown): string | number | boolean | null {
  const isAddress = name === 'databaseUrl' || name === 'modelBaseUrl' || name === 'embedderBaseUrl'
  if (isAddress && typeof value === 'string') return redactUrl(value)
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : String(value)
}

function locate(values: readonly ResolvedSetting[], settings: Settings): ResolvedSettings['location'] {
  if (settings.databaseUrl === null) return { dataDir: settings.dataDir }
  const kindOf = (name: SettingName): Origin['kind'] =>
    values.find((value) => value.name === name)!.origin.kind
  const [folder, server] = [kindOf('dataDir'), kindOf('databaseUrl')]
  if (folder === 'option' && server === 'option') {
    throw new ProlepsisError('INVALID_CONFIG', 'Both a data folder and a database URL were given.', {
      hint: 'Give dataDir for the embedded store or databaseUrl for a server, not both.',
    })
  }
  return STRENGTH.indexOf(server) >= STRENGTH.indexOf(folder)
    ? { databaseUrl: settings.databaseUrl }
    : { dataDir: settings.dataDir }
}

function unknownVariables(context: ConfigContext): readonly string[] {
  const known = new Set([
    ...SETTING_NAMES.map(environmentName),
    DEBUG_VARIABLE,
    ...Object.values(OWN_KEY_VARIABLES),
  ])
  return Object.keys(context.env).filter((name) => name.startsWith('PROLEPSIS_') && !known.has(name))
}
