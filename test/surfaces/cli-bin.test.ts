import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { compileSources } from '../support/compiled-sources.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
const BIN = join(compileSources(), 'src/surfaces/cli/bin.js')

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], {
    cwd: store.folder,
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
}

async function finish(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let [out, err] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })))
}

test('the program joins the owner of the folder, which embeds for it', async () => {
  const common = ['--data-dir', store.dataDir, '--json']
  const retain = start(['retain', 'Herons eat fish.', '--source', 'heron.md', ...common])
  retain.stdin?.end()
  expect(await finish(retain)).toMatchObject({ code: 0, err: '' })
  const recall = start(['recall', ...common])
  recall.stdin?.end('what do herons eat?')
  const { code, out, err } = await finish(recall)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(JSON.parse(out)).toMatchObject({
    passages: [{ ref: 'heron.md#1', text: 'Herons eat fish.' }],
    degraded: [],
  })
})

test('colour and stacks go by the environment', async () => {
  const args = ['config', '--data-dir', store.dataDir]
  const forced = start(['get', 'heron.md#1', '--data-dir', store.dataDir], { FORCE_COLOR: '1' })
  expect((await finish(forced)).out).toContain('\u001b[36m')
  const broken = await finish(start(args, { PROLEPSIS_DEADLINE_MS: 'soon' }))
  expect(broken.code).toBe(2)
  expect(broken.err).toContain('PROLEPSIS_DEADLINE_MS')
})

test('a reader that goes away ends it in peace', async () => {
  const child = start(['--help'])
  child.stdout?.destroy()
  expect(await finish(child)).toMatchObject({ code: 0, err: '' })
})

test('an interrupt ends it with 130, and what was acknowledged stays', async () => {
  const child = start(['retain', '--jsonl', '--json', '--data-dir', store.dataDir])
  const done = finish(child)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  child.stdin?.write('{"content":"Herons nest in trees.","source":"nest.md"}\n')
  const { value } = await lines.next()
  expect(JSON.parse(value)).toMatchObject({ status: 'created' })
  child.kill('SIGINT')
  expect(await done).toMatchObject({ code: 130, err: expect.stringContaining('CANCELLED') })
  expect((await store.owner.document('nest.md'))?.text).toBe('Herons nest in trees.')
})

test.skipIf(!existsSync('/dev/full'))('a full disk under its output is told in words', async () => {
  await store.owner.retain('Herons wade.', { source: 'wade.md' })
  const full = openSync('/dev/full', 'w')
  try {
    for (const args of [['get', 'wade.md#1', '--data-dir', store.dataDir], ['--help'], ['--version']]) {
      const child = spawn(process.execPath, [BIN, ...args], {
        cwd: store.folder,
        stdio: ['ignore', full, 'pipe'],
      })
      const { code, err } = await finish(child)
      expect([args, code]).toEqual([args, 1])
      expect(err).toBe(
        'error: The output cannot be written: no space is left.\n  Free space, or write it to another device.\n  (STORE_FULL)\n',
      )
    }
    const silent = spawn(process.execPath, [BIN, 'get', 'no#1', '--data-dir', store.dataDir], {
      stdio: ['ignore', full, full],
    })
    expect((await finish(silent)).code).toBe(3)
  } finally {
    closeSync(full)
  }
})

test.skipIf(process.platform === 'win32')(
  'a pipe that nobody writes to does not outlive an interrupt',
  async () => {
    execFileSync('mkfifo', [join(store.folder, 'quiet')])
    const child = start(['retain', '--file', 'quiet', '--data-dir', store.dataDir])
    const done = finish(child)
    // it reads once it has found its settings, and then waits
    child.stdin?.end()
    const writer = await open(join(store.folder, 'quiet'), 'w')
    child.kill('SIGTERM')
    expect((await done).code).toBe(130)
    await writer.close()
  },
)

test('standard output by its name is standard output', async () => {
  const child = start(['export', '/dev/stdout', '--data-dir', store.dataDir])
  const { code, out } = await finish(child)
  expect(code).toBe(0)
  expect(out.trim().split('\n').at(-1)).toMatch(/^\{"type":"end"/)
})
