import { expect, test } from 'vitest'
import { createMemory, type Memory } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { type ChildProgram, startProgram } from '../support/child-program.ts'
import { seededRandom } from '../support/kill-rounds.ts'
import { usedFolders } from '../support/used-folders.ts'

const { dataFolder, programs } = usedFolders()
function startWriter(folder: string, writer: string, count: number): ChildProgram {
  const program = startProgram('memory-writer', [folder, writer, String(count)])
  programs.push(program)
  return program
}

/** Every acknowledged source is there once, whole and recallable; the bank's invariants hold. */
async function check(folder: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const memory: Memory = await createMemory({ dataDir: folder, embedder: createFakeEmbedder() })
  try {
    expect(await memory.doctor()).toMatchObject({ clean: true })
    const documents = await memory.documents({ limit: 10_000 })
    expect(new Set(documents.map((one) => one.source)).size).toBe(documents.length)
    const there = new Set(documents.map((one) => one.source))
    expect([...acknowledged].filter((source) => !there.has(source))).toEqual([])
    for (const { source } of documents) {
      const number = Number(source.split('/')[1])
      const text = (await memory.document(source))?.text ?? ''
      expect(text.match(/speaks of Bob/g)).toHaveLength(1 + (number % 5))
      if (acknowledged.has(source)) expect(text).toContain(number % 4 === 0 ? 'second' : 'first')
    }
  } finally {
    await memory.close()
  }
}

// More of them to be sure of a release: KILL_ROUNDS=100 PROCESS_ROUNDS=20 npx vitest run test/integration/memory-processes.test.ts
const KILL_ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
const PROCESS_ROUNDS = Number(process.env.PROCESS_ROUNDS ?? 1)
// processes start slowly on a busy machine
const TIMEOUT_MS = 300_000 + (KILL_ROUNDS + PROCESS_ROUNDS) * 30_000

test(
  'a writer that is killed at random moments loses nothing acknowledged and leaves nothing half there',
  async () => {
    const folder = await dataFolder()
    const random = seededRandom(7)
    const acknowledged = new Set<string>()
    for (let round = 0; round < KILL_ROUNDS; round++) {
      const program = startWriter(folder, 'w', 1000)
      const stopAfter = 1 + Math.floor(random() * 12)
      const spins = Math.floor(random() * 40)
      let heard = 0
      for await (const line of program.lines) {
        if (!line.startsWith('w/')) continue
        acknowledged.add(line)
        if (++heard < stopAfter) continue
        for (let spin = 0; spin < spins; spin++) await new Promise((resolve) => setImmediate(resolve))
        program.kill('SIGKILL')
      }
      const { code, errors } = await program.ended
      expect([code, errors]).toEqual(['SIGKILL', ''])
      await check(folder, acknowledged)
    }
    expect(acknowledged.size).toBeGreaterThan(3)
  },
  TIMEOUT_MS,
)

test.each(Array.from({ length: PROCESS_ROUNDS }, (_, round) => [2 + ((round + 1) % 7), round]))(
  '%i processes write into one folder, the first is killed, nothing acknowledged is lost (%i)',
  async (processes) => {
    const folder = await dataFolder()
    const acknowledged = new Set<string>()
    const listen = async (program: ChildProgram, killAfter = Number.POSITIVE_INFINITY): Promise<string> => {
      let last = ''
      let heard = 0
      for await (const line of program.lines) {
        last = line
        if (line.includes('/')) acknowledged.add(line)
        if (line.includes('/') && ++heard === killAfter) program.kill('SIGKILL')
      }
      return last
    }
    const writers = [
      startWriter(folder, 'killed', 500),
      ...Array.from({ length: processes - 1 }, (_, i) => startWriter(folder, `w${i}`, 25)),
    ]
    const ends = await Promise.all(writers.map((writer, i) => listen(writer, i === 0 ? 10 : undefined)))
    const errors = await Promise.all(writers.map(async (writer) => (await writer.ended).errors))
    expect(errors).toEqual(writers.map(() => ''))
    expect(ends.slice(1)).toEqual(writers.slice(1).map(() => 'done'))
    expect(acknowledged.size).toBeGreaterThanOrEqual(10 + 25 * (processes - 1))
    await check(folder, acknowledged)
  },
  TIMEOUT_MS,
)
