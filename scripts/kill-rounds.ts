/**
 * npx tsx scripts/kill-rounds.ts [ROUNDS] [SEED]: kills a process that writes to an embedded store, many times, and
 * checks after each that nothing acknowledged is lost and no transaction is half there. Exits with 1 if one is.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killRounds, seededRandom } from '../test/support/kill-rounds.ts'

const rounds = Number(process.argv[2] ?? 100)
const seed = Number(process.argv[3] ?? 1)
const parent = await mkdtemp(join(tmpdir(), 'prolepsis-kill-'))
let bad = 0
let acknowledged = 0
const times: number[] = []
for await (const round of killRounds(join(parent, 'store'), rounds, seededRandom(seed))) {
  acknowledged += round.acknowledged
  times.push(round.reopenMs)
  const faults = round.lost.length + round.doubled.length + round.halved.length
  bad += faults === 0 ? 0 : 1
  if (faults > 0 || round.round % 10 === 0)
    console.log(JSON.stringify({ ...round, reopenMs: Math.round(round.reopenMs) }))
}
times.sort((a, b) => a - b)
console.log(
  `${rounds} rounds, ${acknowledged} acknowledged, ${bad} bad; re-open p50 ${Math.round(times[times.length >> 1] ?? 0)} ms, most ${Math.round(times.at(-1) ?? 0)} ms (seed ${seed})`,
)
await rm(parent, { recursive: true, force: true })
process.exitCode = bad === 0 ? 0 : 1
