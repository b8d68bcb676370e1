import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createMemory } from '../../src/index.ts'
import { percentile, round } from '../quality/metrics.ts'

const CLI = fileURLToPath(new URL('../../dist/surfaces/cli/bin.js', import.meta.url))
const RUNS = 5

/** Whole-process times of `prolepsis recall`: alone, and while another process holds the folder. Needs `npm run build`. */
export async function timeCommandLine(
  dataDir: string,
  bank: string,
  questions: readonly string[],
): Promise<{ coldMs: number; withOwnerMs: number } | undefined> {
  if (!existsSync(CLI)) return undefined
  const asked = questions.slice(0, RUNS)
  const cold: number[] = []
  for (const question of asked) cold.push(await timeRecall(dataDir, bank, question))
  const owner = await createMemory({ dataDir, bank })
  await owner.recall(asked[0]!)
  const withOwner: number[] = []
  for (const question of asked) withOwner.push(await timeRecall(dataDir, bank, question))
  await owner.close()
  return { coldMs: round(percentile(cold, 0.5), 0), withOwnerMs: round(percentile(withOwner, 0.5), 0) }
}

function timeRecall(dataDir: string, bank: string, question: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(
      process.execPath,
      [CLI, 'recall', question, '--json', '--data-dir', dataDir, '--bank', bank],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let errors = ''
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString()
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0
        ? resolve(performance.now() - started)
        : reject(new Error(`prolepsis recall ended with ${code}: ${errors}`)),
    )
  })
}
