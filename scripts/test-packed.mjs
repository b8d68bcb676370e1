// Packs the package, installs it in an empty folder, and recalls with it: what a user of the registry gets.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'prolepsis-packed-'))
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

try {
  const tarball = run('npm', ['pack', '--silent', '--pack-destination', folder], root)
    .trim()
    .split('\n')
    .at(-1)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  run('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, tarball)])
  writeFileSync(
    join(folder, 'try.js'),
    `import { createMemory } from 'prolepsis'
const memory = await createMemory({ dataDir: './data' })
await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md', tags: ['family'] })
await memory.retain('The router has to be restarted after a power cut.', { source: 'router.md' })
const found = await memory.recall("when's Kelly's birthday?")
if (found.passages[0]?.source !== 'kelly.md') throw new Error('recalled ' + JSON.stringify(found.passages))
if (found.passages[0].text !== 'Kelly was born on March 4th 1990.') throw new Error('not verbatim')
await memory.close()
`,
  )
  run('node', ['try.js'])
  const json = JSON.parse(
    run('npx', [
      '--no-install',
      'prolepsis',
      'recall',
      'what to do with the router?',
      '--json',
      '--data-dir',
      './data',
    ]),
  )
  if (json.passages[0]?.source !== 'router.md')
    throw new Error(`the command line recalled ${JSON.stringify(json)}`)
  console.log('The packed package works.')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
