import { describe, expect, test } from 'vitest'
import type { Memory } from '../../src/index.ts'
import { everyTable } from '../support/every-table.ts'
import { faults, fillBank } from '../support/filled-bank.ts'
import { storeOf } from '../support/store-of.ts'
import { useTestMemory } from '../support/test-memory.ts'

const { bank, embedder } = useTestMemory()

const filled = (): Promise<Memory> => fillBank(bank())

describe('rebuildIndex', () => {
  test('gives the same index from the texts, without embedding anything again', async () => {
    const memory = await filled()
    // terms and people get other numbers, everything else is the same
    const same = /^(documents|chunks|cues|vectors_|bits_|field_statistics|vector_statistics)/
    const before = await everyTable(memory, same)
    const calls = embedder.calls.length
    const progress: number[] = []
    expect(await memory.rebuildIndex({ onProgress: (done) => progress.push(done) })).toEqual({
      documents: 4,
      chunks: 4,
    })
    expect(progress).toEqual([1, 2, 3, 4])
    expect(embedder.calls.length).toBe(calls)
    expect(await everyTable(memory, same)).toBe(before)
    expect(await faults(memory)).toEqual([])
  })
})

describe('doctor', () => {
  test('finds what was broken behind its back, mends it, and finds nothing then', async () => {
    const memory = await filled()
    expect(await memory.doctor()).toMatchObject({ clean: true })
    const { database, bankId, space } = await storeOf(memory)
    const broken = async (statement: string) => database.execute(statement, [bankId])
    await broken(
      'delete from postings where bank_id = $1 and term_id in (select min(term_id) from postings where bank_id = $1)',
    )
    await broken('update terms set document_frequency = document_frequency + 3 where bank_id = $1')
    await broken('update field_statistics set chunk_count = 99 where bank_id = $1')
    await broken(`delete from vectors_${space.spaceId} where bank_id = $1 and kind = 0`)
    const found = await memory.doctor()
    expect(found.clean).toBe(false)
    const bad = found.findings.filter((finding) => !finding.ok)
    expect(bad.length).toBeGreaterThanOrEqual(4)
    expect(bad.every((finding) => finding.count > 0 && finding.detail !== '' && finding.mendable)).toBe(true)
    const mended = await memory.doctor({ mend: true })
    expect(mended.clean).toBe(true)
    expect(mended.findings.filter((finding) => finding.mended).length).toBeGreaterThan(0)
    expect(await memory.doctor()).toMatchObject({ clean: true })
    expect((await memory.recall('Where is Zanzibar?')).passages[0]?.source).toBe('trips/zanzibar.md')
  })
})

describe('doctor, of texts and vectors', () => {
  const change = async (memory: Memory, sql: string) => {
    const { database, bankId, space } = await storeOf(memory)
    await database.execute(sql.replaceAll('_N', `_${space.spaceId}`), [bankId])
  }
  const vectors = /^vectors_/

  test('vectors that are not those of their texts are found and embedded anew', async () => {
    const memory = await filled()
    const whole = await everyTable(memory, vectors)
    await change(
      memory,
      `update "vectors_N" v set embedding = (select w.embedding from "vectors_N" w where w.bank_id = $1 order by chunk_id, kind limit 1)
       where v.bank_id = $1`,
    )
    const names = (await faults(memory)).map(({ check }) => check)
    expect(names).toEqual(expect.arrayContaining(['vector-texts', 'same-vectors']))
    const found = (await faults(memory)).find(({ check }) => check === 'vector-texts')
    expect(found).toMatchObject({ mendable: true, hint: 'prolepsis doctor --mend mends it.' })
    expect(found?.documents).toContain('trips/zanzibar.md')
    expect(await memory.doctor({ mend: true })).toMatchObject({ clean: true })
    expect(await everyTable(memory, vectors)).toBe(whole)
    expect(await faults(memory)).toEqual([])
  })

  test('vectors of another length are found and embedded anew, by rebuildIndex too', async () => {
    const memory = await filled()
    const whole = await everyTable(memory, vectors)
    const spoil = 'update "vectors_N" set embedding = embedding + embedding where bank_id = $1'
    await change(memory, spoil)
    expect((await faults(memory)).map(({ check }) => check)).toContain('vector-lengths')
    expect(await memory.doctor({ mend: true })).toMatchObject({ clean: true })
    expect(await everyTable(memory, vectors)).toBe(whole)
    await change(memory, spoil)
    await memory.rebuildIndex({ reembed: true })
    expect(await everyTable(memory, vectors)).toBe(whole)
  })

  test('a text that was changed, even to one as long, is named; forgotten and retained again it is clean', async () => {
    const memory = await filled()
    const text = 'Oslo is a big city.'
    await change(
      memory,
      `update chunks set text = 'Oslo is a bad city.' where bank_id = $1 and text = '${text}'`,
    )
    await memory.rebuildIndex()
    const expected = [{ check: 'document-text', documents: ['trips/oslo.md'], mendable: false }]
    expect(await faults(memory)).toMatchObject(expected)
    const left = await faults(memory, { mend: true })
    expect(left).toMatchObject(expected)
    expect(left[0]?.hint).toContain('prolepsis forget --source NAME')
    await memory.forget({ source: 'trips/oslo.md' })
    await memory.retain(text, { source: 'trips/oslo.md' })
    expect(await faults(memory)).toEqual([])
  })

  test('a chunk that was deleted is told with its document and version, and what to do', async () => {
    const memory = bank()
    const turns = (last: string) =>
      ['one', 'two', last].map((word) => ({ role: 'Ann', content: `I said ${word}.` }))
    await memory.retain(turns('three'), { source: 'c' })
    await memory.retain(turns('four'), { source: 'c' })
    await change(memory, 'delete from chunks where bank_id = $1 and ordinal = 1')
    await memory.doctor({ mend: true })
    await memory.rebuildIndex()
    const left = await faults(memory, { mend: true })
    expect(left.map(({ check, documents }) => [check, documents])).toEqual([
      ['document-text', ['c@1', 'c']],
      ['chunk-order', ['c@1', 'c']],
    ])
    expect(left[0]?.hint).toContain('restore a backup')
    await memory.forget({ source: 'c' })
    expect(await faults(memory)).toEqual([])
  })

  test('after a chunk was forgotten the rest is still known to be whole', async () => {
    const memory = bank()
    await memory.retain(
      ['one', 'two'].map((word) => ({ role: 'Ann', content: `I said ${word}.` })),
      { source: 'c' },
    )
    await memory.forget({ ref: 'c#1' })
    expect(await faults(memory)).toEqual([])
    await change(memory, `update chunks set text = replace(text, 'two', 'six') where bank_id = $1`)
    expect((await faults(memory)).map(({ check }) => check)).toEqual(['document-text'])
  })

  test('a chunk of stop words only lacks no terms; one of words does, and the passed checks say what holds', async () => {
    const memory = bank()
    await memory.retain('It was there and so it is. '.repeat(8), { source: 'stop' })
    await memory.retain('The harbour is quiet.', { source: 'harbour' })
    const { findings } = await memory.doctor()
    expect(findings.filter((finding) => !finding.ok)).toEqual([])
    expect(findings.find(({ check }) => check === 'missing-space')?.detail).toBe(
      'The bank has a vector space.',
    )
    await change(memory, 'delete from chunk_terms where bank_id = $1')
    const missing = (await faults(memory)).find(({ check }) => check === 'missing-terms')
    expect(missing).toMatchObject({ count: 1, documents: ['harbour'] })
    expect(await memory.doctor({ mend: true })).toMatchObject({ clean: true })
  })
})
