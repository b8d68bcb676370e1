import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../api/imports.ts'
import { compileSources } from '../support/compiled-sources.ts'

const STORIES = readdirSync(join(ROOT, 'examples/library')).filter((name) => name.endsWith('.mjs'))
const ENTRY = pathToFileURL(join(compileSources(), 'src/index.js')).href

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(ROOT, 'node_modules/.examples-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(STORIES)('the story %s holds', async (name) => {
  // From the sources, so that nothing need be built: the one import is pointed there.
  const story = readFileSync(join(ROOT, 'examples/library', name), 'utf8')
  expect(story).toContain("from 'prolepsis'")
  await writeFile(join(folder, name), story.replace("from 'prolepsis'", `from '${ENTRY}'`))
  const child = spawn(process.execPath, [join(folder, name)], { stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, said }).toEqual({ code: 0, said: expect.not.stringContaining('AssertionError') })
})
