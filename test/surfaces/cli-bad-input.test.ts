import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { RecallResult } from '../../src/index.ts'
import { type Run, type RunOptions, runCli, useTestStore } from './run-cli.ts'

const store = useTestStore()
const HOSTILE = `100% '"-: \\ $1 %s _ ; drop table chunks; -- <b>&amp;</b> {"a":1} \${x} ../..`

/** Code of the error and exit code, and that nothing but a clear message came. */
async function outcome(
  args: readonly string[],
  options?: RunOptions,
): Promise<readonly [number, string | null]> {
  const run = await store.json(args, options)
  expect(run.err).not.toMatch(/\n {4}at /)
  expect(run.err).not.toContain('UNEXPECTED')
  return [run.code, run.code === 0 ? null : run.errorCode()]
}

describe('text that cannot be kept', () => {
  test('is refused with a code', async () => {
    const bank = await store.bank()
    const retain = (text: string | Uint8Array) => outcome(['retain', '-', '--bank', bank], { stdin: text })
    expect(await retain('')).toEqual([2, 'EMPTY_TEXT'])
    expect(await retain(' \n\t ')).toEqual([2, 'EMPTY_TEXT'])
    expect(await retain('\u200b\u2060\n')).toEqual([2, 'EMPTY_TEXT'])
    expect(await outcome(['recall', '\u200b', '--bank', bank])).toEqual([2, 'EMPTY_TEXT'])
    expect(await retain('a\u0000b')).toEqual([1, 'INVALID_TEXT'])
    expect(await retain(new Uint8Array([0x61, 0xc3, 0x28]))).toEqual([1, 'INVALID_TEXT'])
    expect(await outcome(['retain', 'lone \ud800 half', '--bank', bank])).toEqual([1, 'INVALID_TEXT'])
    expect(await outcome(['retain', '', '--bank', bank])).toEqual([2, 'EMPTY_TEXT'])
    expect((await store.json(['documents', 'list', '--bank', bank])).json()).toEqual({ documents: [] })
  })

  test('is refused in every other field too', async () => {
    const bank = await store.bank()
    for (const option of ['--source', '--title', '--tag', '--question', '--media-type', '--occurred-at']) {
      const [code, error] = await outcome(['retain', 'x', option, 'a\u0000b', '--bank', bank])
      expect([option, code > 0, error]).toEqual([
        option,
        true,
        expect.stringMatching(/^(INVALID|UNSUPPORTED)_/),
      ])
    }
    const lines = '{"content":"fine"}\nnot json\n'
    expect(await outcome(['retain', '--jsonl', '--bank', bank], { stdin: lines })).toEqual([
      2,
      'INVALID_ARGUMENT',
    ])
    expect(await outcome(['retain', '--jsonl', '--bank', bank], { stdin: '{"text":"x"}' })).toEqual([
      2,
      'INVALID_ARGUMENT',
    ])
    expect(await outcome(['retain', '--jsonl', '--bank', bank], { stdin: new Uint8Array([0xff]) })).toEqual([
      1,
      'INVALID_TEXT',
    ])
  })
})

describe('a bad line among JSON lines', () => {
  const lines = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => JSON.stringify({ content: `Note ${at}.`, source: `b/${at}` }))

  test.each([
    ['not json', 'INVALID_ARGUMENT', /Line 71 is not JSON/],
    ['{"text":"x"}', 'INVALID_ARGUMENT', /Line 71 has no .*content/],
  ])('%s: what came before it is kept, and the number told is true', async (bad, code, message) => {
    const bank = await store.bank()
    const stdin = [...lines(70), bad, '{"content":"after","source":"after"}'].join('\n')
    const run = await store.json(['retain', '--jsonl', '--bank', bank], { stdin })
    expect([run.code, run.errorCode()]).toEqual([2, code])
    expect(run.err).toMatch(message)
    expect(run.err).toContain('70 items before it were retained.')
    expect(run.out.trim().split('\n')).toHaveLength(70)
    const stats = await store.json(['stats', '--bank', bank])
    expect(stats.json()).toMatchObject({ documents: { current: 70 } })
  })

  test('at the start: nothing was retained, and that is told', async () => {
    const run = await store.run(['retain', '--jsonl', '--bank', await store.bank()], { stdin: 'x' })
    expect(run.err).toContain('Nothing was retained.')
  })
})

describe('files', () => {
  test('that are missing, loops, folders, binary or forbidden', async () => {
    const bank = await store.bank()
    const path = (name: string): string => join(store.folder, name)
    await symlink('loop', path('loop'))
    await mkdir(path('folder'))
    await writeFile(
      path('binary.dat'),
      new Uint8Array(2000).map((_, i) => (i * 7) % 256),
    )
    await writeFile(path('broken.txt'), new Uint8Array([0x61, 0xff, 0xfe, 0x62]))
    const retain = (file: string) => outcome(['retain', '--file', file, '--bank', bank])
    expect(await retain('no-such.md')).toEqual([3, 'NOT_FOUND'])
    expect(await retain('loop')).toEqual([1, 'UNREADABLE_FILE'])
    expect(await retain('folder')).toEqual([2, 'INVALID_ARGUMENT'])
    expect(await retain('binary.dat')).toEqual([
      1,
      expect.stringMatching(/^(UNSUPPORTED_MEDIA|INVALID_TEXT)$/),
    ])
    expect(await retain('broken.txt')).toEqual([1, 'INVALID_TEXT'])
    expect(await retain(`${'x'.repeat(5000)}`)).toEqual([2, 'INVALID_ARGUMENT'])
    expect(await retain('nul\u0000byte')).toEqual([2, 'INVALID_ARGUMENT'])
    expect(await outcome(['retain', 'text', '--file', 'broken.txt', '--bank', bank])).toEqual([
      2,
      'INVALID_ARGUMENT',
    ])
    expect(await outcome(['index', 'no-such', '--bank', bank])).toEqual([3, 'NOT_FOUND'])
    expect((await outcome(['index', 'loop', '--bank', bank]))[1]).toMatch(/^(NOT_FOUND|UNREADABLE_FILE)$/)
    expect(await outcome(['import', 'no-such.jsonl', '--bank', bank])).toEqual([3, 'NOT_FOUND'])
    expect(await outcome(['import', 'broken.txt', '--bank', bank])).toEqual([1, 'INVALID_TEXT'])
    expect(await outcome(['import', '--bank', bank], { stdin: '{"type":"other"}' })).toEqual([
      1,
      'IMPORT_INVALID',
    ])
    expect(await outcome(['recall', 'x', '--history', 'no-such', '--bank', bank])).toEqual([3, 'NOT_FOUND'])
    expect(await outcome(['recall', 'x', '--history', 'folder', '--bank', bank])).toEqual([
      2,
      'INVALID_ARGUMENT',
    ])
    expect((await outcome(['export', 'no/such/folder.jsonl', '--bank', bank]))[0]).toBe(3)
    expect((await outcome(['backup', 'no/such/folder.tar.gz']))[0]).toBe(3)
  })

  test('a data folder that is a file', async () => {
    await writeFile(join(store.folder, 'plain'), 'x')
    for (const command of [['stats'], ['init']]) {
      const run = await runCli([...command, '--json', '--data-dir', 'plain'], { cwd: store.folder })
      expect([run.code > 0, run.errorCode()]).toEqual([
        true,
        expect.stringMatching(/^(INVALID_ARGUMENT|STORE_)/),
      ])
    }
  })
})

describe('settings of the environment', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test('hold for texts and for the model', async () => {
    const bank = await store.bank()
    vi.stubEnv('PROLEPSIS_MAX_TEXT_BYTES', '100')
    const large = await outcome(['retain', '-', '--bank', bank], { stdin: 'x'.repeat(101) })
    expect(large).toEqual([1, 'TEXT_TOO_LARGE'])
    vi.stubEnv('PROLEPSIS_MODEL_DIR', 'no-such-model')
    expect(await outcome(['recall', 'x', '--bank', bank])).toEqual([1, 'MODEL_NOT_FOUND'])
    vi.stubEnv('PROLEPSIS_READ_ONLY', 'true')
    expect(await outcome(['retain', 'x', '--bank', bank])).toEqual([1, 'STORE_READ_ONLY'])
    vi.stubEnv('PROLEPSIS_BANK', 'not a name')
    expect(await outcome(['stats'])).toEqual([2, 'INVALID_CONFIG'])
  })
})

describe('questions', () => {
  test('that are blank or broken are refused', async () => {
    const bank = await store.bank()
    const recall = (query: string) => outcome(['recall', query, '--bank', bank])
    expect(await recall('')).toEqual([2, 'EMPTY_TEXT'])
    expect(await recall('  \n')).toEqual([2, 'EMPTY_TEXT'])
    expect((await recall('a\u0000b'))[1]).toBe('INVALID_TEXT')
    expect((await recall('lone \udfff half'))[1]).toBe('INVALID_TEXT')
    expect((await outcome(['recall', '-', '--bank', bank], { stdin: new Uint8Array([0xff, 0x41]) }))[1]).toBe(
      'INVALID_TEXT',
    )
    expect(await outcome(['recall', 'x', '--weight', 'nose=1', '--bank', bank])).toEqual([
      2,
      expect.any(String),
    ])
    expect(await outcome(['recall', 'x', '--history', '-', '--bank', bank], { stdin: '{"role":1}' })).toEqual(
      [2, 'INVALID_ARGUMENT'],
    )
  })

  test('of any form are answered', async () => {
    const bank = await store.bank()
    await store.run(['retain', 'It is what it is.', '--source', 'it.md', '--bank', bank])
    const long = 'Where does the heron wait? '.repeat(3800)
    expect(long.length).toBeGreaterThan(100_000)
    for (const query of [
      'what is it?',
      'to be or not to be',
      HOSTILE,
      '日本語の質問',
      '🦆',
      '-',
      '--',
      long,
    ]) {
      const run = await store.json(['recall', '--bank', bank, ...(query === '-' ? ['-'] : ['--', query])], {
        stdin: 'x',
      })
      expect([query.slice(0, 20), run.code]).toEqual([query.slice(0, 20), 0])
      expect(run.json<RecallResult>().passages.length).toBeLessThanOrEqual(1)
    }
    const run = await store.json(['recall', '--limit', '1', '--bank', bank, '--', long])
    expect(run.json<RecallResult>().degraded.join()).toContain('over the window')
  })

  test.each([
    ['2024', null],
    ['2024-05', null],
    ['2024-05-08', null],
    ['2024-05-08T13:56', null],
    ['2024-05-08T13:56:07.123Z', null],
    ['2024-05-08 13:56+05:30', null],
    ['20240508T135607-0800', null],
    ['', 'INVALID_TIME'],
    ['yesterday', 'INVALID_TIME'],
    ['2024-13-01', 'INVALID_TIME'],
    ['2024-02-30', 'INVALID_TIME'],
    ["2024'; --", 'INVALID_TIME'],
    ['1715176567', 'INVALID_TIME'],
  ])('the time %j: %s', async (time, error) => {
    const bank = await store.bank()
    for (const option of ['--from', '--to', '--as-of']) {
      expect(await outcome(['recall', 'x', option, time, '--bank', bank])).toEqual([
        error === null ? 0 : 2,
        error,
      ])
    }
    expect((await outcome(['retain', 'x', '--occurred-at', time, '--bank', bank]))[1]).toBe(error)
  })
})

test('quotes, wildcards and SQL are text like any other, in every field', async () => {
  const bank = await store.bank()
  const kept = await store.json([
    'retain',
    '--source',
    HOSTILE,
    '--title',
    HOSTILE,
    '--tag',
    HOSTILE,
    '--meta',
    `${HOSTILE}=${HOSTILE}`,
    '--question',
    HOSTILE,
    '--bank',
    bank,
    '--',
    HOSTILE,
  ])
  expect(kept).toMatchObject({ code: 0, err: '' })
  await store.run(['retain', 'Another text.', '--source', 'plain', '--bank', bank])
  const found = async (...options: string[]): Promise<string[]> =>
    (await store.json(['recall', ...options, '--bank', bank, '--', HOSTILE]))
      .json<RecallResult>()
      .passages.map(({ source }) => source)
  for (const filter of [
    ['--tag', HOSTILE, '--tag-strict'],
    ['--source', HOSTILE],
    ['--where', `${HOSTILE}=${HOSTILE}`],
  ])
    expect(await found(...filter)).toEqual([HOSTILE])
  for (const filter of [
    ['--source', '%'],
    ['--source', '_'],
    ['--tag', '%', '--tag-strict'],
  ])
    expect(await found(...filter)).toEqual([])
  expect(await found('--query', HOSTILE)).toContain(HOSTILE)
  expect(await found('--person', HOSTILE)).toEqual([])
  const shown = await store.run(['documents', 'show', '--bank', bank, '--', HOSTILE])
  expect(shown.out).toBe(`${HOSTILE}\n`)
  const listed = await store.json([
    'documents',
    'list',
    '--prefix',
    HOSTILE,
    '--tag',
    HOSTILE,
    '--bank',
    bank,
  ])
  expect(listed.json()).toMatchObject({ documents: [{ source: HOSTILE }] })
  expect((await store.json(['get', '--bank', bank, '--', `${HOSTILE}#1`])).json()).toMatchObject({
    text: HOSTILE,
  })
  for (const args of [['explain'], ['feedback']])
    expect((await store.json([...args, '--bank', bank, '--', HOSTILE])).errorCode()).toBe('NOT_FOUND')
  expect((await store.json(['stats', '--bank', HOSTILE])).errorCode()).toMatch(/^INVALID_/)
  const gone = await store.json(['forget', '--tag', HOSTILE, '--yes', '--bank', bank])
  expect(gone.json()).toMatchObject({ documents: 1 })
})

test('what was retained cannot drive the terminal', async () => {
  const bank = await store.bank()
  const evil = 'Herons \u001b]0;title\u0007 eat \u001b[2J fish \u202e backwards \u009b1m.\r'
  await store.run([
    'retain',
    evil,
    '--source',
    'evil\u001b[31m.md',
    '--title',
    evil,
    '--tag',
    '\u001btag',
    '--bank',
    bank,
  ])
  const receipt = (await store.json(['recall', 'herons', '--bank', bank])).json<RecallResult>().receipt!
  const runs: Run[] = []
  for (const args of [
    ['recall', 'what do herons eat?', '--why'],
    ['recall', 'what do herons eat?', '--prompt'],
    ['get', 'evil\u001b[31m.md#1'],
    ['documents', 'list'],
    ['documents', 'show', 'evil\u001b[31m.md'],
    ['documents', 'versions', 'evil\u001b[31m.md'],
    ['explain', receipt, '--why-not', evil],
    ['stats'],
    ['get', 'missing\u001b[31m#1'],
    ['retain', evil, '--source', 'evil\u001b[31m.md'],
  ])
    runs.push(await store.run([...args, '--bank', bank], { terminal: 100, color: false }))
  for (const { out, err } of runs)
    expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  expect(runs[0]?.out).toContain('\\u001b]0;title\\u0007')
  // JSON too, and it says the same
  const args = ['documents', 'show', 'evil\u001b[31m.md', '--bank', bank, '--json']
  const marks = 'z\u200bw\u2060 \u{e0041} \u007f'
  await store.run(['retain', marks, '--source', 'marks', '--bank', bank])
  const shown = await store.run(args, { terminal: 100 })
  const exported = await store.run(['export', '--bank', bank], { terminal: 100 })
  const failed = await store.run(['get', 'missing\u009b\u202e#1', '--bank', bank, '--json'], {
    terminal: 100,
  })
  for (const { out, err } of [shown, exported, failed])
    expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}]/u)
  expect(shown.json()).toMatchObject({ text: evil })
  expect(exported.out.split('\n').map((line) => line && JSON.parse(line).text)).toContain(marks)
  expect(failed.errorCode()).toBe('NOT_FOUND')
  // into a pipe the text goes as it is
  expect((await store.run(args)).out).toContain('\u202e backwards \u009b1m')
  const piped = await store.run(['documents', 'show', 'evil\u001b[31m.md', '--bank', bank])
  expect(piped.out).toBe(`${evil}\n`)
})

test('errors speak of the options as the command line calls them', async () => {
  const said = async (...args: readonly string[]) => (await store.run(args)).err
  expect(await said('recall', 'x', '--from', 'soon')).toMatch(
    /^error: --from is not a time.*\n {2}Give ISO 8601/,
  )
  expect(await said('retain', 'x', '--tag', ' ')).toMatch(/^error: --tag must not be blank/)
  expect(await said('recall', 'x', '--bank', 'nobody-made-it')).not.toContain('createIfMissing')
})
