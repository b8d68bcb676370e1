import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/prolepsis')
const KEEP_MS = 24 * 3_600_000

/**
 * The sources and the programs of test/support as JavaScript, laid out as in the checkout: a process that runs them starts in
 * half the time of one that compiles TypeScript as it loads, and so do its threads. Compiled once for a state of the sources.
 */
export function compileSources(): string {
  const files = ['src', 'test/support/programs'].flatMap(sourcesIn)
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'tsconfig.json')))
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)))
  const folder = join(CACHE, `compiled-${hash.digest('hex').slice(0, 12)}`)
  if (isPresent(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  removeOld()
  const fresh = mkdtempSync(`${folder}-`)
  compile(fresh, files)
  try {
    renameSync(fresh, folder)
  } catch (error) {
    // Another test file was faster.
    rmSync(fresh, { recursive: true })
    if (!isPresent(folder)) throw error
  }
  return folder
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort()
}

function compile(target: string, files: readonly string[]): void {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    // Types are checked elsewhere.
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      declaration: false,
      isolatedDeclarations: false,
      rootDir: ROOT,
      outDir: target,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [],
    files: files.map((file) => join(ROOT, file)),
  }
  writeFileSync(join(target, 'tsconfig.json'), JSON.stringify(config))
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', target], { stdio: ['ignore', 'inherit', 'inherit'] })
  // What the sources read from the package's root.
  for (const name of ['package.json', 'migrations', 'prompts', 'cluster', 'models', 'grammars'])
    symlinkSync(join(ROOT, name), join(target, name))
}

/** Earlier states; no run takes that long. */
function removeOld(): void {
  for (const name of readdirSync(CACHE).filter((entry) => entry.startsWith('compiled-'))) {
    const path = join(CACHE, name)
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path, { recursive: true, force: true })
  }
}

function isPresent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
