import { openStore } from '../../src/store/open.ts'
import { startProgram } from './child-program.ts'
import { checkPairs, type PairReport } from './pairs.ts'

export interface KillRound extends PairReport {
  readonly round: number
  /** The kill came after this many acknowledged pairs. */
  readonly acknowledged: number
  readonly reopenMs: number
}

/**
 * Kills a writer (SIGKILL) after a random number of acknowledged pairs and a random part of the next one's time, opens
 * the folder and checks it; again and again on the same folder.
 * @param random in [0, 1)
 */
export async function* killRounds(
  folder: string,
  rounds: number,
  random: () => number,
): AsyncGenerator<KillRound> {
  const acknowledged: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const program = startProgram('pair-writer', [folder, 'w', '100000'])
    const before = acknowledged.length
    const stopAfter = Math.floor(random() * 60)
    // Spins of the event loop, not time: the moment within a pair is as good as random.
    const spins = Math.floor(random() * 50)
    for await (const line of program.lines) {
      const number = Number(line)
      if (Number.isInteger(number)) acknowledged.push(number)
      if (acknowledged.length - before < stopAfter) continue
      for (let spin = 0; spin < spins; spin += 1) await new Promise((resolve) => setImmediate(resolve))
      program.kill('SIGKILL')
    }
    const { code, errors } = await program.ended
    if (code !== 'SIGKILL') throw new Error(`The writer ended by itself (${code}): ${errors}`)
    const started = performance.now()
    const database = await openStore({ dataDir: folder })
    const reopenMs = performance.now() - started
    try {
      const [table] = await database.query<{ present: boolean }>(
        "select to_regclass('halves_b') is not null as present",
      )
      const report = table?.present
        ? await checkPairs(database, 'w', acknowledged)
        : { lost: acknowledged, doubled: [], halved: [], present: 0 }
      yield { round, acknowledged: acknowledged.length - before, reopenMs, ...report }
    } finally {
      await database.close()
    }
  }
}

/** A small seeded generator (mulberry32), so that a round can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
