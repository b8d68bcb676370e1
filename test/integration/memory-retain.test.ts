import { describe, expect, test } from 'vitest'
import { useTestMemory } from '../support/test-memory.ts'

const { bank, embedder, clock } = useTestMemory()

const sources = async (memory: ReturnType<typeof bank>, query: string) =>
  (await memory.recall(query)).passages.map((passage) => passage.source)

describe('versions', () => {
  test('a text is found as soon as retain resolves, and comes back byte for byte', async () => {
    const memory = bank()
    const text = '# Häuser\n\nDas Haus 🏠 steht am See.\r\n\n\tEnde'
    const result = await memory.retain(text, { source: 'haus.md' })
    expect(result).toMatchObject({ status: 'created', document: { version: 1, state: 'current' } })
    expect(result.document.byteLength).toBe(Buffer.byteLength(text))
    expect((await memory.recall('Haus am See')).passages[0]?.source).toBe('haus.md')
    expect((await memory.document('haus.md'))?.text).toBe(text)
  })

  test('the same text again changes nothing and embeds nothing', async () => {
    const memory = bank()
    await memory.retain('The kettle is red.', { source: 'a', tags: ['x'], questions: ['What colour?'] })
    const calls = embedder.calls.length
    const again = await memory.retain('The kettle is red.', { source: 'a' })
    expect(again).toMatchObject({ status: 'unchanged', document: { version: 1, tags: ['x'] } })
    expect((await memory.retain('The kettle is red.', { source: 'a', tags: ['x'] })).status).toBe('unchanged')
    const same = await memory.retain('The kettle is red.', { source: 'a', questions: ['What colour?'] })
    expect(same.status).toBe('unchanged')
    expect(embedder.calls.length).toBe(calls)
  })

  test('another text at the same source supersedes the old one, which stays visible as of then', async () => {
    const memory = bank()
    clock.time = Date.UTC(2024, 0, 1)
    await memory.retain('The kettle is red.', { source: 'kettle', tags: ['kitchen'] })
    clock.time = Date.UTC(2024, 5, 1)
    const second = await memory.retain('The kettle is blue.', { source: 'kettle' })
    expect(second).toMatchObject({ status: 'updated', document: { version: 2, tags: ['kitchen'] } })
    const now = await memory.recall('kettle')
    expect(now.passages.map((passage) => passage.text)).toEqual(['The kettle is blue.'])
    const then = await memory.recall('kettle', { asOf: '2024-03-01' })
    expect(then.passages.map((passage) => passage.text)).toEqual(['The kettle is red.'])
    expect((await memory.versions('kettle')).map(({ version, state }) => [version, state])).toEqual([
      [2, 'current'],
      [1, 'superseded'],
    ])
    expect((await memory.document('kettle', { version: 1 }))?.text).toBe('The kettle is red.')
    expect((await memory.document('kettle', { asOf: '2024-03-01' }))?.text).toBe('The kettle is red.')
  })

  test('a removed source leaves recall, is visible as of then, and can be retained again', async () => {
    const memory = bank()
    clock.time = Date.UTC(2024, 0, 1)
    await memory.retain('The boiler is old.', { source: 'boiler' })
    clock.time = Date.UTC(2024, 1, 1)
    expect(await memory.remove('boiler')).toBe(true)
    expect(await memory.remove('boiler')).toBe(false)
    expect(await sources(memory, 'boiler')).toEqual([])
    expect((await memory.recall('boiler', { asOf: '2024-01-15' })).passages).toHaveLength(1)
    const back = await memory.retain('The boiler is old.', { source: 'boiler' })
    expect(back).toMatchObject({ status: 'created', document: { version: 2 } })
    expect(await sources(memory, 'boiler')).toEqual(['boiler'])
  })
})

describe('labels', () => {
  test('changed tags, metadata and trust alone make no new version and embed nothing', async () => {
    const memory = bank()
    await memory.retain('A note.', { source: 'n', tags: ['a'], metadata: { k: 1 } })
    const calls = embedder.calls.length
    const changed = await memory.retain('A note.', {
      source: 'n',
      tags: ['b'],
      metadata: { k: 2 },
      trust: 'web',
    })
    expect(changed).toMatchObject({ status: 'updated', document: { version: 1, tags: ['b'], trust: 'web' } })
    expect(embedder.calls.length).toBe(calls)
    expect((await memory.recall('note', { tags: { any: ['b'], strict: true } })).passages).toHaveLength(1)
    expect((await memory.recall('note', { where: { k: 1 } })).passages).toEqual([])
  })

  test('a new title or time derives the cues anew in place: ids and version stay', async () => {
    const memory = bank()
    await memory.retain('The pump hums.', { source: 'p', questions: ['What hums?'] })
    const before = await memory.get('p#1')
    const changed = await memory.retain('The pump hums.', {
      source: 'p',
      title: 'Cellar',
      occurredAt: '2020-05-01',
    })
    expect(changed).toMatchObject({ status: 'updated', document: { version: 1, title: 'Cellar' } })
    expect((await memory.get('p#1'))?.chunkId).toBe(before?.chunkId)
    expect((await memory.recall('What hums?')).passages[0]?.cue?.text).toBe('What hums?')
    expect((await memory.document('p', { asOf: '2021-01-01' }))?.document.title).toBe('Cellar')
    expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
  })

  test('front matter gives tags, date, title and metadata; options win', async () => {
    const memory = bank()
    const text =
      '---\ntitle: Trip\ndate: 2023-05-08\ntags: [travel, "#sea"]\nplace: Oslo\n---\n\nWe sailed.\n'
    const { document } = await memory.retain(text, { source: 'trip.md', tags: ['mine'] })
    expect(document).toMatchObject({
      title: 'Trip',
      metadata: { place: 'Oslo' },
      tags: ['mine', 'travel', 'sea'],
    })
    expect(document.occurredAt).toEqual(new Date('2023-05-08'))
    expect((await memory.retain(text, { source: 'trip.md', tags: ['mine'] })).status).toBe('unchanged')
  })
})

describe('questions', () => {
  test('the caller’s questions are kept verbatim and lead to the chunk that fits them', async () => {
    const memory = bank()
    const text =
      '# Garden\n\nThe roses need water twice a week.\n\n# Garage\n\nThe bicycle has a flat tyre.\n'
    const questions = ["When's watering day for roses?", 'Which vehicle is broken, the bicycle?']
    await memory.retain(text, { source: 'home.md', questions })
    const [watering, vehicle] = questions
    const [garden, garage] = [await memory.recall(watering!), await memory.recall(vehicle!)].map(
      ({ passages }) => Object.fromEntries(passages.map((passage) => [passage.label, passage.cue?.text])),
    )
    expect(garden?.Garden).toBe(watering)
    expect(garage?.Garage).toBe(vehicle)
  })

  test('new questions for the same text replace the old ones in place', async () => {
    const memory = bank()
    await memory.retain('It is on the shelf.', { source: 'k', questions: ['Where is the key?'] })
    const { status, document } = await memory.retain('It is on the shelf.', {
      source: 'k',
      questions: { 0: ['Where is the lamp?'] },
    })
    expect([status, document.version]).toEqual(['updated', 1])
    expect((await memory.recall('Where is the lamp?')).passages[0]?.cue?.text).toBe('Where is the lamp?')
    expect((await memory.stats()).cues.question).toBe(1)
  })
})

describe('what comes in', () => {
  test('chat messages become turns with speakers and times', async () => {
    const memory = bank()
    const { document, chunks } = await memory.retain(
      [
        { role: 'user', name: 'Ann', content: 'I adopted a dog called Rex.', at: '2023-05-08T13:56+02:00' },
        { role: 'assistant', content: 'How lovely!' },
      ],
      { source: 'chat/1' },
    )
    expect([document.format, chunks]).toEqual(['chat', 2])
    const [best] = (await memory.recall('Who adopted a dog?')).passages
    expect(best).toMatchObject({ speaker: 'Ann', source: 'chat/1' })
    expect(best?.occurredAt).toEqual(new Date('2023-05-08T11:56:00Z'))
  })

  test('without a source the text names itself, so that the same text is the same document', async () => {
    const memory = bank()
    const first = await memory.retain('Just a thought.')
    expect(first.document.source).toMatch(/^note:[0-9a-f]{12}$/)
    expect((await memory.retain('Just a thought.')).status).toBe('unchanged')
  })

  test('bytes count as of unknown trust, text as the user’s', async () => {
    const memory = bank()
    const text = 'The sky is clear tonight.'
    expect((await memory.retain(Buffer.from(text), { source: 'a.txt' })).document.trust).toBe('unknown')
    expect((await memory.retain(text, { source: 'b.txt' })).document.trust).toBe('user')
    expect((await memory.recall('sky', { minTrust: 'user' })).passages.map((p) => p.source)).toEqual([
      'b.txt',
    ])
  })
})

test('writers of one source at the same time leave one current version and every text in a version', async () => {
  const memory = bank()
  const texts = Array.from({ length: 8 }, (_, at) => `Edition ${at} of the paper.`)
  await Promise.all(texts.map((text) => memory.retain(text, { source: 'paper' })))
  const versions = await memory.versions('paper')
  expect(versions.map(({ version }) => version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
  expect(versions.filter(({ state }) => state === 'current')).toHaveLength(1)
  expect(new Set(versions.map(({ contentHash }) => contentHash)).size).toBe(8)
  expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
})
