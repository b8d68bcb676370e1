// The main job, on real text: keeps this project's own documentation and source in a memory of its own, asks it
// questions, and shows what came back and why. Everything below is the `prolepsis` command.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cli = fileURLToPath(new URL('../../dist/surfaces/cli/bin.js', import.meta.url))
const STORE = '.prolepsis/demo'

function prolepsis(...args) {
  const shown = args.map((arg) => (/[^A-Za-z0-9_./-]/.test(arg) ? `"${arg}"` : arg)).join(' ')
  console.log(`\n$ prolepsis ${shown}\n`)
  const { status } = spawnSync(process.execPath, [cli, ...args, '--data-dir', STORE], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error(`\nThe demonstration stopped: prolepsis ended with ${status}.`)
    process.exit(1)
  }
}

console.log(
  'A memory in a folder: no key, no server, no network. The first run embeds every chunk; later ones only what changed.',
)
prolepsis('index', 'docs', '--prefix', 'docs/')
prolepsis('index', 'src', '--prefix', 'src/')
prolepsis(
  'retain',
  'Kelly was born on March 4th 1990. She does not eat peanuts.',
  '--source',
  'people/kelly.md',
  '--tag',
  'family',
)
prolepsis('recall', 'when is Kelly’s birthday?', '--limit', '1')
prolepsis('recall', 'how are two processes kept from corrupting one data folder?', '--limit', '2')
prolepsis('recall', 'where is the BM25 score computed?', '--limit', '2', '--why')
prolepsis('stats')

console.log(`
Next, type for example:

  npx prolepsis recall "what happens when the disk is full?" --data-dir ${STORE}
  npx prolepsis init && npx prolepsis index ~/notes && npx prolepsis recall "…"
  npx prolepsis --help

As a library: README.md, "Library".`)
