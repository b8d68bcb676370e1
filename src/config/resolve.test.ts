import { chmodSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resolveSettings } from './resolve.ts'
import type { SettingName } from './settings.ts'
import type { ConfigContext } from './sources.ts'

let root: string
let context: ConfigContext

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prolepsis-config-'))
  mkdirSync(join(root, 'project', 'deep'), { recursive: true })
  mkdirSync(join(root, 'config'))
  context = contextWith({})
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const contextWith = (env: Record<string, string>): ConfigContext => ({
  cwd: join(root, 'project', 'deep'),
  env,
  userConfigDir: join(root, 'config'),
  userDataDir: join(root, 'data'),
  homeDir: join(root, 'home'),
  user: { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 },
})
const projectFile = (text: string) => writeFileSync(join(root, 'project', 'prolepsis.toml'), text)
const userFile = (text: string) => writeFileSync(join(root, 'config', 'prolepsis.toml'), text)
const origin = (resolved: ReturnType<typeof resolveSettings>, name: SettingName) =>
  resolved.values.find((value) => value.name === name)!.origin.kind

describe('precedence', () => {
  test('without any source every setting has its default', () => {
    const resolved = resolveSettings({}, context)
    expect(resolved.settings).toMatchObject({ bank: 'default', language: 'english', deadlineMs: 60_000 })
    expect(resolved.location).toEqual({ dataDir: join(root, 'data', 'store') })
    expect(new Set(resolved.values.map((value) => value.origin.kind))).toEqual(new Set(['default']))
  })

  test('option beats environment beats project file beats user file', () => {
    userFile('bank = "u"\nlanguage = "german"\ndeadline_ms = 1\nruntime = "wasm"')
    projectFile('bank = "p"\nlanguage = "french"\ndeadline_ms = 2')
    const env = { PROLEPSIS_BANK: 'e', PROLEPSIS_LANGUAGE: 'dutch', PROLEPSIS_RUNTIME: ' ' }
    const resolved = resolveSettings({ bank: 'o' }, contextWith(env))
    expect(resolved.settings).toMatchObject({ bank: 'o', language: 'dutch', deadlineMs: 2, runtime: 'wasm' })
    expect(origin(resolved, 'bank')).toBe('option')
    expect(origin(resolved, 'language')).toBe('environment')
    expect(origin(resolved, 'deadlineMs')).toBe('project-file')
    expect(origin(resolved, 'runtime')).toBe('user-file')
  })

  test('variables are read as numbers and booleans', () => {
    const env = { PROLEPSIS_DEADLINE_MS: '1500', PROLEPSIS_READ_ONLY: 'yes', PROLEPSIS_CREATE_BANKS: '0' }
    expect(resolveSettings({}, contextWith(env)).settings).toMatchObject({
      deadlineMs: 1500,
      readOnly: true,
      createBanks: false,
    })
  })
})

describe('where data lives', () => {
  test('a .prolepsis folder above beats the user folder and yields to the project file and the environment', () => {
    userFile(`data_dir = "mine"`)
    expect(resolveSettings({}, context).location).toEqual({ dataDir: join(root, 'config', 'mine') })
    mkdirSync(join(root, 'project', '.prolepsis'))
    expect(resolveSettings({}, context).location).toEqual({ dataDir: join(root, 'project', '.prolepsis') })
    projectFile('data_dir = "here"')
    expect(resolveSettings({}, context).location).toEqual({ dataDir: join(root, 'project', 'here') })
    const env = contextWith({ PROLEPSIS_DATA_DIR: '../env' })
    expect(resolveSettings({}, env).location).toEqual({ dataDir: join(root, 'project', 'env') })
    expect(resolveSettings({ dataDir: 'opt' }, env).location).toEqual({
      dataDir: join(root, 'project', 'deep', 'opt'),
    })
  })

  test('a database URL selects a server unless a folder was named more explicitly', () => {
    const env = contextWith({ PROLEPSIS_DATABASE_URL: 'postgresql://h/d', PROLEPSIS_DATA_DIR: 'x' })
    expect(resolveSettings({}, env).location).toEqual({ databaseUrl: 'postgresql://h/d' })
    expect(resolveSettings({ dataDir: 'x' }, env).location).toHaveProperty('dataDir')
    expect(() => resolveSettings({ dataDir: 'x', databaseUrl: 'postgresql://h/d' }, env)).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
  })
})

describe('refusals', () => {
  const refused = (act: () => unknown, message: RegExp, hint?: string) => {
    expect(act).toThrowError(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    expect(act).toThrowError(message)
    if (hint !== undefined) expect(act).toThrowError(expect.objectContaining({ hint }))
  }

  test('an unknown key names the nearest known one', () => {
    projectFile('databse_url = "postgresql://h/d"')
    refused(
      () => resolveSettings({}, context),
      /Unknown setting "databse_url"/,
      'Did you mean "database_url"?',
    )
  })

  test('broken TOML names file, line and column', () => {
    projectFile('bank = "a"\nlanguage = = 3')
    refused(() => resolveSettings({}, context), /prolepsis\.toml:2:/)
  })

  test('a value of the wrong kind names its origin', () => {
    projectFile('deadline_ms = -5')
    refused(() => resolveSettings({}, context), /deadline_ms \(.*prolepsis\.toml\) must be above 0; it is -5/)
    const env = contextWith({ PROLEPSIS_DEADLINE_MS: 'soon' })
    refused(() => resolveSettings({}, env), /PROLEPSIS_DEADLINE_MS/)
    refused(() => resolveSettings({ bank: "a'; drop table banks" }, context), /option bank must be 1 to 63/)
  })
})

test('secrets never appear among the shown values', () => {
  const env = contextWith({
    PROLEPSIS_DATABASE_URL: 'postgresql://me:pa%20ss@host:5432/db?sslpassword=hush&x=1',
  })
  const resolved = resolveSettings({}, env)
  const text = JSON.stringify(resolved.values.map((value) => [value.name, value.shown]))
  expect(text).toContain('postgresql://me:***@host:5432/db?sslpassword=***&x=1')
  expect(text).not.toMatch(/pa%20ss|hush/)
})

test('an address of an API takes no key, and none is repeated', () => {
  const read = (modelBaseUrl: string) => resolveSettings({ modelBaseUrl }, context)
  for (const address of [
    'https://user:pass@api.example/v1',
    'https://token@api.example/v1',
    'https://api.example/v1?key=abc',
  ]) {
    const refused = (): unknown => read(address)
    expect(refused).toThrow(/without user name, password.*\*\*\*/)
    expect(refused).not.toThrow(/pass@|token@|abc/)
  }
})

test('variables that name no setting are listed', () => {
  expect(resolveSettings({}, contextWith({ PROLEPSIS_BNAK: 'a', PATH: '' })).unknownVariables).toEqual([
    'PROLEPSIS_BNAK',
  ])
})

describe('what a project may decide', () => {
  const stranger = { uid: 4_000_001, gid: 4_000_001 }
  const paths = (resolved: ReturnType<typeof resolveSettings>) =>
    resolved.passedOver.map(({ path, key, reason }) => [path.slice(root.length + 1), key, reason])

  test('a file or folder that others may write to is passed over, and the search goes on', () => {
    projectFile('bank = "p"')
    const near = join(root, 'project', 'deep', 'prolepsis.toml')
    writeFileSync(near, 'bank = "near"')
    mkdirSync(join(root, 'project', '.prolepsis'))
    chmodSync(join(root, 'project', '.prolepsis'), 0o777)
    expect(resolveSettings({}, context).settings.bank).toBe('near')
    chmodSync(near, 0o666)
    const resolved = resolveSettings({}, context)
    expect(resolved.settings.bank).toBe('p')
    expect(origin(resolved, 'dataDir')).toBe('default')
    expect(paths(resolved)).toEqual([
      ['project/deep/prolepsis.toml', null, 'other users may write to it'],
      ['project/.prolepsis', null, 'other users may write to it'],
    ])
  })

  test.runIf(process.geteuid?.() === 0)('those of root count for everybody', () => {
    projectFile('bank = "p"')
    expect(resolveSettings({}, { ...context, user: stranger }).settings.bank).toBe('p')
  })

  test.runIf(process.geteuid?.() !== undefined)(
    'those of another user, and links that another user made, do not',
    () => {
      projectFile('bank = "p"')
      const path = join(root, 'project', 'prolepsis.toml')
      const asOther = (): ReturnType<typeof resolveSettings> => {
        if (process.geteuid?.() !== 0) return resolveSettings({}, { ...context, user: stranger })
        lchownSync(path, stranger.uid, stranger.gid)
        return resolveSettings({}, context)
      }
      expect(paths(asOther())).toEqual([['project/prolepsis.toml', null, 'it belongs to another user']])
      rmSync(path)
      writeFileSync(join(root, 'target.toml'), 'bank = "t"')
      symlinkSync(join(root, 'target.toml'), path)
      expect(resolveSettings({}, context).settings.bank).toBe('t')
      expect(asOther().settings.bank).toBe('default')
    },
  )

  test('the search ends with the home folder', () => {
    writeFileSync(join(root, 'prolepsis.toml'), 'bank = "above"')
    expect(resolveSettings({}, context).settings.bank).toBe('above')
    expect(resolveSettings({}, { ...context, homeDir: join(root, 'project') }).settings.bank).toBe('default')
    projectFile('bank = "home"')
    expect(resolveSettings({}, { ...context, homeDir: join(root, 'project') }).settings.bank).toBe('home')
  })

  test("it decides neither on the server nor on the model; the user's own file does", () => {
    const lines = 'bank = "p"\ndatabase_url = "postgresql://u:p@evil/d"\nmodel_dir = "models"'
    projectFile(lines)
    const resolved = resolveSettings({}, context)
    expect(resolved.settings).toMatchObject({ bank: 'p', databaseUrl: null, modelDir: null })
    expect(resolved.passedOver.map(({ key, decides }) => [key, decides])).toEqual([
      ['database_url', true],
      ['model_dir', true],
    ])
    const given = resolveSettings({ dataDir: 'x', modelDir: 'y' }, context)
    expect(given.passedOver.map(({ decides }) => decides)).toEqual([false, false])
    userFile(lines)
    expect(resolveSettings({}, contextWith({})).location).toHaveProperty('databaseUrl')
    expect(resolveSettings({}, { ...context, cwd: join(root, 'config') }).passedOver).toEqual([])
  })
})
