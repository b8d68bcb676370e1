import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ProlepsisError } from '../../src/domain/errors.ts'
import type { Job } from '../../src/domain/jobs.ts'
import type { JobHandler } from '../../src/jobs/job-handler.ts'
import { removeSource } from '../../src/maintain/remove.ts'
import type { Database } from '../../src/store/database.ts'
import { deleteDocuments } from '../../src/store/queries/delete-documents.ts'
import { claimJobs, endAttempt, extendLease } from '../../src/store/queries/job-leases.ts'
import {
  cancelJobs,
  countJobs,
  deleteJobsBefore,
  enqueueJobs,
  listJobs,
  retryJobs,
} from '../../src/store/queries/jobs.ts'
import { forgetfulDatabase } from '../support/forgetful-database.ts'
import { type JobBank, openJobBank } from '../support/job-bank.ts'
import { describeStores, type OpenedStore } from './store-fixture.ts'

const MINUTE = 60_000
const DONE = { chunks: 1, kept: 2 }

describeStores('jobs', (open) => {
  let opened: OpenedStore
  let database: Database
  let line: JobBank
  beforeAll(async () => {
    opened = await open()
    database = opened.database
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    line = await openJobBank(database)
  })

  const bankId = (): number => line.bank.store.bankId
  const failing =
    (error: () => unknown): JobHandler =>
    () =>
      Promise.reject(error())
  const away = (details = {}) => new ProlepsisError('MODEL_UNAVAILABLE', 'The model is away.', { details })
  /** A second job of the same document. */
  const another = async (job: Job): Promise<number> => {
    const jobs = [{ kind: 'enrich', documentId: job.documentId } as const]
    return (await enqueueJobs(database, bankId(), jobs, new Date(line.now)))[0]!
  }
  const claim = (name: string, limit = 10) =>
    claimJobs(database, bankId(), {
      kinds: ['enrich'],
      claim: name,
      limit,
      now: new Date(line.now),
      leaseUntil: new Date(line.now + MINUTE),
    })

  describe('in line', () => {
    test('a new text is put in line with its version, and its payload says nothing of it', async () => {
      const jobId = await line.retain('a.md', 'The walrus sleeps.')
      const job = await line.job(jobId)
      expect(job).toMatchObject({
        kind: 'enrich',
        state: 'waiting',
        source: 'a.md',
        attempts: 0,
        payload: {},
      })
      expect(job.traceId).not.toBeNull()
    })

    test('an unchanged text, and one whose labels change, are not put in line again', async () => {
      await line.retain('a.md')
      await line.bank.retain('Text of a.md.', { source: 'a.md' })
      await line.bank.retain('Text of a.md.', { source: 'a.md', tags: ['x'] })
      await line.bank.retain('Text of a.md.', { source: 'a.md', title: 'Another title' })
      expect(await line.jobs()).toHaveLength(1)
    })

    test.each([[['Who sleeps?']], [[]]])(
      'questions that the caller gives (%j) leave nothing to do',
      async (questions) => {
        const result = await line.bank.retain('The walrus sleeps.', { source: 'a.md', questions })
        expect(result.jobs).toBe(0)
        expect(await line.jobs()).toEqual([])
      },
    )

    test('enrich: false puts nothing in line', async () => {
      expect((await line.bank.retain('The walrus.', { source: 'a.md', enrich: false })).jobs).toBe(0)
      expect((await line.bank.retain('The heron.', { source: 'b.md', enrich: true })).jobs).toBe(1)
    })

    test('questions given later end what waits', async () => {
      const jobId = await line.retain('a.md')
      await line.bank.retain('Text of a.md.', { source: 'a.md', questions: ['What is a?'] })
      expect(await line.job(jobId)).toMatchObject({ state: 'cancelled' })
    })

    test('a new version ends the job of the old one, a removal the last one', async () => {
      const first = await line.retain('a.md', 'One.')
      const second = await line.retain('a.md', 'Two.')
      expect(await line.job(first)).toMatchObject({ state: 'cancelled' })
      expect(await line.job(second)).toMatchObject({ state: 'waiting' })
      const clock = { now: () => line.now }
      await removeSource({ store: line.bank.store, clock }, 'a.md', { found: false })
      expect(await line.job(second)).toMatchObject({ state: 'cancelled' })
    })

    test('a forgotten document takes its jobs along', async () => {
      const jobId = await line.retain('a.md')
      const { documentId } = await line.job(jobId)
      await database.transaction((tx) => deleteDocuments(tx, bankId(), [documentId!]))
      expect(await line.jobs()).toEqual([])
    })

    test('banks do not see each other', async () => {
      await line.retain('a.md')
      const other = await openJobBank(database)
      expect(await other.jobs()).toEqual([])
      const seen: string[] = []
      await other.worker({ enrich: async (job) => ({ n: seen.push(job.source!) }) }).untilIdle()
      expect(seen).toEqual([])
    })
  })

  describe('claims', () => {
    test('a claim that is repeated gives the same jobs, and counts one attempt', async () => {
      for (const name of ['a', 'b', 'c']) await line.retain(name)
      const first = await claim('w#1', 2)
      const again = await claim('w#1', 2)
      expect(again.map((job) => job.jobId)).toEqual(first.map((job) => job.jobId))
      expect(again.map((job) => job.attempts)).toEqual([1, 1])
      expect(await claim('w#2')).toHaveLength(1)
      expect(await claim('w#3')).toEqual([])
    })

    test('jobs of one document are done one after the other, the oldest first', async () => {
      const first = await line.retain('a')
      const second = await another(await line.job(first))
      expect((await claim('w#1')).map((job) => job.jobId)).toEqual([first])
      expect(await claim('w#2')).toEqual([])
      const end = {
        jobId: first,
        claim: 'w#1',
        attempts: 1,
        runAfter: new Date(line.now),
        errorCode: null,
        error: null,
      }
      const spent = { calls: 1, inputTokens: 10, outputTokens: 5, costUsd: 0 }
      await endAttempt(database, bankId(), {
        ...end,
        state: 'done',
        finishedAt: new Date(line.now),
        spent,
        result: DONE,
      })
      expect((await claim('w#3')).map((job) => job.jobId)).toEqual([second])
    })

    test('a job in a pause holds up those behind it, a dead or cancelled one does not', async () => {
      const first = await line.retain('a')
      const second = await another(await line.job(first))
      await line.worker({ enrich: failing(away) }).untilIdle()
      expect(await line.job(first)).toMatchObject({ state: 'waiting', attempts: 1 })
      expect(await line.job(second)).toMatchObject({ state: 'waiting', attempts: 0 })
      await cancelJobs(database, bankId(), { jobId: first }, new Date(line.now))
      expect((await claim('w#1')).map((job) => job.jobId)).toEqual([second])
    })

    test('after its lease a job is another worker’s, and the first one can neither hold nor end it', async () => {
      const jobId = await line.retain('a')
      await claim('lost#1')
      line.now += MINUTE - 1
      expect(await claim('heir#1')).toEqual([])
      line.now += 1
      expect(await claim('heir#1')).toMatchObject([{ jobId, attempts: 2, worker: 'heir#1' }])
      const spent = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 }
      const leaseUntil = new Date(line.now + MINUTE)
      expect(
        await extendLease(database, bankId(), { jobId, claim: 'lost#1', leaseUntil, spent, result: {} }),
      ).toBe(false)
      const end = {
        jobId,
        attempts: 1,
        runAfter: leaseUntil,
        errorCode: null,
        error: null,
        finishedAt: null,
        spent,
        result: {},
      }
      expect(await endAttempt(database, bankId(), { ...end, claim: 'lost#1', state: 'done' })).toBe(false)
      expect(await endAttempt(database, bankId(), { ...end, claim: 'heir#1', state: 'done' })).toBe(true)
      // repeated after its answer was lost
      expect(await endAttempt(database, bankId(), { ...end, claim: 'heir#1', state: 'done' })).toBe(true)
    })

    test('a job that loses worker after worker is dead in the end', async () => {
      const jobId = await line.retain('a')
      const { maxAttempts } = await line.job(jobId)
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        expect(await claim(`w#${attempt}`)).toMatchObject([{ state: 'running', attempts: attempt }])
        line.now += MINUTE
      }
      await line.worker({ enrich: async () => DONE }).untilIdle()
      expect(await line.job(jobId)).toMatchObject({ state: 'dead', errorCode: 'WORKER_LOST' })
      expect(line.events.filter((event) => event.type === 'job-dead')).toHaveLength(1)
    })

    test('a job whose document is not current any more is cancelled when it is claimed', async () => {
      const first = await line.retain('a', 'One.')
      await line.retain('a', 'Two.')
      // as another version of this package would have left it
      await retryJobs(database, bankId(), { jobId: first }, new Date(line.now))
      const seen: number[] = []
      await line.worker({ enrich: async (job) => ({ n: seen.push(job.jobId) }) }).untilIdle()
      expect(seen).not.toContain(first)
      expect(await line.job(first)).toMatchObject({ state: 'cancelled' })
    })
  })

  describe('workers', () => {
    test('three workers and 200 jobs: each is run once', async () => {
      const jobs = Array.from(
        { length: 200 },
        (_, n) => ({ kind: 'enrich', documentId: null, payload: { n } }) as const,
      )
      await enqueueJobs(database, bankId(), jobs, new Date(line.now))
      const seen: unknown[] = []
      const handler: JobHandler = async (job) => {
        seen.push(job.payload.n)
        // another worker's turn
        await new Promise((resolve) => setImmediate(resolve))
        return DONE
      }
      const workers = [1, 2, 3].map(() => line.worker({ enrich: handler }))
      await Promise.all(workers.map((worker) => worker.untilIdle()))
      expect(seen).toHaveLength(200)
      expect(new Set(seen).size).toBe(200)
      expect(await countJobs(database, bankId())).toMatchObject({ done: 200, waiting: 0, running: 0 })
    })

    test('no more run at once than may, and none of one document beside another', async () => {
      const jobs = [await line.retain('a'), await line.retain('b'), await line.retain('c')]
      for (const jobId of [...jobs, ...jobs]) await another(await line.job(jobId))
      let most = 0
      const underWay = new Set<string>()
      const order: Record<string, number[]> = {}
      const handler: JobHandler = async ({ source, jobId }) => {
        expect(underWay.has(source!)).toBe(false)
        underWay.add(source!)
        most = Math.max(most, underWay.size)
        order[source!] = [...(order[source!] ?? []), jobId]
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        underWay.delete(source!)
        return DONE
      }
      await line.worker({ enrich: handler }, { concurrency: 2 }).untilIdle()
      expect(most).toBe(2)
      for (const ids of Object.values(order)) {
        expect(ids).toHaveLength(3)
        expect(ids).toEqual([...ids].sort((a, b) => a - b))
      }
    })

    test('an attempt that fails is made again after its pause, which doubles', async () => {
      const jobId = await line.retain('a')
      let fails = 3
      const times: number[] = []
      const worker = line.worker({
        enrich: async () => {
          times.push(line.now)
          if (fails-- > 0) throw away()
          return DONE
        },
      })
      for (const pause of [0, 5_000, 10_000, 20_000]) {
        line.now += pause - 1
        await worker.untilIdle()
        line.now += 1
        await worker.untilIdle()
      }
      expect(times.map((time, at) => time - (times[at - 1] ?? times[0]!))).toEqual([0, 5_000, 10_000, 20_000])
      expect(await line.job(jobId)).toMatchObject({ state: 'done', attempts: 4, error: null, result: DONE })
      expect(line.traces.map(({ event, errorCode }) => [event, errorCode])).toEqual([
        ['failed', 'MODEL_UNAVAILABLE'],
        ['failed', 'MODEL_UNAVAILABLE'],
        ['failed', 'MODEL_UNAVAILABLE'],
        ['done', null],
      ])
    })

    test('a job out of attempts is dead with its reason, and is done when it is retried', async () => {
      const jobId = await line.retain('a')
      let works = false
      const worker = line.worker({
        enrich: async () => {
          if (!works) throw new ProlepsisError('MODEL_REPLY_INVALID', 'The reply is prose.')
          return DONE
        },
      })
      for (let hour = 0; hour < 24; hour++) {
        await worker.untilIdle()
        line.now += 60 * MINUTE * 1.3
      }
      const dead = await line.job(jobId)
      expect(dead).toMatchObject({
        state: 'dead',
        attempts: 12,
        errorCode: 'MODEL_REPLY_INVALID',
        error: 'The reply is prose.',
      })
      expect(line.events.at(-1)).toMatchObject({ type: 'job-dead', jobId, errorCode: 'MODEL_REPLY_INVALID' })
      works = true
      await worker.untilIdle()
      expect(await line.job(jobId)).toMatchObject({ state: 'dead' })
      expect(await retryJobs(database, bankId(), { state: 'dead', source: 'a' }, new Date(line.now))).toEqual(
        [jobId],
      )
      await worker.untilIdle()
      expect(await line.job(jobId)).toMatchObject({ state: 'done', attempts: 1, error: null })
    })

    test("the day's budget ends no job, however often it is spent", async () => {
      const jobId = await line.retain('a')
      const worker = line.worker({ enrich: failing(() => new ProlepsisError('BUDGET_EXCEEDED', 'Spent.')) })
      for (let day = 0; day < 60; day++) {
        await worker.untilIdle()
        expect(await line.job(jobId)).toMatchObject({
          state: 'waiting',
          attempts: 0,
          errorCode: 'BUDGET_EXCEEDED',
        })
        line.now += 86_400_000
      }
    })

    test('what was spent and counted stays with the job, also of attempts that failed', async () => {
      const jobId = await line.retain('a')
      let first = true
      const worker = line.worker({
        enrich: async (job, { spend, progress, extend }) => {
          spend({ inputTokens: 100, outputTokens: 20, reasoningTokens: null, costUsd: 0.5 }, 2)
          progress({ kept: (job.result.kept ?? 0) + 3 })
          await extend()
          if (first) {
            first = false
            throw away()
          }
          return { kept: (job.result.kept ?? 0) + 3 }
        },
      })
      await worker.untilIdle()
      line.now += MINUTE
      await worker.untilIdle()
      expect(await line.job(jobId)).toMatchObject({
        state: 'done',
        spent: { calls: 4, inputTokens: 200, outputTokens: 40, costUsd: 1 },
        result: { kept: 6 },
      })
    })

    test('a job that is cancelled while it runs tells its handler, and stays cancelled', async () => {
      const jobId = await line.retain('a')
      const worker = line.worker({
        enrich: async (_job, { signal, extend }) => {
          await cancelJobs(database, bankId(), { jobId }, new Date(line.now))
          await expect(extend()).rejects.toMatchObject({ code: 'CANCELLED' })
          expect(signal.aborted).toBe(true)
          return DONE
        },
      })
      await worker.untilIdle()
      expect(await line.job(jobId)).toMatchObject({ state: 'cancelled', result: {} })
      expect(line.events.at(-1)).toMatchObject({ type: 'job-end', state: 'lost' })
    })

    test('a worker that stops puts back what runs, with its attempt', async () => {
      const jobId = await line.retain('a')
      let started = (): void => undefined
      const running = new Promise<void>((resolve) => {
        started = resolve
      })
      const worker = line.worker({
        enrich: (_job, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
            started()
          }),
      })
      await worker.look()
      await running
      await worker.stop()
      expect(await line.job(jobId)).toMatchObject({ state: 'waiting', attempts: 0, error: null })
      await worker.untilIdle()
      expect(worker.running()).toBe(0)
      await line.worker({ enrich: async () => DONE }).untilIdle()
      expect(await line.job(jobId)).toMatchObject({ state: 'done', attempts: 1 })
    })

    test('a worker whose store loses every other answer runs each job once, in one attempt', async () => {
      const ids: number[] = []
      for (const source of ['a', 'b', 'c']) ids.push(await line.retain(source))
      const store = { ...line.bank.store, database: forgetfulDatabase(database) }
      const seen: number[] = []
      const handler: JobHandler = async (job, { extend, spend }) => {
        seen.push(job.jobId)
        spend({ inputTokens: 10, outputTokens: 1, reasoningTokens: null, costUsd: null })
        await extend()
        return DONE
      }
      await line.worker({ enrich: handler }, { banks: async () => [store] }).untilIdle()
      expect(seen.sort((a, b) => a - b)).toEqual(ids)
      for (const jobId of ids)
        expect(await line.job(jobId)).toMatchObject({
          state: 'done',
          attempts: 1,
          spent: { calls: 1, inputTokens: 10 },
        })
      expect(line.events.filter((event) => event.type === 'job-end' && event.state === 'done')).toHaveLength(
        3,
      )
    })

    test('kinds that nobody handles stay in line', async () => {
      const jobId = await line.retain('a')
      await line.worker({ embed: async () => DONE }).untilIdle()
      await line.worker({}).untilIdle()
      expect(await line.job(jobId)).toMatchObject({ state: 'waiting', attempts: 0 })
    })

    test('a reason that the store cannot keep is kept as far as it can', async () => {
      const jobId = await line.retain('a')
      await line
        .worker({ enrich: failing(() => new Error(`bad \u0000 \ud800 ${'x'.repeat(9_000)}`)) })
        .untilIdle()
      const { error, errorCode } = await line.job(jobId)
      expect(errorCode).toBe('UNEXPECTED')
      expect(error).toMatch(/^bad \ufffd \ufffd x+$/)
      expect(error).toHaveLength(500)
    })
  })

  test('jobs are listed by state, kind and source, page by page', async () => {
    const ids: number[] = []
    for (const source of ['x/1', 'x/2', 'y/1', 'y/2']) ids.push(await line.retain(source))
    await cancelJobs(database, bankId(), { sourcePrefix: 'y/' }, new Date(line.now))
    const idsOf = async (selector: Parameters<typeof listJobs>[2]): Promise<number[]> =>
      (await listJobs(database, bankId(), selector)).map((job) => job.jobId)
    const [a, b, c, d] = ids as [number, number, number, number]
    expect(await idsOf({})).toEqual([d, c, b, a])
    expect(await idsOf({ limit: 2, before: d })).toEqual([c, b])
    expect(await idsOf({ state: 'cancelled' })).toEqual([d, c])
    expect(await idsOf({ source: 'x/2' })).toEqual([b])
    expect(await idsOf({ sourcePrefix: 'x/', kind: 'enrich' })).toEqual([b, a])
    expect(await idsOf({ kind: 'embed' })).toEqual([])
    expect(await idsOf({ sourcePrefix: '%' })).toEqual([])
  })

  test('old jobs that are done go, dead ones stay', async () => {
    const done = await line.retain('a')
    await line.worker({ enrich: async () => DONE }).untilIdle()
    const dead = await line.retain('b')
    await line.worker({ enrich: failing(() => new ProlepsisError('INVALID_ARGUMENT', 'No.')) }).untilIdle()
    expect(await deleteJobsBefore(database, bankId(), new Date(line.now))).toBe(0)
    expect(await deleteJobsBefore(database, bankId(), new Date(line.now + 1))).toBe(1)
    expect((await line.jobs()).map((job) => job.jobId)).toEqual([dead])
    expect(done).not.toBe(dead)
  })
})
