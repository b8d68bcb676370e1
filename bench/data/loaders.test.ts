import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { questionsFrom, walkCorpus } from './corpus.ts'
import { loadLocomo, parseLocomoDate, turnsInSpan } from './locomo.ts'
import { loadMemAware, loadSessions } from './memaware.ts'
import { loadMtrag, taskQuery } from './mtrag.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prolepsis-loaders-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fixture(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

describe('loadLocomo', () => {
  const conversation = {
    sample_id: 'conv-x',
    conversation: {
      speaker_a: 'Ann',
      session_2_date_time: '12:05 am on 1 January, 2024',
      session_2: [{ speaker: 'Ben', dia_id: 'D2:1', text: 'Happy new year!' }],
      session_10: [],
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_1: [
        { speaker: 'Ann', dia_id: 'D1:1', text: 'Look at this.\nMy boat.', blip_caption: 'a red boat' },
        { speaker: 'Ben', dia_id: 'D1:2', text: 'Nice!' },
      ],
    },
    qa: [
      { question: 'What colour is the boat?', answer: 'red', evidence: ['D1:1'], category: 4 },
      { question: 'Who sank it?', category: 5 },
    ],
  }

  it('reads sessions as chat text, each turn with its lines', async () => {
    const [read] = await loadLocomo(await fixture('locomo.json', JSON.stringify([conversation])))
    expect(read?.sessions.map((session) => session.source)).toEqual(['session_2', 'session_1'])
    const first = read?.sessions[1]
    expect(first?.text).toBe('Ann: Look at this.\nMy boat. [image: a red boat]\nBen: Nice!')
    expect(first?.occurredAt).toBe('2023-05-08T13:56:00.000Z')
    expect(first?.turns).toEqual([
      { id: 'D1:1', startLine: 1, endLine: 2 },
      { id: 'D1:2', startLine: 3, endLine: 3 },
    ])
    expect(first && turnsInSpan(first, 2, 3)).toEqual(['D1:1', 'D1:2'])
    expect(first && turnsInSpan(first, 1, 1)).toEqual(['D1:1'])
  })

  it('reads questions with their evidence, empty where there is none', async () => {
    const [read] = await loadLocomo(await fixture('locomo.json', JSON.stringify([conversation])))
    expect(read?.questions).toEqual([
      { question: 'What colour is the boat?', evidence: ['D1:1'], category: 4 },
      { question: 'Who sank it?', evidence: [], category: 5 },
    ])
  })

  it('reads midnight and noon, and refuses what is no date', () => {
    expect(parseLocomoDate('12:05 am on 1 January, 2024')).toBe('2024-01-01T00:05:00.000Z')
    expect(parseLocomoDate('12:05 pm on 1 january 2024')).toBe('2024-01-01T12:05:00.000Z')
    expect(() => parseLocomoDate('1 January 2024')).toThrow('not a LoCoMo date')
  })
})

describe('loadMemAware', () => {
  const lines =
    '{"id":"s1","date":"2023-05-20","text":"User: Hi."}\n\n{"id":"s2","date":"2023-05-21","text":"User: Ho."}\n'

  it('reads sessions from JSON lines, gzipped or plain', async () => {
    const plain = await loadSessions(await fixture('sessions.jsonl', lines))
    const zipped = await loadSessions(await fixture('sessions.jsonl.gz', gzipSync(lines)))
    expect(plain.map((session) => session.id)).toEqual(['s1', 's2'])
    expect(zipped).toEqual(plain)
  })

  it('reads requests with their sessions and difficulty', async () => {
    const raw = [{ question: 'Help me plan.', difficulty: 'hard', answer_session_ids: ['s2'], answer: 'x' }]
    expect(await loadMemAware(await fixture('memaware.json', JSON.stringify(raw)))).toEqual([
      { question: 'Help me plan.', difficulty: 'hard', answerSessionIds: ['s2'] },
    ])
  })
})

describe('loadMtrag', () => {
  it('reads passages and tasks, the conversation from the id', async () => {
    await fixture('passages.jsonl', '{"id":"p1","text":"Cash needs a cheque."}\n')
    const messages = [
      { role: 'user', content: 'How to pay?' },
      { role: 'assistant', content: 'By cheque.' },
      { role: 'user', content: 'And by card?' },
    ]
    await fixture('dev.jsonl', `${JSON.stringify({ id: 'abc<::>2', turn: 2, messages, gold: ['p1'] })}\n`)
    const { passages, tasks } = await loadMtrag(folder)
    expect(passages).toEqual([{ id: 'p1', text: 'Cash needs a cheque.' }])
    expect(tasks[0]).toMatchObject({ conversation: 'abc', turn: 2, gold: ['p1'] })
    expect(tasks[0] && taskQuery(tasks[0])).toEqual({
      message: 'And by card?',
      history: messages.slice(0, 2),
    })
  })
})

describe('walkCorpus', () => {
  it('gives each text once, and no short, binary or minified files', async () => {
    const long = 'A sentence of the corpus that is long enough. '.repeat(10)
    await fixture('a.md', long)
    await fixture('b.md', long)
    await fixture('short.md', 'too short')
    await fixture('packed.js', `${'x'.repeat(5_000)}\n`)
    await fixture('binary.txt', `${long}\0`)
    const found: string[] = []
    for await (const { source } of walkCorpus(folder)) found.push(source)
    expect(found.filter((source) => /\.(md|js|txt)$/.test(source))).toEqual(['a.md'])
  })
})

describe('questionsFrom', () => {
  it('takes sentences of 5 to 20 words, spread over the texts', () => {
    const texts = [
      'One two three. The first sentence has six words. the lower case one does not count at all.',
      'Another sentence that has seven words here. Yet another sentence that has eight words now.',
    ]
    expect(questionsFrom(texts, 10)).toEqual([
      'The first sentence has six words.',
      'Another sentence that has seven words here.',
      'Yet another sentence that has eight words now.',
    ])
    expect(questionsFrom(texts, 1)).toEqual(['The first sentence has six words.'])
  })
})
