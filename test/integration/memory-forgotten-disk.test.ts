import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemory } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'

/** Files under a folder that hold the word, in whatever case. */
function filesWith(folder: string, word: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name)
    return statSync(path).isFile() && readFileSync(path, 'latin1').toLowerCase().includes(word)
  })
}

test('what was forgotten is in no file of a small embedded store any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prolepsis-forget-'))
  try {
    const dataDir = join(folder, 'store')
    const memory = await createMemory({ dataDir, embedder: createFakeEmbedder() })
    for (const place of ['Oslo', 'Bergen', 'Kiel'])
      await memory.retain(`${place} is a port.`, { source: place })
    const told = 'The zanzibarquokka is blue. It was bought in Oslo.'
    await memory.retain(told, { source: 'told', questions: ['Where is the zanzibarquokka?'] })
    await memory.recall(told)
    expect((await memory.stats()).receipts).toBe(1)
    expect(filesWith(dataDir, 'zanzibarquokka').length).toBeGreaterThan(0)
    await memory.forget({ source: 'told' })
    expect(filesWith(dataDir, 'zanzibarquokka')).toEqual([])
    expect((await memory.recall('Which port is it?')).passages).toHaveLength(3)
    expect((await memory.doctor()).clean).toBe(true)
    await memory.retain('Another zanzibarquokka.', { source: 'again' })
    await memory.forget({ source: 'again' })
    await memory.close()
    expect(filesWith(dataDir, 'zanzibarquokka')).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a bank that was deleted is in no file of a small embedded store any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prolepsis-forget-'))
  try {
    const dataDir = join(folder, 'store')
    const memory = await createMemory({ dataDir, embedder: createFakeEmbedder() })
    await memory.retain('Oslo is a port.', { source: 'oslo' })
    await memory.banks.create('told')
    const told = memory.bank('told')
    await told.retain('The zanzibarquokka is blue.', { questions: ['Where is the zanzibarquokka?'] })
    await told.recall('What colour is the zanzibarquokka?')
    expect(await memory.banks.delete('told')).toBe(true)
    await memory.close()
    expect(filesWith(dataDir, 'zanzibarquokka')).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
