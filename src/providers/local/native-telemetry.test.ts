import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { compileSources } from '../../../test/support/compiled-sources.ts'

/** Embeds a text in a process of its own whose home is an empty folder; gives the files that are there afterwards. */
async function filesAfterEmbedding(): Promise<readonly string[]> {
  const home = await mkdtemp(join(tmpdir(), 'prolepsis-home-'))
  const program = join(compileSources(), 'src/providers/local/__fixtures__/embed-and-end.js')
  await promisify(execFile)(process.execPath, [program, 'close'], {
    env: { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: home, TMPDIR: tmpdir() },
  })
  const files = await readdir(home, { recursive: true })
  await rm(home, { recursive: true })
  return files
}

test('the native runtime keeps no device id and no events in the home folder', async () => {
  expect(await filesAfterEmbedding()).toEqual([])
}, 120_000)
