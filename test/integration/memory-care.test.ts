import { AsyncResource } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createMemory,
  type ForgetSelector,
  type Memory,
  type RecallOptions,
  type RecallQuery,
} from '../../src/index.ts'
import { exportBank } from '../../src/maintain/export-bank.ts'
import { forget, startForgetting } from '../../src/maintain/forget.ts'
import type { Queryable } from '../../src/store/database.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { everyTable } from '../support/every-table.ts'
import { faults, fillBank } from '../support/filled-bank.ts'
import { storeOf } from '../support/store-of.ts'
import { codeOf, collect, useTestMemory } from '../support/test-memory.ts'

const { bank, embedder, clock } = useTestMemory()

const filled = (): Promise<Memory> => fillBank(bank())

describe('forget', () => {
  test('removes a source in all its versions from every table', async () => {
    const memory = await filled()
    const { receipt } = await memory.recall('Is Oslo a city?')
    await memory.feedback(receipt!, { used: ['trips/oslo.md#1'] })
    expect(await memory.forget({ source: 'trips/zanzibar.md' })).toEqual({ documents: 1, chunks: 1 })
    expect(await memory.forget({ source: 'chat/1' })).toEqual({ documents: 1, chunks: 1 })
    const tables = await everyTable(memory)
    expect(tables).not.toMatch(/zanzibar|quokka|quentin/i)
    expect(tables).toMatch(/oslo/i)
    expect(await memory.versions('trips/zanzibar.md')).toEqual([])
    expect(await faults(memory)).toEqual([])
  })

  test('questions that quote it go from the receipts, in the message, history or queries; the receipts stay', async () => {
    const memory = bank()
    const secret = 'My secret is a tattoo of a quokka, which Zelda drew in spring.'
    await memory.retain(`${secret} It is blue.`, { source: 'secret' })
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    const ask = async (query: RecallQuery, options: RecallOptions = {}) => {
      const { receipt } = await memory.recall(query, { source: 'oslo', ...options })
      return receipt!
    }
    const quoting = [
      await ask(secret, { source: '' }),
      await ask(secret),
      await ask({ message: 'Is it so?', history: [{ role: 'user', content: `You said: ${secret}` }] }),
      await ask({ message: 'Is it so?', queries: ['A TATTOO of a quokka which   Zelda drew?'] }),
      await ask('Is it so?', { where: { about: secret } }),
    ]
    // it returned the text: what it asked may tell of it
    const returned = await ask('What is on the skin?', { source: '' })
    const other = await ask('Which city is it?')
    await memory.feedback(quoting[1]!, { used: ['oslo#1'] })
    await memory.forget({ source: 'secret' })
    expect(await everyTable(memory)).not.toMatch(/tattoo|quokka|zelda|skin/i)
    for (const receipt of [...quoting, returned]) {
      expect(await codeOf(memory.explain(receipt))).toBe('NOT_FOUND')
    }
    expect((await memory.explain(other)).message).toBe('Which city is it?')
    await memory.feedback(quoting[2]!, { cited: ['oslo#1'] })
    expect((await memory.stats()).receipts).toBe(7)
    expect(await faults(memory)).toEqual([])
  })

  test('a single chunk leaves the receipts too', async () => {
    const memory = bank()
    const turns = ['My secret is a tattoo.', 'I see.'].map((content) => ({ role: 'Ann', content }))
    await memory.retain(turns, { source: 'c' })
    await memory.recall('Ann: My secret is a tattoo.', { limit: 1 })
    await memory.forget({ ref: 'c#1' })
    expect(await everyTable(memory)).not.toMatch(/tattoo/)
  })

  test('what is retained between the look-up and the deletion goes too', async () => {
    const memory = bank()
    await memory.retain('Zanzibar is far.', { source: 'trip' })
    const store = await storeOf(memory)
    let late: Promise<unknown> | null = null
    const database = new Proxy(store.database, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name, target)
        if (name !== 'transaction' || late !== null) return typeof own === 'function' ? own.bind(target) : own
        return async (...call: Parameters<typeof target.transaction>) => {
          late = memory.retain('Zanzibar is very far.', { source: 'trip' })
          await late
          return target.transaction(...call)
        }
      },
    })
    const events = { emit: () => undefined }
    const noChunk = () => Promise.reject(new Error('no chunk is meant'))
    expect(
      await forget(
        { store: { ...store, database }, clock, events },
        { source: 'trip' },
        noChunk,
        startForgetting(),
      ),
    ).toEqual({
      documents: 2,
      chunks: 2,
    })
    expect(await everyTable(memory)).not.toMatch(/zanzibar/i)
  })

  test('a selector that is undefined says nothing, `all` above all', async () => {
    const memory = await filled()
    // a caller without exact types may hand over all the names
    const selector = { ref: undefined, all: undefined, tag: undefined, source: 'trips/zanzibar.md' }
    expect(await memory.forget(selector as unknown as ForgetSelector)).toEqual({ documents: 1, chunks: 1 })
    expect((await memory.stats()).documents.current).toBeGreaterThan(0)
    for (const none of [{ all: undefined }, { ref: undefined, all: undefined }, {}])
      expect(await codeOf(memory.forget(none as unknown as ForgetSelector))).toBe('INVALID_ARGUMENT')
  })

  test('takes a prefix, a tag, or everything; nothing matched is no error', async () => {
    const memory = await filled()
    expect(await memory.forget({ tag: 'city' })).toEqual({ documents: 2, chunks: 2 })
    expect(await memory.forget({ sourcePrefix: 'trips/' })).toEqual({ documents: 1, chunks: 1 })
    expect(await memory.forget({ sourcePrefix: 'trips/' })).toEqual({ documents: 0, chunks: 0 })
    await memory.recall('anything')
    expect(await memory.forget({ all: true })).toEqual({ documents: 1, chunks: 1 })
    expect(await memory.stats()).toMatchObject({ chunks: 0, terms: 0, postings: 0, receipts: 0, vectors: {} })
    expect((await memory.recall('anything')).passages).toEqual([])
  })

  test('a chunk goes with its like in other versions, the rest of the text stays', async () => {
    const memory = bank()
    const turns = (last: string) => [
      { role: 'Ann', content: 'My secret is a tattoo.' },
      { role: 'Bob', content: last },
    ]
    await memory.retain(turns('I see.'), { source: 'c' })
    await memory.retain(turns('I understand.'), { source: 'c' })
    expect(await memory.forget({ ref: 'c#1' })).toEqual({ documents: 0, chunks: 2 })
    expect(await everyTable(memory)).not.toMatch(/tattoo/)
    expect((await memory.document('c'))?.text).toBe('Bob: I understand.\n')
    expect((await memory.retain(turns('I understand.'), { source: 'c' })).status).toBe('unchanged')
    expect((await memory.document('c'))?.document.notes[0]).toMatch(/a chunk was forgotten on 2024/)
    expect(await memory.get('c#2')).toMatchObject({ speaker: 'Bob' })
    expect(await faults(memory)).toEqual([])
    await memory.rebuildIndex()
    expect(await faults(memory)).toEqual([])
    expect(await everyTable(memory)).not.toMatch(/tattoo/)
  })

  test('what neighbours say by the words of a forgotten chunk goes too', async () => {
    const memory = bank()
    const turns = (last: string) => [
      { role: 'Ann', content: 'Hello Bob, how was your day?' },
      { role: 'Bob', content: 'It was fine, thank you for asking me.' },
      { role: 'Ann', content: 'Did the zookeeper feed the quokka this morning?' },
      { role: 'Bob', content: 'Yes, he did it at eight and then he left.' },
      { role: 'Ann', content: last },
    ]
    await memory.retain(turns('I see, that is early.'), {
      source: 'c',
      questions: { 3: ['When did he come?'] },
    })
    await memory.retain(turns('I understand, that is early.'), {
      source: 'c',
      questions: { 3: ['When did he come?'] },
    })
    const guide = (name: string) => `# ${name}\n\n${`All about ${name}. `.repeat(150)}\n\n`
    const rest = `${'The harbour opens at nine in the summer. '.repeat(150)}\n`
    await memory.retain(`---\nowner: numbat\n---\n${guide('Wombats')}${rest}`, { source: 'guide.md' })
    const found = async (words: RegExp) => words.test(await everyTable(memory))
    expect([await found(/quokka/i), await found(/wombat/i), await found(/numbat/)]).toEqual([
      true,
      true,
      true,
    ])

    expect(await memory.forget({ ref: 'c#3' })).toEqual({ documents: 0, chunks: 2 })
    const chunks = (await memory.documents()).find((one) => one.source === 'guide.md')!.chunkCount
    for (let at = 1; at <= chunks; at++) {
      const passage = await memory.get(`guide.md#${at}`)
      if (/wombat|numbat/i.test(passage!.text)) await memory.forget({ ref: `guide.md#${at}` })
    }
    const tables = await everyTable(memory)
    expect(tables).not.toMatch(/quokka|zookeep|wombat|numbat/i)
    expect(tables).toMatch(/harbour/)
    expect(tables).toMatch(/When did he come/)
    expect((await memory.recall('When did he come?')).passages[0]).toMatchObject({
      ref: 'c#4',
      speaker: 'Bob',
    })
    expect(await faults(memory)).toEqual([])
    await memory.rebuildIndex()
    expect(await everyTable(memory)).not.toMatch(/quokka|zookeep|wombat|numbat/i)
    expect(await faults(memory)).toEqual([])
  })

  test('what answers several messages on say by its words goes too, and people whom nothing else names', async () => {
    const memory = bank()
    const turns = [
      { role: 'Ann', content: 'Did Zelda Fitzgerald feed the quokka this morning?' },
      { role: 'Ann', content: 'Or was it perhaps somebody else from the garden?' },
      { role: 'Bob', content: 'Yes, it was done at eight.' },
      { role: 'Bob', content: 'And then everybody went home for the day.' },
    ]
    await memory.retain(turns, { source: 'c', questions: { 0: ['Who fed the numbat?'] } })
    const lines = async () =>
      (await everyTable(memory)).split('\n').filter((line) => /quokka|zelda|fitzgerald|numbat/i.test(line))
    expect((await lines()).length).toBeGreaterThan(6)
    await memory.forget({ ref: 'c#1' })
    expect(await lines()).toEqual([])
    expect(await faults(memory)).toEqual([])
  })

  test('the only chunk goes with its document', async () => {
    const memory = bank()
    await memory.retain('Just this.', { source: 'one' })
    expect(await memory.forget({ ref: 'one#1' })).toEqual({ documents: 1, chunks: 1 })
    expect((await memory.retain('Just this.', { source: 'one' })).status).toBe('created')
  })

  test('takes exactly one selector', async () => {
    const memory = bank()
    // callers without types may hand over anything
    const forget = (selector: unknown) => codeOf(memory.forget(selector as { all: true }))
    await memory.retain('Stays.', { source: 's' })
    expect(await forget({})).toBe('INVALID_ARGUMENT')
    expect(await forget({ source: 's', tag: 't' })).toBe('INVALID_ARGUMENT')
    expect(await forget({ all: false })).toBe('INVALID_ARGUMENT')
    expect(await forget({ source: '' })).toBe('INVALID_ARGUMENT')
    expect(await forget({ suorce: 's' })).toBe('UNKNOWN_OPTION')
    expect(await forget({ ref: 'no ref' })).toBe('INVALID_ARGUMENT')
    expect(await forget(null)).toBe('INVALID_ARGUMENT')
    expect((await memory.documents()).length).toBe(1)
  })
})

describe('export and import', () => {
  test('a bank comes back as it was: versions, times, labels, questions, activity', async () => {
    const memory = await filled()
    const { receipt } = await memory.recall('Is Oslo a city?')
    await memory.feedback(receipt!, { used: ['trips/oslo.md#1'] })
    await memory.remove('chat/1')
    const lines = await collect(memory.export())
    const copy = bank()
    expect(await copy.import(lines)).toEqual({ documents: 4, unchanged: 0, chunks: 4 })
    const again = await collect(copy.export())
    const comparable = (all: string[]) => all.slice(1).map((line) => JSON.parse(line))
    expect(comparable(again)).toEqual(comparable(lines))
    expect(await faults(copy)).toEqual([])
    expect((await copy.recall('Where is Zanzibar?')).passages[0]?.cue?.text).toBe('Where is Zanzibar?')
    expect((await copy.recall('Oslo')).passages[0]?.text).toBe('Oslo is a big city.')
  })

  test('importing again changes nothing; an older export into a bank that went on does not set it back', async () => {
    const memory = await filled()
    const lines = await collect(memory.export())
    await memory.retain('Oslo is the capital.', { source: 'trips/oslo.md' })
    expect(await memory.import(lines)).toMatchObject({ documents: 0, unchanged: 4 })
    expect((await memory.document('trips/oslo.md'))?.text).toBe('Oslo is the capital.')
    const copy = bank()
    await copy.import(lines)
    expect(await copy.import(await collect(memory.export()))).toMatchObject({ documents: 1, unchanged: 4 })
    expect((await copy.document('trips/oslo.md'))?.text).toBe('Oslo is the capital.')
    expect((await copy.versions('trips/oslo.md')).map((one) => one.state)).toEqual([
      'current',
      'superseded',
      'superseded',
    ])
  })

  test('a note of forgotten chunks is told on, and hides no gap from doctor', async () => {
    const memory = bank()
    const turns = ['one', 'two', 'three'].map((word) => ({ role: 'Ann', content: `I said ${word}.` }))
    await memory.retain(turns, { source: 'c' })
    await memory.forget({ ref: 'c#1' })
    expect(await faults(memory)).toEqual([])
    const copy = bank()
    await copy.import(await collect(memory.export()))
    const note = 'before the import, a chunk was forgotten on 2024-01-01'
    expect((await copy.document('c'))?.document.notes).toEqual([note])
    const third = bank()
    await third.import(await collect(copy.export()))
    expect((await third.document('c'))?.document.notes).toEqual([note])
    const { database, bankId } = await storeOf(third)
    await database.execute('update chunks set ordinal = ordinal + 1 where bank_id = $1 and ordinal = 1', [
      bankId,
    ])
    expect((await faults(third)).map((finding) => finding.check)).toEqual(['chunk-order'])
  })

  test('a line that is not ours is refused by its number', async () => {
    const lines = await collect((await filled()).export())
    const refused = async (changed: string[], line: number) =>
      expect(bank().import(changed)).rejects.toMatchObject({ code: 'IMPORT_INVALID', details: { line } })
    await refused([], 1)
    await refused(['hello'], 1)
    await refused(lines.slice(1), 1)
    await refused([lines[0]!, '{"type":"document"}', ...lines.slice(2)], 2)
    await refused([lines[0]!, lines[1]!.replace('"trust":"user"', '"trust":"pope"'), ...lines.slice(2)], 2)
    await refused(lines.slice(0, -1), lines.length - 1)
    await refused([...lines, lines[1]!], lines.length + 1)
    await refused([lines[0]!, lines[1]!, lines.at(-1)!], 3)
    await refused([lines[0]!.replace('"version":1', '"version":99'), ...lines.slice(1)], 1)
    await refused([lines[0]!, lines[1]!.replace('Zanzibar is', 'Zanzibar \\u0000 is'), ...lines.slice(2)], 2)
  })

  test('a version whose state and times disagree is refused, a line too deep says so', async () => {
    const lines = await collect((await filled()).export())
    const message = async (change: (document: Record<string, unknown>) => void) => {
      const document = JSON.parse(lines[1]!)
      change(document)
      const failure: unknown = await bank()
        .import([lines[0]!, JSON.stringify(document), lines.at(-1)!])
        .catch((error: unknown) => error)
      return failure instanceof Error ? failure.message : ''
    }
    const later = '2031-01-01T00:00:00.000Z'
    const early = '1931-01-01T00:00:00.000Z'
    expect(await message((one) => Object.assign(one, { validTo: later }))).toContain(
      'a current version has no end',
    )
    expect(await message((one) => Object.assign(one, { state: 'superseded' }))).toContain('has an end')
    expect(await message((one) => Object.assign(one, { state: 'deleted', validTo: early }))).toContain(
      'it is before validFrom',
    )
    let deep: unknown = 1
    for (let level = 0; level < 300; level++) deep = [deep]
    expect(await message((one) => Object.assign(one, { metadata: { deep } }))).toContain(
      'over 200 levels deep',
    )
  })

  test('each document is exported as it stands at one moment', async () => {
    const memory = await filled()
    const store = await storeOf(memory)
    // outside the transaction that it interrupts
    const forgetTravel = AsyncResource.bind(() => memory.forget({ tag: 'travel' }))
    let interruption: Promise<unknown> | null = null
    const interrupt = (sql: string) => {
      if (sql.includes('from chunks c join documents')) interruption ??= forgetTravel()
      return interruption
    }
    const database = new Proxy(store.database, {
      get(target, name) {
        if (name === 'query') {
          return async (...call: Parameters<typeof target.query>) => {
            const rows = await target.query(...call)
            await interrupt(call[0])
            return rows
          }
        }
        if (name !== 'transaction') return Reflect.get(target, name, target)
        return (work: (tx: Queryable) => Promise<unknown>) =>
          target.transaction((tx) =>
            work({
              ...{ execute: tx.execute.bind(tx), copy: tx.copy.bind(tx), script: tx.script.bind(tx) },
              async query(...call) {
                const rows = await tx.query(...call)
                // the embedded store lets nothing in between
                if (target.engine === 'postgres') await interrupt(call[0])
                else void interrupt(call[0])
                return rows as never[] // rows of whatever type the query has
              },
            }),
          )
      },
    })
    const events = { emit: () => undefined }
    const lines = await collect(exportBank({ store: { ...store, database }, clock, events }))
    await interruption
    expect(lines[1]).toContain('Where is Zanzibar?')
    expect(await collect(memory.export())).toHaveLength(3)
  })

  test('another text as the same version is refused, what came before it stays', async () => {
    const memory = await filled()
    const lines = await collect(memory.export())
    const other = bank()
    await other.retain('Oslo is a village.', { source: 'trips/oslo.md' })
    await expect(other.import(lines)).rejects.toMatchObject({ code: 'IMPORT_INVALID', details: { line: 3 } })
    expect((await other.document('trips/oslo.md'))?.text).toBe('Oslo is a village.')
    expect((await other.documents()).map((one) => one.source)).toEqual(['trips/oslo.md', 'trips/zanzibar.md'])
  })
})

test('banks are created, listed, configured and deleted, each with its own texts', async () => {
  const memory = bank()
  const info = await memory.banks.create('élan.2', { language: 'french', settings: { limit: 1 } })
  expect(info).toMatchObject({
    name: 'élan.2',
    language: 'french',
    modelId: embedder.modelId,
    settings: { limit: 1 },
  })
  expect(await codeOf(memory.banks.create('élan.2'))).toBe('BANK_EXISTS')
  expect((await memory.banks.configure('élan.2', { mode: 'lexical', limit: null })).settings).toEqual({
    mode: 'lexical',
  })
  expect((await memory.banks.list()).map((one) => one.name)).toContain('élan.2')
  await memory.bank('élan.2').retain('Les chats dorment.', { source: 'x' })
  await memory.retain('Dogs bark.', { source: 'x' })
  expect((await memory.recall('chat')).passages.map((passage) => passage.text)).toEqual(['Dogs bark.'])
  expect((await memory.bank('élan.2').recall('chat')).passages[0]?.text).toBe('Les chats dorment.')
  expect(await memory.banks.delete('élan.2')).toBe(true)
  expect(await memory.banks.delete('élan.2')).toBe(false)
  expect(await memory.banks.info('élan.2')).toBeNull()
  expect(await codeOf(memory.bank('élan.2').recall('chat'))).toBe('BANK_NOT_FOUND')
  for (const name of ['', '.', '..', 'a/b', "a'; drop table banks;--", 'x'.repeat(64), 'a b', '\u0000']) {
    expect(await codeOf(memory.banks.create(name))).toBe('INVALID_ARGUMENT')
  }
  expect(await codeOf(memory.banks.create('x', { language: 'klingon' }))).toBe('INVALID_ARGUMENT')
})

test('another model is refused with the way out, which moves the bank over', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prolepsis-care-'))
  const dataDir = join(folder, 'store')
  const open = (dimension: number) =>
    createMemory({ dataDir, clock, embedder: createFakeEmbedder({ dimension }) })
  try {
    let memory = await open(64)
    await memory.retain('Kelly was born in March.', { source: 'k', questions: ['When is her birthday?'] })
    await memory.retain('Kelly was born in May.', { source: 'k' })
    await memory.close()

    memory = await open(32)
    await expect(memory.recall('Kelly')).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      hint: expect.stringContaining('prolepsis rebuild-index --reembed'),
    })
    expect(await codeOf(memory.retain('x', { source: 'k' }))).toBe('MODEL_MISMATCH')
    expect((await memory.recall('Kelly', { mode: 'lexical' })).passages).toHaveLength(1)
    expect(await memory.rebuildIndex({ reembed: true })).toEqual({ documents: 2, chunks: 2 })
    expect((await memory.recall('Kelly')).passages[0]?.text).toBe('Kelly was born in May.')
    expect((await memory.stats()).bank).toMatchObject({ modelId: 'fake-32', dimension: 32 })
    expect(await faults(memory)).toEqual([])

    expect((await memory.backup(join(folder, 'b.tar.gz'))).bytes).toBeGreaterThan(1000)
    expect(await codeOf(memory.backup(join(folder, 'b.tar.gz')))).toBe('INVALID_ARGUMENT')
    await memory.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
