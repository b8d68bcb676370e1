import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { BankStats, DoctorReport, RecallResult } from '../../src/index.ts'
import { runCli, useTestStore } from './run-cli.ts'

const store = useTestStore()

afterEach(() => {
  vi.unstubAllEnvs()
})

async function bankWithNote(): Promise<string> {
  const bank = await store.bank()
  await store.run(['retain', 'Herons eat fish.', '--source', 'heron.md', '--tag', 'birds', '--bank', bank])
  return bank
}

test('forget takes one chunk of a text and says so', async () => {
  const bank = await store.bank()
  const chat = 'Ana: The heron eats fish.\nBen: The stork eats frogs.\n'
  await store.run(['retain', chat, '--source', 'chat', '--media-type', 'text/x-chat', '--bank', bank])
  const forgotten = await store.json(['forget', '--ref', 'chat#1', '--bank', bank])
  expect([forgotten.code, forgotten.json()]).toEqual([0, { documents: 0, chunks: 1 }])
  const left = await store.run(['documents', 'show', 'chat', '--bank', bank])
  expect(left.out).toContain('stork')
  expect(left.out).not.toContain('heron')
})

describe('bank', () => {
  test('create, list, show, config, delete', async () => {
    const made = await store.json([
      'bank',
      'create',
      'vögel'.replace('ö', 'oe'),
      '--language',
      'german',
      '--set',
      'limit=1',
    ])
    expect(made.json()).toMatchObject({ name: 'voegel', language: 'german', settings: { limit: 1 } })
    const list = await store.json(['bank', 'list'])
    expect(list.json<{ banks: { name: string }[] }>().banks.map(({ name }) => name)).toContain('voegel')
    expect((await store.run(['bank', 'list'])).out).toMatch(/voegel +german +\S+ +384/)
    expect((await store.json(['bank', 'show', 'voegel'])).json()).toMatchObject({
      name: 'voegel',
      dimension: 384,
    })
    const changed = await store.json([
      'bank',
      'config',
      'voegel',
      '--set',
      'limit=null',
      '--set',
      'fusion=rrf',
    ])
    expect(changed.json()).toMatchObject({ settings: { fusion: 'rrf' } })
    expect((await store.run(['bank', 'config', 'voegel'])).out).toBe('fusion = "rrf"\n')
    expect((await store.json(['bank', 'delete', 'voegel', '--yes'])).json()).toEqual({
      name: 'voegel',
      deleted: true,
    })
    for (const args of [
      ['show', 'voegel'],
      ['config', 'voegel'],
      ['delete', 'voegel', '--yes'],
    ]) {
      const run = await store.json(['bank', ...args])
      expect([args, run.code, run.errorCode()]).toEqual([args, 3, 'BANK_NOT_FOUND'])
    }
  })

  test('that exists, or has a name or language that cannot be', async () => {
    const bank = await store.bank()
    expect((await store.json(['bank', 'create', bank])).errorCode()).toBe('BANK_EXISTS')
    for (const args of [['a b'], ["x'; drop table banks; --"], ['ok', '--language', 'klingon']]) {
      const run = await store.json(['bank', 'create', ...args])
      expect([args, run.code, run.errorCode()]).toEqual([args, 2, 'INVALID_ARGUMENT'])
    }
  })

  test('that nobody made is not made by a slip of the pen', async () => {
    const bank = await bankWithNote()
    const run = await store.run(['recall', 'herons', '--bank', bank.replace('bank', 'bnak')])
    expect(run.code).toBe(3)
    expect(run.err).toContain(`Did you mean "${bank}"?`)
  })
})

describe('care', () => {
  test('stats count, doctor checks, rebuild-index derives anew', async () => {
    const bank = await bankWithNote()
    expect((await store.json(['stats', '--bank', bank])).json<BankStats>()).toMatchObject({
      bank: { name: bank },
      documents: { current: 1, superseded: 0, deleted: 0 },
      chunks: 1,
    })
    expect((await store.run(['stats', '--bank', bank])).out).toMatch(/documents +1 current, 0 superseded/)
    const rebuilt = await store.json(['rebuild-index', '--bank', bank])
    expect(rebuilt.json()).toEqual({ documents: 1, chunks: 1 })
    expect((await store.run(['rebuild-index', '--reembed', '--bank', bank])).out).toBe(
      'Rebuilt 1 document, 1 chunk.\n',
    )
    const doctor = await store.json(['doctor', '--bank', bank])
    expect(doctor.code).toBe(0)
    expect(doctor.json<DoctorReport>()).toMatchObject({ clean: true })
    expect((await store.run(['doctor', '--mend', '--bank', bank])).out).toMatch(/ok {4}\S+.*\n\nClean\.\n$/s)
  })

  test('export and import bring a bank to another, through a file or a pipe', async () => {
    const bank = await bankWithNote()
    const written = await store.json(['export', 'bank.jsonl', '--bank', bank])
    expect(written.json()).toEqual({ file: join(store.folder, 'bank.jsonl'), lines: 3 })
    expect(await readdir(store.folder)).not.toContain('bank.jsonl.partial')
    const piped = await store.run(['export', '--bank', bank])
    const withoutTime = (text: string): string => text.replace(/"exportedAt":"[^"]*"/, '')
    expect(withoutTime(piped.out)).toBe(withoutTime(await readFile(join(store.folder, 'bank.jsonl'), 'utf8')))
    const [first, second] = [await store.bank(), await store.bank()]
    const imported = await store.json(['import', 'bank.jsonl', '--bank', first])
    expect(imported.json()).toEqual({ documents: 1, unchanged: 0, chunks: 1 })
    const again = await store.run(['import', '-', '--bank', first], { stdin: piped.out })
    expect(again.out).toBe('Imported 0 documents (1 was there already), 0 chunks.\n')
    expect((await store.run(['import', '--bank', second], { stdin: piped.out })).code).toBe(0)
    const found = await store.json(['recall', 'what do herons eat?', '--bank', second])
    expect(found.json<RecallResult>().passages[0]).toMatchObject({
      text: 'Herons eat fish.',
      tags: ['birds'],
    })
  })

  test('an export replaces no file unless it is to, and no link', async () => {
    const bank = await bankWithNote()
    const path = (name: string): string => join(store.folder, name)
    await writeFile(path('taken.jsonl'), 'mine')
    await symlink(path('taken.jsonl'), path('link.jsonl'))
    await symlink(path('nowhere'), path('dangling.jsonl'))
    for (const name of ['taken.jsonl', 'link.jsonl', 'dangling.jsonl', '.']) {
      const run = await store.json(['export', name, '--bank', bank])
      expect([name, run.code, run.errorCode()]).toEqual([name, 2, 'INVALID_ARGUMENT'])
    }
    expect(await readFile(path('taken.jsonl'), 'utf8')).toBe('mine')
    expect((await store.run(['export', 'taken.jsonl', '--bank', bank])).err).toContain('--force')
    expect((await store.json(['export', 'link.jsonl', '--force', '--bank', bank])).json()).toMatchObject({
      lines: 3,
    })
    expect((await readFile(path('taken.jsonl'), 'utf8')).split('\n')).toHaveLength(4)
    expect((await lstat(path('link.jsonl'))).isSymbolicLink()).toBe(true)
    expect((await readdir(store.folder)).filter((name) => name.includes('partial'))).toEqual([])
  })

  test.skipIf(process.platform === 'win32')('named pipes are written and read, and stay pipes', async () => {
    const bank = await bankWithNote()
    execFileSync('mkfifo', [join(store.folder, 'pipe')])
    const copy = await store.bank()
    const [written, read] = await Promise.all([
      store.json(['export', 'pipe', '--bank', bank]),
      store.json(['import', 'pipe', '--bank', copy]),
    ])
    expect([written.code, read.code]).toEqual([0, 0])
    expect(read.json()).toMatchObject({ documents: 1 })
    expect((await lstat(join(store.folder, 'pipe'))).isFIFO()).toBe(true)
  })

  test.skipIf(process.platform === 'win32')(
    'a pipe whose other side never comes lets itself be interrupted',
    async () => {
      const bank = await bankWithNote()
      execFileSync('mkfifo', [join(store.folder, 'silent')])
      for (const args of [
        ['retain', '--file', 'silent'],
        ['retain', '--jsonl', '--file', 'silent'],
        ['import', 'silent'],
        ['export', 'silent'],
      ]) {
        const interrupt = new AbortController()
        const run = store.json([...args, '--bank', bank], { signal: interrupt.signal })
        setImmediate(() => interrupt.abort())
        expect([args, (await run).code]).toEqual([args, 130])
      }
    },
  )

  test('backup and restore copy the whole store', async () => {
    const bank = await bankWithNote()
    const backup = await store.json(['backup', 'memory.tar.gz'])
    expect(backup.json()).toEqual({ file: 'memory.tar.gz', bytes: expect.any(Number) })
    expect((await store.json(['backup', 'memory.tar.gz'])).errorCode()).toBe('INVALID_ARGUMENT')
    const restored = await runCli(['restore', 'memory.tar.gz', '--json', '--data-dir', 'copy'], {
      cwd: store.folder,
    })
    expect(restored.json()).toEqual({ dataDir: join(store.folder, 'copy') })
    const elsewhere = (args: readonly string[]) =>
      runCli([...args, '--data-dir', 'copy'], { cwd: store.folder })
    expect((await elsewhere(['documents', 'show', 'heron.md', '--bank', bank])).out).toBe(
      'Herons eat fish.\n',
    )
    expect((await elsewhere(['restore', 'memory.tar.gz'])).code).toBe(2)
    expect((await elsewhere(['restore', 'no-such.tar.gz'])).code).toBe(3)
  })
})

describe('where data lives', () => {
  test('config prints every setting with its origin, the project’s file and folder among them', async () => {
    const project = join(store.folder, 'project')
    await mkdir(join(project, 'deep'), { recursive: true })
    await writeFile(
      join(project, 'prolepsis.toml'),
      'bank = "mine"\ndatabase_url = "postgresql://u:secret@host/db"\n',
    )
    vi.stubEnv('PROLEPSIS_LANGUAGE', 'german')
    vi.stubEnv('PROLEPSIS_LANGAUGE', 'french')
    vi.stubEnv('PROLEPSIS_DEBUG', '1')
    const run = await runCli(['config', '--json', '--data-dir', 'here'], { cwd: join(project, 'deep') })
    const {
      store: kind,
      settings,
      unknownVariables,
    } = run.json<{
      store: string
      settings: { key: string; value: unknown; origin: string; where: string }[]
      unknownVariables: string[]
    }>()
    const of = (key: string) => settings.find((setting) => setting.key === key)
    expect(kind).toBe('embedded')
    expect(of('data_dir')).toMatchObject({ value: join(project, 'deep', 'here'), origin: 'option' })
    expect(of('language')).toMatchObject({
      value: 'german',
      origin: 'environment',
      where: 'PROLEPSIS_LANGUAGE',
    })
    expect(of('bank')).toMatchObject({
      value: 'mine',
      origin: 'project-file',
      where: join(project, 'prolepsis.toml'),
    })
    expect(of('deadline_ms')).toMatchObject({ value: 60000, origin: 'default' })
    expect(run.out).not.toContain('secret')
    expect(unknownVariables).toEqual(['PROLEPSIS_LANGAUGE'])
    const shown = await runCli(['config'], { cwd: project })
    expect(shown.out).toMatch(/language +german +environment: PROLEPSIS_LANGUAGE/)
    expect(shown.err).toContain('PROLEPSIS_LANGAUGE names no setting')
    expect(shown.err).toMatch(/database_url in .*prolepsis\.toml is passed over/)
    const refused = await runCli(['stats', '--json'], { cwd: project })
    expect(refused.errorCode()).toBe('INVALID_CONFIG')
    expect(refused.out).toBe('')
  })

  test('init makes the folder that commands below it then use', async () => {
    const project = join(store.folder, 'fresh')
    await mkdir(join(project, 'deep'), { recursive: true })
    const made = await runCli(['init', '--json'], { cwd: project })
    expect(made.json()).toMatchObject({ place: join(project, '.prolepsis'), bank: { name: 'default' } })
    expect(await readFile(join(project, '.prolepsis', '.gitignore'), 'utf8')).toBe('*\n')
    const retained = await runCli(['retain', 'Herons eat fish.', '--source', 'heron.md'], {
      cwd: join(project, 'deep'),
    })
    expect(retained).toMatchObject({ code: 0, err: '' })
    const shown = await runCli(['documents', 'show', 'heron.md'], { cwd: project })
    expect(shown).toMatchObject({ code: 0, err: '', out: 'Herons eat fish.\n' })
    // again: an ignore file that is there, ours or not, stays
    await writeFile(join(project, '.prolepsis', '.gitignore'), 'mine\n')
    expect(await runCli(['init'], { cwd: project })).toMatchObject({ code: 0 })
    expect(await readFile(join(project, '.prolepsis', '.gitignore'), 'utf8')).toBe('mine\n')
  })

  test('a setting that cannot be, and a server that does not answer', async () => {
    const broken = join(store.folder, 'broken')
    await mkdir(broken)
    await writeFile(join(broken, 'prolepsis.toml'), 'bnak = "mine"\n')
    const run = await runCli(['stats', '--json'], { cwd: broken })
    expect([run.code, run.errorCode()]).toEqual([2, 'INVALID_CONFIG'])
    const both = await store.json(['stats', '--database-url', 'postgresql://localhost/x'])
    expect([both.code, both.errorCode()]).toEqual([2, 'INVALID_CONFIG'])
    const away = await runCli(['stats', '--json', '--database-url', 'postgresql://u:secret@127.0.0.1:1/x'])
    expect([away.code, away.errorCode()]).toEqual([1, 'STORE_UNREACHABLE'])
    expect(away.err).not.toContain('secret')
  })
})
