import { type ChildProcess, spawn } from 'node:child_process'
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
