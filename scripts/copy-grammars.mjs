// Copies the grammars that the tree-sitter packages ship into grammars/, which is committed and belongs to the package.
// Run it after raising a grammar's version: node scripts/copy-grammars.mjs
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Package, file in the package, name here. */
const GRAMMARS = [
  ['tree-sitter-bash', 'tree-sitter-bash.wasm', 'bash'],
  ['tree-sitter-c', 'tree-sitter-c.wasm', 'c'],
  ['tree-sitter-c-sharp', 'tree-sitter-c_sharp.wasm', 'csharp'],
  ['tree-sitter-cpp', 'tree-sitter-cpp.wasm', 'cpp'],
  ['tree-sitter-css', 'tree-sitter-css.wasm', 'css'],
  ['tree-sitter-go', 'tree-sitter-go.wasm', 'go'],
  ['tree-sitter-java', 'tree-sitter-java.wasm', 'java'],
  ['tree-sitter-javascript', 'tree-sitter-javascript.wasm', 'javascript'],
  ['@tree-sitter-grammars/tree-sitter-lua', 'tree-sitter-lua.wasm', 'lua'],
  ['tree-sitter-php', 'tree-sitter-php.wasm', 'php'],
  ['tree-sitter-python', 'tree-sitter-python.wasm', 'python'],
  ['tree-sitter-ruby', 'tree-sitter-ruby.wasm', 'ruby'],
  ['tree-sitter-rust', 'tree-sitter-rust.wasm', 'rust'],
  ['tree-sitter-typescript', 'tree-sitter-tsx.wasm', 'tsx'],
  ['tree-sitter-typescript', 'tree-sitter-typescript.wasm', 'typescript'],
]

const root = fileURLToPath(new URL('../', import.meta.url))
const require = createRequire(import.meta.url)
const target = join(root, 'grammars')
rmSync(target, { recursive: true, force: true })
mkdirSync(target)

const lines = [
  '# Grammars',
  '',
  'Copied by `scripts/copy-grammars.mjs`; all under the MIT licence, texts in `LICENSES.txt`.',
  '',
]
const licences = new Map()
let bytes = 0
for (const [name, file, as] of GRAMMARS) {
  const folder = dirname(require.resolve(`${name}/package.json`))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (manifest.license !== 'MIT') throw new Error(`${name} is under ${manifest.license}, not MIT`)
  const copy = join(target, `${as}.wasm`)
  copyFileSync(join(folder, file), copy)
  bytes += statSync(copy).size
  lines.push(`* \`${as}.wasm\`: ${name} ${manifest.version}`)
  licences.set(name, licenceOf(folder))
}
writeFileSync(join(target, 'README.md'), `${lines.join('\n')}\n`)
const texts = [...licences].map(([name, text]) => `${name}\n\n${text}\n`)
writeFileSync(join(target, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
console.log(`${GRAMMARS.length} grammars, ${(bytes / 1e6).toFixed(1)} MB`)

function licenceOf(folder) {
  const file = ['LICENSE', 'LICENSE.md'].map((name) => join(folder, name)).find((path) => existsSync(path))
  if (file === undefined) throw new Error(`${folder} has no licence file`)
  return readFileSync(file, 'utf8').trim()
}
