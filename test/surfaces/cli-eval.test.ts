import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEvaluation } from '../../src/index.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()

async function filled(): Promise<string> {
  const bank = await store.bank()
  const memory = store.owner.bank(bank)
  await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
  await memory.retain('# Printer\n\nThe printer is on floor two.', { source: 'printer.md' })
  return bank
}

const QUESTIONS = `## birthday | person
When was Kelly born?
expect: kelly.md

## cellar
Where is the cellar?
expect: cellar.md "in the\u202e cellar"
`

describe('eval', () => {
  test('a file of questions gives a table, and what the bank does not have; eval FILE for short', async () => {
    const bank = await filled()
    await writeFile(join(store.folder, 'questions.md'), QUESTIONS)
    const long = await store.run(['eval', 'run', 'questions.md', '--k', '1,5', '--bank', bank])
    expect([long.code, long.err]).toEqual([0, ''])
    expect(long.out).toMatch(/all +1 +100\.0 % +100\.0 % +100\.0 % +100\.0 % +1\.000/)
    expect(long.out).toContain('person')
    expect(long.out).toMatch(/absent {2}cellar: cellar\.md "in the\\u202e cellar"/)
    const short = await store.run(['eval', 'questions.md', '--k', '1,5', '--bank', bank])
    expect(short.out.replaceAll(/\d+ ms/g, '')).toBe(long.out.replaceAll(/\d+ ms/g, ''))
    const json = await store.json(['eval', 'run', 'questions.md', '--ablate', '--bank', bank])
    expect(json.json()).toMatchObject({ ks: [5, 10, 20], absent: 1, overall: { cases: 1, mrr: 1 } })
    expect(Object.keys(json.json<{ without: object }>().without)).toContain('content')
  })

  test.each([
    [['eval', 'run', 'none.md'], 3, 'NOT_FOUND'],
    [['eval', 'run', 'broken.jsonl'], 2, 'EVAL_INVALID'],
    [['eval', 'run', 'broken.jsonl', '--k', 'five'], 2, 'INVALID_ARGUMENT'],
    [['eval', 'run'], 2, 'INVALID_ARGUMENT'],
    [['eval', 'make', '--n', '0'], 2, 'INVALID_ARGUMENT'],
    [['eval', 'make', '--n', '1001'], 2, 'INVALID_ARGUMENT'],
  ])('%j ends with %i', async (args, code, error) => {
    await writeFile(join(store.folder, 'broken.jsonl'), '{"question": "a?"}\n')
    const run = await store.json(args)
    expect([run.code, run.errorCode()]).toEqual([code, error])
  })

  test('make drafts a file that is read back, and says that rules make easy questions', async () => {
    const bank = await filled()
    const shown = await store.run(['eval', 'make', '--n', '2', '--bank', bank])
    expect(shown.code).toBe(0)
    expect(shown.err).toContain('easy questions')
    expect(parseEvaluation(shown.out)).toHaveLength(2)
    for (const file of ['drafted.md', 'drafted.jsonl']) {
      const made = await store.json(['eval', 'make', '--out', file, '--bank', bank])
      expect(made.json()).toMatchObject({ by: 'rules', cost: { calls: 0 } })
      const again = await store.json(['eval', 'make', '--out', file, '--bank', bank])
      expect([again.code, again.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
      const report = await store.json(['eval', 'run', file, '--bank', bank])
      expect(report.json()).toMatchObject({ absent: 0 })
    }
    const lines = await store.json(['eval', 'make', '--n', '1', '--bank', bank])
    expect(JSON.parse(lines.out)).toMatchObject({ id: 'q1', question: expect.any(String) })
  })
})
