import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modulesOf, programOf, snippetsOf } from '../support/doc-snippets.ts'
import { closeMemories } from '../support/snippet-package.ts'
import { ROOT, textOf } from './imports.ts'

const PROGRAMS = ['README.md', 'docs/library.md']
const DOCUMENTS = [...PROGRAMS, 'docs/observability.md']
const PACKAGE = join(ROOT, 'test/support/snippet-package.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prolepsis-docs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every snippet of the documents passes the type check, under the strictest settings', () => {
  const modules = DOCUMENTS.flatMap((document) => modulesOf(snippetsOf(textOf(document))))
  expect(modules.length).toBeGreaterThan(DOCUMENTS.length)
  for (const [i, code] of modules.entries()) writeFileSync(join(folder, `snippet-${i}.ts`), code)
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      paths: { prolepsis: [join(ROOT, 'src/index.ts')], 'prolepsis/testing': [join(ROOT, 'src/testing.ts')] },
      typeRoots: [join(ROOT, 'node_modules/@types')],
      isolatedDeclarations: false,
    },
    include: ['snippet-*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  expect(typeErrors()).toBe('')
})

function typeErrors(): string {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  try {
    return execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    // the compiler tells on standard output what it found, and ends with 1 or 2
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}

describe('the program of each document runs and prints what the document says', () => {
  const cwd = process.cwd()
  afterAll(async () => {
    process.chdir(cwd)
    await closeMemories()
  })

  test.each(PROGRAMS)('%s', async (document) => {
    const here = join(folder, document.replaceAll('/', '-'))
    mkdirSync(join(here, 'docs'), { recursive: true })
    writeFileSync(join(here, 'docs/install.md'), '# Install\n\nRun the installer.\n')
    writeFileSync(join(here, 'docs/ports.json'), '{ "server": { "port": 8080 } }\n')
    process.chdir(here)
    const program = join(here, 'program.ts')
    writeFileSync(program, programOf(snippetsOf(textOf(document)), PACKAGE))
    await import(/* @vite-ignore */ program)
  })
})
