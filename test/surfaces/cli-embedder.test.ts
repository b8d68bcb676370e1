import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import type { EmbedderChange, EmbedderComparison, EmbedderStatus } from '../../src/index.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
const MODEL = fileURLToPath(new URL('../../models/bge-small-en-v1.5-int8', import.meta.url))

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The model of the package under another name. */
async function renamedModel(): Promise<string> {
  const folder = join(store.folder, 'renamed')
  await mkdir(folder)
  for (const file of ['model.onnx', 'tokenizer.json']) await symlink(join(MODEL, file), join(folder, file))
  const described = JSON.parse(await readFile(join(MODEL, 'model.json'), 'utf8'))
  await writeFile(join(folder, 'model.json'), JSON.stringify({ ...described, modelId: 'renamed' }))
  return folder
}

test('a bank moves to the model of a folder and back, and is told what to set', async () => {
  const bank = await store.bank()
  const on = (...args: string[]): string[] => ['embedder', ...args, '--bank', bank]
  const modelDir = await renamedModel()
  await store.run(['retain', 'Herons eat fish.', '--source', 'heron.md', '--bank', bank])
  await store.run(['retain', 'Storks eat frogs.', '--source', 'stork.md', '--bank', bank])
  await store.run(['recall', 'what do herons eat?', '--bank', bank])

  const filled = await store.json(on('migrate', '--model-dir', modelDir))
  expect([filled.code, filled.err]).toEqual([0, ''])
  expect(filled.json<EmbedderChange & { set: unknown }>()).toMatchObject({
    ...{ status: 'filled', documents: 2, set: null },
    other: { modelId: 'renamed', missing: 0, settings: { modelDir } },
  })
  const status = await store.json(on('status'))
  expect(status.json<EmbedderStatus>()).toMatchObject({ migration: 'complete' })
  expect((await store.run(on('status'))).out).toContain('cut-over')

  // the folder is noted in the store; the same numbers under another name answer alike
  const compared = await store.json(on('compare'))
  expect(compared.json<EmbedderComparison>()).toMatchObject({
    ...{ queries: 1, differing: [] },
    recall: { overlap: 1, rankBiasedOverlap: 1, sameFirst: 1 },
  })
  expect((await store.run(on('compare', '--query', 'frogs'))).out).toContain('same first')

  const cut = await store.run(on('cut-over'))
  expect([cut.code, cut.err]).toEqual([0, ''])
  expect(cut.out).toContain(`model_dir (PROLEPSIS_MODEL_DIR): ${modelDir}`)
  expect(cut.out).toContain('embedder (PROLEPSIS_EMBEDDER): not set')
  const refused = await store.json(['recall', 'herons', '--bank', bank])
  expect([refused.code, refused.errorCode()]).toEqual([1, 'MODEL_MISMATCH'])
  expect(refused.err).toContain('embedder back-out')
  expect(refused.err).toContain(`model_dir = \\"${modelDir}\\"`)
  vi.stubEnv('PROLEPSIS_MODEL_DIR', modelDir)
  expect((await store.run(['recall', 'herons', '--bank', bank])).out).toContain('Herons eat fish.')
  vi.unstubAllEnvs()

  const back = await store.run(on('back-out'))
  expect([back.code, back.out.includes('model_dir (PROLEPSIS_MODEL_DIR): not set')]).toEqual([0, true])
  const dropped = await store.run(on('drop'))
  expect(dropped.out).toMatch(/^Dropped \d+ vectors of renamed\.\n$/)
  expect((await store.json(on('status'))).json<EmbedderStatus>().spaces).toHaveLength(1)
  expect((await store.run(['doctor', '--bank', bank])).code).toBe(0)
})

test('what cannot be done says why', async () => {
  const bank = await store.bank()
  const on = (...args: string[]): string[] => ['embedder', ...args, '--bank', bank]
  for (const [args, code, error] of [
    [on('cut-over'), 3, 'NOT_FOUND'],
    [on('back-out'), 3, 'NOT_FOUND'],
    [on('drop'), 3, 'NOT_FOUND'],
    [on('compare'), 3, 'NOT_FOUND'],
    [on('migrate'), 3, 'NOT_FOUND'],
    [on('migrate', '--to', 'local'), 2, 'INVALID_ARGUMENT'],
    [on('migrate', '--to', 'nobody:model'), 2, 'PROVIDER_UNKNOWN'],
  ] as const) {
    const run = await store.json(args)
    expect([args[1], run.code, run.errorCode()]).toEqual([args[1], code, error])
  }
  expect((await store.run(on('migrate', '--to', 'local', '--model-dir', 'x'))).code).toBe(2)
  expect((await store.run(on('migrate', '--to', 'local', '--base-url', 'http://x'))).code).toBe(2)
})
