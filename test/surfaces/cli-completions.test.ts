import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSources } from '../support/compiled-sources.ts'
import { runCli } from './run-cli.ts'

async function offered(...words: string[]): Promise<string[]> {
  const { code, out } = await runCli(['complete', '--', ...words])
  expect(code).toBe(0)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '')
}

describe('what can stand at a place', () => {
  test.each([
    [['rec'], ['recall']],
    [['re'], ['retain', 'recall', 'remove', 'restore', 'rebuild-index']],
    [
      ['bank', ''],
      ['list', 'create', 'show', 'config', 'delete'],
    ],
    [['recall', '--mo'], ['--mode']],
    [
      ['recall', '--mode', ''],
      ['hybrid', 'semantic', 'lexical'],
    ],
    [['recall', '--mode', 'l'], ['lexical']],
    [['search', '--fusion', 's'], ['standard']],
    [['recall', '--limit', ''], []],
    [['recall', '--history', ''], [':files']],
    [
      ['retain', 'x', '--trust', 'u'],
      ['unknown', 'user'],
    ],
    [['stats', '--data-dir', 'x'], [':folders']],
    [['index', ''], [':folders']],
    [['import', 'ba'], [':files']],
    [
      ['completions', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['documents', 'list', '--state', 'd'], ['deleted']],
    [['recall', 'a question', ''], []],
    [['recall', '--', '--mo'], []],
    [['nonsense', 'x'], []],
  ])('%j: %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })

  test('every command is offered, hidden ones are not', async () => {
    const all = await offered('')
    expect(all).toEqual(
      expect.arrayContaining(['init', 'retain', 'index', 'recall', 'forget', 'bank', 'doctor']),
    )
    expect(all).not.toContain('complete')
    expect(await offered('recall', '--')).toEqual(
      expect.arrayContaining(['--json', '--bank', '--limit', '--help']),
    )
  })
})

describe('bash', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prolepsis-bash-'))
    await mkdir(join(folder, 'bin'))
    const program = join(folder, 'bin', 'prolepsis')
    const bin = join(compileSources(), 'src/surfaces/cli/bin.js')
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`)
    await chmod(program, 0o755)
    await writeFile(join(folder, 'my notes.jsonl'), '')
    await mkdir(join(folder, 'my docs'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What bash itself would show for `prolepsis WORDS…` with the cursor at the end of the last word. */
  function pressTab(...words: string[]): string[] {
    const script = `
      source <(prolepsis completions bash)
      COMP_WORDS=(prolepsis "$@"); COMP_CWORD=$#
      _prolepsis
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
    const options = { cwd: folder, env, encoding: 'utf8' } as const
    return execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], options)
      .split('\n')
      .filter((line) => line !== '')
  }

  test('completes commands, options, values and paths', () => {
    expect(pressTab('rec')).toEqual(['recall'])
    expect(pressTab('recall', '--mode', 'se')).toEqual(['semantic'])
    expect(pressTab('import', 'my')).toEqual(expect.arrayContaining(['my notes.jsonl']))
    expect(pressTab('index', 'my')).toEqual(['my docs'])
    expect(pressTab('recall', 'x', '--lim')).toEqual(['--limit'])
  })
})
