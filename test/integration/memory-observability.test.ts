import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemory, type Memory, type RetainResult } from '../../src/index.ts'
import { TRACE_CONTENT } from '../../src/observability/trace.ts'
import { TRACE_TABLES } from '../../src/store/queries/trace-tables.ts'
import { createFakeLanguageModel } from '../../src/testing.ts'
import { textOf } from '../api/imports.ts'
import { createTestFolder, type TestFolder } from '../support/data-folder.ts'
import { namesIn, tableRows } from '../support/doc-tables.ts'
import { createHashingEmbedder } from '../support/hashing-embedder.ts'
import { storeOf } from '../support/store-of.ts'

const page = textOf('docs/observability.md')

let memory: Memory
let folder: TestFolder
let kept: RetainResult
const ANSWER = JSON.stringify({
  status: 'answered',
  sentences: [{ text: 'Kelly was born in 1990.', citations: [{ id: 1, quote: 'Kelly was born' }] }],
})

beforeAll(async () => {
  folder = await createTestFolder()
  await mkdir(folder.path, { recursive: true })
  await writeFile(join(folder.path, 'note.md'), 'The printer is on floor two.')
  let broken = true
  const model = createFakeLanguageModel({
    reply: ({ purpose, prompt }) => {
      if (purpose === 'answer') return ANSWER
      if (purpose === 'questions' && broken) {
        broken = false
        throw new Error('the line is down')
      }
      return purpose === 'formulate' && !prompt.includes('unreadable')
        ? '{"questions":["When was Kelly born?"]}'
        : 'no JSON at all'
    },
  })
  let hasFailed = (): void => undefined
  const failed = new Promise<void>((resolve) => {
    hasFailed = resolve
  })
  memory = await createMemory({
    ...{ inMemory: true, embedder: createHashingEmbedder(), model, modelAttempts: 1, drainMs: 0 },
    onEvent: (event) => {
      if (event.type === 'job-end' && event.state === 'waiting') hasFailed()
    },
  })
  kept = await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
  // the first attempt fails; the second need not sit out its pause
  await failed
  await memory.jobs.retry({ source: 'kelly.md' })
  await memory.jobs.run({ until: 'now' })
  await memory.recall('Is it unreadable?')
  await memory.ask('When was Kelly born?').catch(() => undefined)
  await memory.sweep(folder.path)
})
afterAll(async () => {
  await memory.close()
  await folder.remove()
})

describe('ids join', () => {
  test('a question: its recall, formulation, model calls and answer are one trace', async () => {
    const [answer] = await memory.events.tail({ types: ['answer'] })
    const exchange = await memory.events.trace(answer!.traceId)
    const types = exchange!.events.map((event) => event.type)
    expect(new Set(types)).toEqual(new Set(['answer', 'recall', 'formulate', 'model-call']))
    const purposes = exchange!.events.flatMap((event) => (event.type === 'model-call' ? [event.purpose] : []))
    expect(purposes).toEqual(expect.arrayContaining(['formulate', 'answer']))
    const recall = exchange!.events.find((event) => event.type === 'recall')
    expect(answer).toMatchObject({ receiptIds: [recall?.type === 'recall' ? recall.receiptId : ''] })
    expect((await memory.events.trace(recall!.type === 'recall' ? recall!.receiptId! : ''))?.traceId).toBe(
      answer!.traceId,
    )
  })

  test('a text: its retain, job and model calls are one trace', async () => {
    const exchange = await memory.events.trace(kept.traceId)
    const types = exchange!.events.map((event) => event.type)
    expect(new Set(types)).toEqual(new Set(['retain', 'job', 'model-call']))
    const { documentId } = kept.document
    for (const event of exchange!.events) {
      if (event.type === 'model-call')
        expect(event).toMatchObject({ purpose: 'questions', documentIds: [documentId] })
      if (event.type === 'model-call') expect(event.jobId).not.toBeNull()
      if (event.type === 'job' || event.type === 'retain') expect(event.documentId).toBe(documentId)
    }
  })
})

describe('docs/observability.md', () => {
  const statements = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map((match) => match[1]!)

  test('has a page of SQL', () => expect(statements.length).toBeGreaterThan(10))

  test.each(statements.map((sql) => [sql.replace(/\s+/g, ' ').slice(0, 60), sql]))(
    '%s… runs',
    async (_, sql) => {
      const { database } = await storeOf(memory)
      const rows = await database.query<Record<string, unknown>>(sql.trim().replace(/;$/, ''))
      expect(rows.length).toBeGreaterThan(0)
    },
  )

  test('counts each model call of a text once, however many attempts its job took', async () => {
    const { database } = await storeOf(memory)
    const sql = statements.find((one) => one.includes('left join job_events'))!
    const rows = await database.query<{ source: string; calls: number }>(sql.trim().replace(/;$/, ''))
    const ofKept = rows.filter(({ source }) => source === 'kelly.md')
    expect(ofKept.length).toBeGreaterThan(1)
    const told = ofKept.reduce((sum, { calls }) => sum + Number(calls), 0)
    const events = (await memory.events.trace(kept.traceId))!.events
    expect(told).toBeGreaterThan(1)
    expect(told).toBeLessThanOrEqual(events.filter(({ type }) => type === 'model-call').length)
  })

  test('names every table with its columns of content, and no other', () => {
    const told = tableRows(page, 'table').map(([name, , content]) => [namesIn(name)[0], namesIn(content)])
    const content: readonly string[] = TRACE_CONTENT
    expect(told).toEqual(
      Object.values(TRACE_TABLES).map(({ name, columns }) => [
        name,
        columns.map((column) => column.name).filter((column) => content.includes(column)),
      ]),
    )
  })
})
