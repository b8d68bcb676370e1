import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SweepPass, SweptFolder } from '../../src/index.ts'
import { runCli, useTestStore } from './run-cli.ts'

const store = useTestStore()

async function folderOf(name: string): Promise<string> {
  const folder = join(store.folder, name)
  await mkdir(join(folder, 'sub'), { recursive: true })
  await writeFile(join(folder, 'a.md'), 'Alpha is the first letter.')
  await writeFile(join(folder, 'sub', 'b.md'), 'Beta is the second letter.')
  return folder
}

test('sweep tells what a pass found, in words and as JSON; status lists the folders', async () => {
  const bank = await store.bank()
  const folder = await folderOf('notes')
  const args = ['sweep', 'notes', '--prefix', 'n/', '--tag', 'letters', '--bank', bank]
  const first = await store.json(args)
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.json()).toMatchObject({ reason: 'call', created: 2, read: 2, moved: [], away: null })
  await rename(join(folder, 'a.md'), join(folder, 'sub', 'a.md'))
  const second = await store.run(args)
  expect(second).toMatchObject({ code: 0, err: '' })
  expect(second.out).toContain('2 files in ')
  expect(second.out).toContain('0 new, 0 updated, 1 unchanged, 1 moved, 0 missing, 0 deleted')
  expect(second.out).toContain('  moved a.md to sub/a.md')
  await rm(join(folder, 'sub', 'a.md'))
  expect((await store.run(args)).out).toContain('  missing sub/a.md: deleted when the next pass')
  expect((await store.run(args)).out).toContain('  deleted n/sub/a.md')

  const status = ['sweep', 'status', '--data-dir', store.dataDir, '--bank', bank]
  const listed = (await runCli([...status, '--json'])).json<{ readonly folders: readonly SweptFolder[] }>()
  expect(listed.folders).toMatchObject([
    { root: folder, sourcePrefix: 'n/', files: 1, missing: 0, passes: 4 },
  ])
  expect((await runCli(status)).out).toContain(folder)
  expect((await runCli(['sweep', 'status', '--data-dir', store.dataDir])).out).toContain('No folder is swept')
})

test('a folder that went away deletes nothing and ends with 1; what may not be swept with 2', async () => {
  const bank = await store.bank()
  const folder = await folderOf('gone')
  await store.run(['sweep', 'gone', '--bank', bank])
  await rename(folder, `${folder}-away`)
  const away = await store.run(['sweep', 'gone', '--bank', bank])
  expect(away).toMatchObject({ code: 1, out: expect.stringContaining('0 deleted') })
  expect(away.err).toContain('the folder is not there: nothing was marked as deleted')
  for (const dir of ['/', '/proc', store.dataDir]) {
    const refused = await store.json(['sweep', dir, '--bank', bank])
    expect([dir, refused.code, refused.errorCode()]).toEqual([dir, 2, 'INVALID_ARGUMENT'])
  }
  expect((await store.json(['sweep', 'nowhere', '--bank', bank])).code).toBe(3)
  for (const bad of [
    ['--poll', '0'],
    ['--interval', 'x'],
    ['--watch', '--await'],
  ])
    expect((await store.run(['sweep', 'gone', ...bad, '--bank', bank])).code).toBe(2)
})

test('watch writes a line a pass, and ends well when it is interrupted; meanwhile the folder is held', async () => {
  const bank = await store.bank()
  const folder = await folderOf('watched')
  const stop = new AbortController()
  const passes: SweepPass[] = []
  let busy: ReturnType<typeof store.json> | undefined
  const watched = await store.json(['sweep', 'watched', '--watch', '--bank', bank], {
    signal: stop.signal,
    onOut: (text) => {
      for (const line of text.trim().split('\n')) passes.push(JSON.parse(line) as SweepPass)
      if (passes.reduce((sum, { created }) => sum + created, 0) < 2) return
      if (busy === undefined) {
        busy = store.json(['sweep', 'watched', '--bank', bank])
        void busy.then(() => writeFile(join(folder, 'c.md'), 'Gamma is the third letter.'))
      }
      if (passes.some(({ created, reason }) => created === 1 && reason !== 'start')) stop.abort()
    },
  })
  expect(watched).toMatchObject({ code: 0, err: expect.stringContaining(`watching ${folder} by events`) })
  expect(await busy).toMatchObject({ code: 1, err: expect.stringContaining('FOLDER_BUSY') })
  expect(await store.json(['sweep', 'watched', '--bank', bank])).toMatchObject({ code: 0 })
})
