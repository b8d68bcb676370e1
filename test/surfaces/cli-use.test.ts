import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createContext } from '../../src/surfaces/cli/context.ts'
import { main } from '../../src/surfaces/cli/main.ts'
import { createProgram } from '../../src/surfaces/cli/program.ts'
import { importsOf, textOf } from '../api/imports.ts'
import { runCli } from './run-cli.ts'

const NOWHERE = ['--data-dir', join(tmpdir(), 'prolepsis-never-made')]

function everyCommand(): { readonly path: string; readonly command: Command }[] {
  const io = { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin }
  const context = createContext({ ...io, cwd: '/', signal: new AbortController().signal, color: false })
  const program = createProgram(context, { writeOut: () => {}, writeErr: () => {} })
  const below = (parent: Command, path: string): { path: string; command: Command }[] =>
    parent
      .createHelp()
      .visibleCommands(parent)
      .filter((command) => command.name() !== 'help')
      .flatMap((command) => {
        const own = `${path}${command.name()}`
        return [{ path: own, command }, ...below(command, `${own} `)]
      })
  return below(program, '')
}

describe('help', () => {
  test('names every command, and none that does not exist yet', async () => {
    const help = await runCli([])
    expect(help).toMatchObject({ code: 0, err: '' })
    expect((await runCli(['--help'])).out).toBe(help.out)
    const names = everyCommand().map(({ path }) => path)
    for (const name of names.filter((path) => !path.includes(' '))) expect(help.out).toContain(`\n  ${name}`)
    for (const later of ['chat', 'serve', 'mcp', 'tui', 'facts', 'entities', 'session'])
      expect(names).not.toContain(later)
  })

  test.each(everyCommand().filter(({ command }) => command.commands.length === 0))(
    'of $path has an example and the options that all have',
    async ({ path }) => {
      const { code, out } = await runCli([...path.split(' '), '--help'])
      expect(code).toBe(0)
      expect(out).toMatch(new RegExp(`Example:\n {2}\\$ [^\n]*prolepsis ${path}`))
      for (const option of ['--json', '--bank <name>', '--data-dir <folder>', '--database-url <url>'])
        expect(out).toContain(option)
    },
  )

  test('of a group comes with exit code 2 when its subcommand is missing', async () => {
    const run = await runCli(['bank'])
    expect(run.code).toBe(2)
    expect(run.err).toContain('create [options] <name>')
  })

  test('gives the version of the package', async () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string }
    for (const flag of ['--version', '-V'])
      expect(await runCli([flag])).toMatchObject({ code: 0, out: `${version}\n` })
  })

  test('loads nothing of the engine', () => {
    const seen = new Set<string>()
    const packages = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      for (const line of importsOf(file).filter((one) => !one.typeOnly && !one.lazy)) {
        if (line.isPackage) packages.add(line.to)
        else visit(line.to)
      }
    }
    visit('src/surfaces/cli/bin.ts')
    expect([...packages].filter((name) => !name.startsWith('node:')).sort()).toEqual([
      'commander',
      'picocolors',
    ])
    expect([...seen].filter((file) => !/^src\/(surfaces|domain)\//.test(file))).toEqual([
      'src/config/terminal.ts',
    ])
  })
})

describe('wrong use', () => {
  test.each([
    [['recal', 'x'], 'INVALID_ARGUMENT', 'Did you mean recall?'],
    [['bank', 'lst'], 'INVALID_ARGUMENT', 'Did you mean list?'],
    [['recall', 'x', '--limt', '3'], 'UNKNOWN_OPTION', 'Did you mean --limit?'],
    [['recall', 'x', '--limit', '-1'], 'INVALID_ARGUMENT', 'whole number'],
    [['recall', 'x', '--limit', '0'], 'INVALID_ARGUMENT', 'whole number'],
    [['recall', 'x', '--limit', '1e3'], 'INVALID_ARGUMENT', 'whole number'],
    [['recall', 'x', '--limit', '99999999999999999999'], 'INVALID_ARGUMENT', 'whole number'],
    [['recall', 'x', '--limit'], 'INVALID_ARGUMENT', 'argument missing'],
    [['recall', 'x', '--budget', '2.5'], 'INVALID_ARGUMENT', 'whole number'],
    [['recall', 'x', '--expand', '-2'], 'INVALID_ARGUMENT', 'whole number'],
    [['recall', 'x', '--mode', 'fast'], 'INVALID_ARGUMENT', 'hybrid'],
    [['recall', 'x', '--fusion', 'none'], 'INVALID_ARGUMENT', 'learned'],
    [['recall', 'x', '--min-trust', 'all'], 'INVALID_ARGUMENT', 'unknown'],
    [['recall', 'x', '--weight', 'body'], 'INVALID_ARGUMENT', 'channel=number'],
    [['recall', 'x', '--weight', 'body=-1'], 'INVALID_ARGUMENT', 'channel=number'],
    [['recall', 'x', '--where', 'year'], 'INVALID_ARGUMENT', 'key=value'],
    [['recall', 'x', 'y'], 'INVALID_ARGUMENT', 'too many arguments'],
    [['retain', 'x', '--meta', '=1'], 'INVALID_ARGUMENT', 'key=value'],
    [['index', '.', '--max-bytes', 'big'], 'INVALID_ARGUMENT', '10MB'],
    [['get'], 'INVALID_ARGUMENT', 'missing required argument'],
    [['neighbours', 'a#1', '--before', '-1'], 'INVALID_ARGUMENT', 'whole number'],
    [['similar', 'a#1', '--limit', 'x'], 'INVALID_ARGUMENT', 'whole number'],
    [['documents', 'list', '--state', 'old'], 'INVALID_ARGUMENT', 'superseded'],
    [['bank', 'delete', 'a'], 'INVALID_ARGUMENT', '--yes'],
    [['completions', 'csh'], 'INVALID_ARGUMENT', 'bash, zsh, fish'],
    [['chat', 'why?'], 'INVALID_ARGUMENT', 'unknown command'],
  ])('%j is refused with exit code 2', async (args, code, says) => {
    const text = await runCli(args)
    expect(text.code).toBe(2)
    expect(text.out).toBe('')
    expect(text.err).toMatch(/^error: /)
    expect(text.err.toLowerCase()).toContain(says.toLowerCase())
    expect(text.err).not.toContain('    at ')
    const json = await runCli([...args, '--json'])
    expect([json.code, json.errorCode()]).toEqual([2, code])
  })

  test('--tag-strict alone, which would leave nothing out', async () => {
    for (const more of [[], ['--tag-none', 'a']]) {
      const run = await runCli(['recall', 'x', '--tag-strict', ...more, ...NOWHERE])
      expect([run.code, run.err]).toEqual([2, expect.stringContaining('--tag or --tag-all')])
    }
  })

  test('options of all commands may stand before the command, and before a subcommand', async () => {
    for (const args of [
      ['--json', 'recall', 'x', '--limit', '0'],
      ['--bank', 'b', '--json', 'search', 'x', '--limit', '0'],
      ['--data-dir=/nowhere', '--json', 'documents', 'list', '--limit', '0'],
    ]) {
      const run = await runCli(args)
      expect([args, run.code, run.errorCode(), run.err.includes('--limit')]).toEqual([
        args,
        2,
        'INVALID_ARGUMENT',
        true,
      ])
    }
    expect((await runCli(['--json', 'recall', '--help'])).out).toContain('find the passages')
    expect((await runCli(['--bank'])).code).toBe(2)
    expect((await runCli(['--nope', 'recall', 'x'])).err).toContain('--nope')
  })

  test('a terminal without a text or a question is not waited for', async () => {
    for (const command of ['retain', 'recall']) {
      const run = await runCli([command, ...NOWHERE], { terminal: 80 })
      expect(run.code).toBe(2)
      expect(run.err).toContain('on standard input')
    }
  })
})

describe('errors', () => {
  test('that nobody foresaw are one line, and a stack on demand', async () => {
    const run = async (debug: boolean): Promise<string> => {
      const broken = new Writable({
        write: (_chunk, _encoding, done) => done(new Error('The printer\nis on \u001b[31mfire.')),
      })
      broken.on('error', () => undefined)
      let err = ''
      const stderr = new Writable({
        write: (chunk, _encoding, done) => {
          err += String(chunk)
          done()
        },
      })
      const io = { stdin: process.stdin, stdout: broken, stderr, cwd: tmpdir(), color: null, debug }
      expect(await main(['config'], { ...io, signal: new AbortController().signal })).toBe(1)
      return err
    }
    expect(await run(false)).toBe(
      'error: Unexpected: The printer\n  Set PROLEPSIS_DEBUG=1 for the stack, and report it.\n',
    )
    expect(await run(true)).toMatch(/^error: Error: The printer\nis on \\u001b\[31mfire\.\n {4}at /)
  })

  test('of an interrupted command give exit code 130', async () => {
    const interrupted = new AbortController()
    const waiting = runCli(['recall', '-', ...NOWHERE], { stdin: process.stdin, signal: interrupted.signal })
    interrupted.abort()
    expect(await waiting).toMatchObject({ code: 130, out: '' })
  })
})
