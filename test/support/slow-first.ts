import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, slowest first: begun last, one of them would leave the other worker idle. */
const SLOW = [
  'integration/store-processes',
  'retain/hostile-texts',
  'integration/store-folder',
  'contract/database',
  'integration/memory-processes',
  'local/local-embedder',
  'surfaces/cli-care',
  'integration/memory-bad-input',
  'surfaces/examples',
  'surfaces/cli-bad-input',
  'integration/memory-care',
  'integration/recall-sanity',
  'integration/memory-asked',
  'api/docs-snippets',
  'surfaces/cli-bin',
  'pglite/cluster',
]

/** A fresh checkout knows no durations of an earlier run, by which Vitest would order the files. */
export class SlowFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files.filter((file) => rank(file) === SLOW.length))
    const slow = files.filter((file) => rank(file) < SLOW.length).sort((a, b) => rank(a) - rank(b))
    return [...slow, ...others]
  }
}

function rank(file: TestSpecification): number {
  const index = SLOW.findIndex((name) => file.moduleId.endsWith(`${name}.test.ts`))
  return index < 0 ? SLOW.length : index
}
