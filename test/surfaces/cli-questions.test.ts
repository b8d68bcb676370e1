import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChatServer, startChatServer } from '../support/chat-server.ts'
import { passagesIn, writeFromWords } from '../support/writing-model.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
const TEXT = 'The walrus of the harbour sleeps beside the crimson lighthouse.'
let server: ChatServer
const systems: string[] = []
beforeAll(async () => {
  server = await startChatServer(({ prompt, system }) => {
    systems.push(system)
    return JSON.stringify(writeFromWords(passagesIn(prompt)))
  })
})
afterAll(() => server.close())
beforeEach(() => {
  vi.stubEnv('PROLEPSIS_MODEL', 'openai-compatible:writer')
  vi.stubEnv('PROLEPSIS_MODEL_BASE_URL', server.baseUrl)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

async function filled(): Promise<string> {
  const bank = await store.bank()
  const retained = await store.run(['retain', TEXT, '--source', 'walrus.md', '--no-enrich', '--bank', bank])
  expect(retained.code).toBe(0)
  return bank
}

describe('questions', () => {
  test('are added, shown with who made them, edited and removed', async () => {
    const bank = await filled()
    const added = await store.run([
      'questions',
      'add',
      'walrus.md#1',
      'Where is the walrus?',
      'Who sleeps?',
      '--bank',
      bank,
    ])
    expect([added.code, added.out]).toEqual([0, '2 questions added.\n'])
    const shown = await store.run(['questions', 'show', 'walrus.md', '--origin', 'caller', '--bank', bank])
    expect(shown.out).toBe('walrus.md#1\n  1. Where is the walrus? (caller)\n  2. Who sleeps? (caller)\n')
    const edited = await store.run([
      'questions',
      'edit',
      'walrus.md#1',
      '2',
      'Which animal sleeps?',
      '--bank',
      bank,
    ])
    expect(edited.out).toBe('Question 2 of walrus.md#1 edited.\n')
    await store.run(['questions', 'edit', 'walrus.md#1', '1', '--remove', '--bank', bank])
    const left = await store.json(['questions', 'show', 'walrus.md#1', '--origin', 'caller', '--bank', bank])
    expect(left.json()).toMatchObject({
      chunks: [
        {
          ref: 'walrus.md#1',
          questions: [{ n: 1, text: 'Which animal sleeps?', origin: 'caller' }],
          writer: null,
        },
      ],
    })
  })

  test('are written anew with the cost told first, and shown with the model and the prompt', async () => {
    const bank = await filled()
    const estimate = await store.run(['questions', 'regenerate', '--all', '--estimate', '--bank', bank])
    expect(estimate.out).toMatch(
      /^1 text with 1 chunk: about 1 call of the model, \d+ tokens in and 150 out\.\n$/,
    )
    const refused = await store.run(['questions', 'regenerate', '--all', '--bank', bank])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Add --yes to confirm.')])
    const prompt = join(store.folder, 'pirate.md')
    await writeFile(prompt, 'Ask as a pirate.')
    const written = await store.run([
      ...['questions', 'regenerate', 'walrus.md', '--missing', '--await', '--prompt', prompt, '--bank', bank],
    ])
    expect(written.code).toBe(0)
    expect(written.err).toContain('about 1 call of the model')
    expect(written.out).toContain('Questions of 1 chunk: 1 written, 1 kept, 0 dropped.')
    expect(systems.at(-1)).toMatch(/^Ask as a pirate\./)
    const shown = await store.run(['questions', 'show', 'walrus.md', '--bank', bank])
    expect(shown.out).toMatch(/\d\. What about .*\? \(model\)\n/)
    expect(shown.out).toMatch(
      /openai-compatible:writer with questions@sha256:\w+ questions-reply@1, \S+: 1 written, 1 kept\n$/,
    )
    const again = await store.json(['questions', 'regenerate', '--all', '--missing', '--yes', '--bank', bank])
    expect(again.json()).toMatchObject({ jobs: 0, calls: 0 })
  })

  test.each([
    ['neither a source nor --all', ['regenerate'], 2],
    ['both', ['regenerate', 'walrus.md', '--all'], 2],
    ['neither a question nor --remove', ['edit', 'walrus.md#1', '1'], 2],
    ['a number that is none', ['edit', 'walrus.md#1', 'first', 'What?'], 2],
    ['an unknown origin', ['show', 'walrus.md', '--origin', 'me'], 2],
    ['a ref that there is not', ['show', 'walrus.md#9'], 3],
    ['a question that there is not', ['edit', 'walrus.md#1', '9', '--remove'], 3],
    ['a prompt that there is not', ['regenerate', 'walrus.md', '--prompt', '/nowhere.md'], 3],
  ])('%s is refused', async (_, args, code) => {
    const bank = await filled()
    expect((await store.run(['questions', ...args, '--bank', bank])).code).toBe(code)
  })

  test('without a model writing is refused, and says what to do', async () => {
    const bank = await filled()
    vi.stubEnv('PROLEPSIS_MODEL', undefined)
    vi.stubEnv('PROLEPSIS_MODEL_BASE_URL', undefined)
    const run = await store.json(['questions', 'regenerate', 'walrus.md', '--bank', bank])
    expect([run.code, run.errorCode()]).toEqual([2, 'MODEL_NOT_CONFIGURED'])
  })
})
