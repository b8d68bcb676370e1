// Compiles src to dist with tsc and makes the command executable.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const require = createRequire(import.meta.url)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)
for (const path of Object.values(manifest.bin)) {
  const file = join(root, path)
  if (existsSync(file)) chmodSync(file, 0o755)
}
