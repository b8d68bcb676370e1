import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RecallResult } from '../../src/index.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()

describe('index', () => {
  test('retains a folder, and only what changed when it is repeated', async () => {
    const bank = await store.bank()
    const folder = join(store.folder, 'notes')
    await mkdir(join(folder, 'sub'), { recursive: true })
    await writeFile(join(folder, 'a.md'), 'Alpha is the first letter.')
    await writeFile(join(folder, 'sub', 'b.md'), 'Beta is the second letter.')
    await writeFile(join(folder, 'picture.png'), new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]))
    await writeFile(join(folder, 'left-out.md'), 'Not this one.')
    const args = [
      'index',
      'notes',
      '--prefix',
      'n/',
      '--tag',
      'letters',
      '--meta',
      'k=1',
      '--ignore',
      'left-*',
      '--max-bytes',
      '1MB',
      '--trust',
      'user',
      '--bank',
      bank,
    ]
    const first = await store.json(args)
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.json()).toMatchObject({ created: 2, unchanged: 0, failed: [], skipped: [{}] })
    const again = await store.run(['ingest', ...args.slice(1)])
    expect(again.out).toMatch(/0 new, 0 updated, 2 unchanged/)
    expect(again.out).toMatch(/skipped .*picture\.png: /)
    const found = await store.json([
      'recall',
      'which letter is second?',
      '--tag',
      'letters',
      '--limit',
      '1',
      '--bank',
      bank,
    ])
    expect(found.json<RecallResult>().passages[0]?.source).toBe('n/sub/b.md')
  })

  test('follows links where it is told to, and prunes an emptied folder by force alone', async () => {
    const bank = await store.bank()
    const folder = join(store.folder, 'linked')
    await mkdir(join(folder, 'real'), { recursive: true })
    for (let i = 0; i < 11; i++) await writeFile(join(folder, 'real', `${i}.md`), `Egret ${i} waits.`)
    await mkdir(join(store.folder, 'elsewhere'))
    await writeFile(join(store.folder, 'elsewhere', 'far.md'), 'Far away.')
    await symlink(join(store.folder, 'elsewhere'), join(folder, 'out'))
    await symlink('..', join(folder, 'real', 'up'))
    const index = (...more: readonly string[]) => store.json(['index', 'linked', '--bank', bank, ...more])
    expect((await index()).json()).toMatchObject({ created: 11, failed: [] })
    expect((await index('--follow-links')).json()).toMatchObject({ created: 1, unchanged: 11, failed: [] })
    await rm(folder, { recursive: true })
    await mkdir(folder)
    const kept = await index()
    expect(kept.err).toContain('warning: ')
    expect(kept.json()).toMatchObject({ deleted: 0, skipped: [{ path: '.' }] })
    expect((await index('--no-prune')).err).toBe('')
    expect((await index('--prune', 'always')).code).toBe(2)
    expect((await index('--prune', 'force')).json()).toMatchObject({ deleted: 12, skipped: [] })
  })

  test('draws a bar on a terminal alone', async () => {
    const bank = await store.bank()
    const folder = join(store.folder, 'bar')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'a.md'), 'Alpha.')
    const shown = await store.run(['index', 'bar', '--bank', bank], { terminal: 80 })
    expect(shown.err).toContain('index ')
    expect(shown.err).toContain('1/1')
    expect(shown.out).not.toContain('░')
    expect((await store.run(['index', 'bar', '--bank', bank])).err).toBe('')
  })

  test('keeps what was acknowledged when it is interrupted, and goes on from there', async () => {
    const bank = await store.bank()
    const folder = join(store.folder, 'many')
    await mkdir(folder, { recursive: true })
    const count = 200
    for (let i = 0; i < count; i++) await writeFile(join(folder, `${i}.md`), `Heron ${i} waits.`)
    const interrupt = new AbortController()
    const run = await store.run(['index', 'many', '--bank', bank], {
      terminal: 80,
      signal: interrupt.signal,
      onErr: (text) => {
        if (text.includes(`/${count}`)) interrupt.abort()
      },
    })
    expect(run.code).toBe(130)
    expect(run.err).toContain('(CANCELLED)')
    const kept = (await store.owner.bank(bank).stats()).documents.current
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(count)
    expect((await store.run(['doctor', '--bank', bank])).code).toBe(0)
    const rest = await store.json(['index', 'many', '--bank', bank])
    expect(rest.json()).toMatchObject({ created: count - kept, unchanged: kept })
  })
})
