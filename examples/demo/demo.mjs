// The main job, on real text: keeps this project's own documentation and a part of its source in a memory of its own, asks it
// questions, and shows what came back and why. Everything below is the `prolepsis` command.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cli = fileURLToPath(new URL('../../dist/surfaces/cli/bin.js', import.meta.url))
const STORE = '.prolepsis/demo'

function say(text) {
  console.log(`\n${text}`)
}

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

say(
  'A memory in a folder: no key, no server, no network. The first run embeds every passage, which takes a minute',
)
console.log('or so; the next one only what changed.')
prolepsis('index', 'docs', '--prefix', 'docs/')
// a part of the source: all of it would take two minutes more
const LEFT_OUT = [
  '*.test.ts',
  '__fixtures__',
  'surfaces',
  'providers',
  'answer',
  'jobs',
  'memory',
  'maintain',
  'retain',
]
prolepsis('index', 'src', '--prefix', 'src/', ...LEFT_OUT.flatMap((pattern) => ['--ignore', pattern]))
prolepsis(
  'retain',
  'Kelly was born on March 4th 1990. She does not eat peanuts.',
  '--source',
  'people/kelly.md',
  '--tag',
  'family',
)

say('Questions in their own words, on prose and on code. Each passage says where it stands, and why it came.')
prolepsis('recall', 'when is Kelly’s birthday?', '--limit', '1')
prolepsis('recall', 'what keeps two processes from corrupting the same data folder?', '--limit', '2')
prolepsis('recall', 'what should I do when there is no room left on the disk?', '--limit', '2')
prolepsis('recall', 'which function computes a BM25 score?', '--limit', '1', '--why')

say(
  'Only some sources; and only what may be trusted, happened at a time, or stood there at a time: see recall --help.',
)
prolepsis('recall', 'why is a half surrogate refused?', '--source', 'src/domain', '--limit', '1')

say('Forgotten means gone, from every table.')
prolepsis('forget', '--source', 'people/kelly.md')
prolepsis('recall', 'when is Kelly’s birthday?', '--tag', 'family', '--tag-strict')
prolepsis('stats')

say(`Next, type for example:

  npx prolepsis recall "how are fusion weights learned?" --data-dir ${STORE}
  npx prolepsis init && npx prolepsis index ~/notes && npx prolepsis recall "…"
  npx prolepsis --help

As a library: README.md, "Library", and examples/library.`)
