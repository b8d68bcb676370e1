import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ROOT } from '../api/imports.ts'
import { usedFolders } from '../support/used-folders.ts'

const folders = usedFolders()

test('the sources run as TypeScript, threads included, as scripts and benchmarks do', async () => {
  const program = join(ROOT, 'test/support/programs/store-user.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program, await folders.dataFolder()])
  const ended = once(child, 'close')
  child.stdin.end('sql select 1 as a\nquit\n')
  expect([await text(child.stdout), await text(child.stderr), (await ended)[0]]).toEqual([
    'owner\n[{"a":1}]\n',
    '',
    0,
  ])
})
