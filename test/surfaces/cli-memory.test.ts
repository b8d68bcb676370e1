import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Passage, RecallResult } from '../../src/index.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
const KELLY = 'Kelly was born on March 4th 1990.'

async function bankWithTexts(): Promise<string> {
  const bank = await store.bank()
  await store.run(['retain', KELLY, '--source', 'kelly.md', '--tag', 'family', '--bank', bank])
  await store.run([
    'retain',
    'The router is restarted after a power cut.',
    '--source',
    'router.md',
    '--trust',
    'web',
    '--bank',
    bank,
  ])
  return bank
}

describe('retain', () => {
  test('keeps an argument, with everything that can be said of it', async () => {
    const bank = await store.bank()
    const run = await store.json([
      'retain',
      KELLY,
      '--bank',
      bank,
      '--source',
      'kelly.md',
      '--title',
      'Kelly',
      '--tag',
      'family',
      '--tag',
      'dates',
      '--meta',
      'year=1990',
      '--meta',
      'place=Lisbon',
      '--question',
      'When is Kelly’s birthday?',
      '--occurred-at',
      '2024-05-01T10:00:00+02:00',
      '--trust',
      'user',
      '--media-type',
      'text/plain',
    ])
    expect(run).toMatchObject({ code: 0, err: '' })
    expect(run.json()).toMatchObject({
      status: 'created',
      chunks: 1,
      document: {
        source: 'kelly.md',
        version: 1,
        title: 'Kelly',
        tags: ['family', 'dates'],
        metadata: { year: 1990, place: 'Lisbon' },
        occurredAt: '2024-05-01T08:00:00.000Z',
      },
    })
  })

  test('tells of a new version, and of one that is there already', async () => {
    const bank = await store.bank()
    const retain = (text: string) => store.run(['retain', text, '--source', 'a.md', '--bank', bank])
    expect((await retain('One.')).out).toMatch(/^Retained a\.md, version 1: 1 chunk/)
    expect((await retain('One.')).out).toMatch(/^Unchanged: a\.md, version 1/)
    expect((await retain('Two.')).out).toMatch(/^Updated a\.md, version 2/)
  })

  test('reads a file, standard input, and JSON lines', async () => {
    const bank = await store.bank()
    await writeFile(join(store.folder, 'note.md'), '# Note\n\nFrom a file.\n')
    const file = await store.json(['retain', '--file', 'note.md', '--bank', bank])
    expect(file.json()).toMatchObject({ document: { source: 'note.md', format: 'markdown' } })
    const piped = await store.json(['retain', '-', '--source', 'pipe', '--bank', bank], {
      stdin: 'From a pipe.',
    })
    expect(piped.json()).toMatchObject({ document: { source: 'pipe' } })
    const unnamed = await store.json(['retain', '--bank', bank], { stdin: 'From a pipe too.' })
    expect(unnamed.json()).toMatchObject({
      document: { source: expect.stringMatching(/^note:[0-9a-f]{12}$/) },
    })
    const lines = [
      '{"content":"First\u2028line.","source":"l1"}',
      '',
      '{"content":"Second.","source":"l2"}\r',
      '{"content":" "}',
    ]
    const many = await store.json(['retain', '--jsonl', '--tag', 'lines', '--bank', bank], {
      stdin: lines.join('\n'),
    })
    const results = many.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(results).toMatchObject([
      { status: 'created', document: { source: 'l1', tags: ['lines'] } },
      { status: 'created', document: { source: 'l2' } },
      { status: 'failed', error: { code: 'EMPTY_TEXT' } },
    ])
    expect(many.code).toBe(1)
    expect(many.err).toContain('1 item was not retained')
    const readable = await store.run(['retain', '--jsonl', '--bank', bank], { stdin: lines.join('\n') })
    expect(readable.out).toContain('Failed item 3: There is nothing to see in the text')
    const text = await store.run(['documents', 'show', 'l1', '--bank', bank])
    expect(text.out).toBe('First\u2028line.\n')
  })
})

describe('recall', () => {
  test('gives the passages that answer, as JSON of one object', async () => {
    const bank = await bankWithTexts()
    const run = await store.json(['recall', "when's Kelly's birthday?", '--bank', bank])
    expect(run).toMatchObject({ code: 0, err: '' })
    const result = run.json<RecallResult>()
    expect(result.passages[0]).toMatchObject({ text: KELLY, ref: 'kelly.md#1', source: 'kelly.md' })
    expect(result.receipt).toMatch(/^[0-9a-f-]{36}$/)
    expect(Object.keys(result.passages[0]!.parts.channels)).toContain('content')
  })

  test('takes the question from standard input, and another name of the command', async () => {
    const bank = await bankWithTexts()
    for (const args of [['recall'], ['recall', '-'], ['search']]) {
      const run = await store.json([...args, '--bank', bank], { stdin: 'what about the router?\n' })
      expect(run.json<RecallResult>().passages[0]?.source).toBe('router.md')
    }
  })

  test('finds nothing in an empty bank, which is no failure', async () => {
    const bank = await store.bank()
    const run = await store.json(['recall', 'anything?', '--bank', bank])
    expect(run).toMatchObject({ code: 0, err: '' })
    expect(run.json<RecallResult>().passages).toEqual([])
    expect((await store.run(['recall', 'anything?', '--bank', bank])).out).toBe(
      'Nothing in memory answers this.\n',
    )
  })

  test('passes every filter and number on', async () => {
    const bank = await bankWithTexts()
    const sources = async (...options: string[]): Promise<string[]> => {
      const run = await store.json(['recall', 'Kelly and the router', '--bank', bank, ...options])
      expect(run.code).toBe(0)
      return run
        .json<RecallResult>()
        .passages.map((passage) => passage.source)
        .sort()
    }
    expect(await sources()).toEqual(['kelly.md', 'router.md'])
    expect(await sources('--tag', 'family', '--tag-strict')).toEqual(['kelly.md'])
    expect(await sources('--tag-all', 'family', '--tag-strict')).toEqual(['kelly.md'])
    expect(await sources('--tag-none', 'family')).toEqual(['router.md'])
    expect(await sources('--source', 'rou')).toEqual(['router.md'])
    expect(await sources('--where', 'no=such')).toEqual([])
    expect(await sources('--limit', '1')).toHaveLength(1)
    expect(await sources('--budget', '10')).toHaveLength(1)
    expect(await sources('--as-of', '2001-01-01')).toEqual([])
    expect(await sources('--from', '2001-01-01T00:00+05:30', '--to', '2001-02-01')).toEqual([])
    expect(await sources('--min-trust', 'user')).toEqual(['kelly.md'])
    expect(
      await sources('--mode', 'lexical', '--fusion', 'rrf', '--weight', 'body=2', '--expand', '1'),
    ).toHaveLength(2)
    const chat =
      'Kelly: The router is blue.\nTom: My router is green.\nKelly: I like green ones.\nTom: Me too.\n'
    await store.run(['retain', '-', '--source', 'chat', '--media-type', 'text/x-chat', '--bank', bank], {
      stdin: chat,
    })
    const [first] = (
      await store.json([
        'recall',
        'which router?',
        '--person',
        'Tom',
        '--query',
        'Is it green?',
        '--bank',
        bank,
      ])
    ).json<RecallResult>().passages
    expect(first).toMatchObject({ source: 'chat', speaker: 'Tom' })
  })

  test('goes by the conversation before', async () => {
    const bank = await bankWithTexts()
    await writeFile(
      join(store.folder, 'history.jsonl'),
      '{"role":"user","content":"Tell me about Kelly."}\n{"role":"assistant","content":"What about Kelly?"}\n',
    )
    const run = await store.json([
      'recall',
      'when was she born?',
      '--history',
      'history.jsonl',
      '--bank',
      bank,
    ])
    expect(run.json<RecallResult>()).toMatchObject({ passages: [{ source: 'kelly.md' }, {}] })
  })

  test('writes no receipt when it is not to, and the block for a prompt', async () => {
    const bank = await bankWithTexts()
    const quiet = await store.json(['recall', 'Kelly', '--no-receipt', '--bank', bank])
    expect(quiet.json<RecallResult>().receipt).toBeNull()
    const block = await store.run(['recall', 'Kelly', '--prompt', '--bank', bank])
    expect(block.out).toContain(KELLY)
    const both = await store.json(['recall', 'Kelly', '--prompt', '--bank', bank])
    expect(both.json().prompt).toBe(block.out.slice(0, -1))
  })

  test('shows a person rank, source, lines and why, wrapped to the terminal', async () => {
    const bank = await store.bank()
    const long = `${'The heron waits in the shallow water for a long time. '.repeat(12)}\n\nHerons eat fish.`
    await store.run(['retain', long, '--source', 'heron.md', '--bank', bank])
    const args = ['recall', 'what does the heron do?', '--bank', bank]
    const run = await store.run(args, { terminal: 60 })
    expect(run.out).toMatch(/1\..*heron\.md:1-3/)
    expect(run.out).toMatch(/why: score [\d.]+; by meaning #1/)
    expect(run.out).toContain('more lines (--full shows them)')
    const plain = run.out.replaceAll(/\u001b\[\d+m/g, '').split('\n')
    expect(
      Math.max(...plain.filter((line) => !line.includes('receipt')).map((line) => line.length)),
    ).toBeLessThanOrEqual(60)
    expect(run.out).toContain('\u001b[36m')
    const full = await store.run([...args, '--full', '--why'], { terminal: 60, color: false })
    expect(full.out).toContain('Herons eat fish.')
    expect(full.out).toContain('scores: ')
    expect(full.out).not.toContain('\u001b')
    const piped = await store.run(args)
    expect(piped.out).toContain(long.split('\n')[0]!.trim())
    expect(piped.out).not.toContain('\u001b')
    expect((await store.run(args, { color: true })).out).toContain('\u001b[36m')
  })
})

describe('what stands at a ref', () => {
  test('is shown, with its neighbours and its like', async () => {
    const bank = await store.bank()
    const sections = ['Herons', 'Routers', 'Birthdays'].map(
      (name) => `# ${name}\n\n${`All about ${name}. `.repeat(60)}\n`,
    )
    await store.run(['retain', '-', '--source', 'book.md', '--bank', bank], { stdin: sections.join('\n') })
    const got = await store.json(['get', 'book.md#2', '--bank', bank])
    expect(got.json()).toMatchObject({ ref: 'book.md#2', source: 'book.md' })
    expect((await store.run(['get', 'book.md#2', '--bank', bank])).out).toMatch(
      /^book\.md:\d+-\d+ {2}.*book\.md#2\n/,
    )
    const refs = async (...args: string[]): Promise<string[]> =>
      (await store.json([...args, '--bank', bank]))
        .json<{ passages: Passage[] }>()
        .passages.map(({ ref }) => ref)
    expect(await refs('neighbours', 'book.md#2')).toEqual(['book.md#1', 'book.md#3'])
    expect(await refs('neighbors', 'book.md#2', '--before', '0', '--after', '1')).toEqual(['book.md#3'])
    expect(await refs('similar', 'book.md#1', '--limit', '2')).toHaveLength(2)
    expect((await store.run(['similar', 'book.md#1', '--bank', bank])).out).toContain('book.md#2')
  })

  test('is not found: exit code 3', async () => {
    const bank = await bankWithTexts()
    for (const args of [
      ['get', 'kelly.md#9'],
      ['get', 'no ref'],
      ['neighbours', 'no.md#1'],
      ['similar', 'no.md#1'],
    ]) {
      const run = await store.json([...args, '--bank', bank])
      expect({ args, code: run.code, error: run.errorCode() }).toEqual({ args, code: 3, error: 'NOT_FOUND' })
    }
  })
})

describe('receipts', () => {
  test('explain a recall and take reports of it', async () => {
    const bank = await bankWithTexts()
    const recalled = await store.json(['recall', 'Kelly', '--limit', '1', '--bank', bank])
    const receipt = recalled.json<RecallResult>().receipt!
    const why = await store.json([
      'explain',
      receipt,
      '--why-not',
      'router.md#1',
      '--why-not',
      'power cut',
      '--bank',
      bank,
    ])
    expect(why.json()).toMatchObject({
      receipt,
      message: 'Kelly',
      passages: [{ ref: 'kelly.md#1', rank: 1 }],
      whyNot: [{ ref: 'router.md#1' }, {}],
    })
    const shown = await store.run(['explain', receipt, '--why-not', 'router.md#1', '--bank', bank])
    const line = shown.out.split('\n').find((one) => one.includes('bias (')) ?? ''
    const shares = [...line.matchAll(/\(([+-]\d+\.\d\d)\)/g)].map((match) => Number(match[1]))
    const sum = Number(/ = ([+-]\d+\.\d\d), sigmoid/.exec(line)?.[1])
    expect(shares.reduce((total, share) => total + share, 0)).toBeCloseTo(sum, 6)
    expect(Number(/sigmoid (\d\.\d{3})/.exec(line)?.[1])).toBeCloseTo(1 / (1 + Math.exp(-sum)), 2)
    expect(shown.out).toMatch(/"Kelly"\n\n1\. kelly\.md#1 {2}score/)
    expect(shown.out).toMatch(/not router\.md#1: /)
    const noted = await store.json([
      'feedback',
      receipt,
      '--used',
      'kelly.md#1',
      '--helpful',
      'kelly.md#1',
      '--bank',
      bank,
    ])
    expect(noted.json()).toEqual({ receipt, used: ['kelly.md#1'], helpful: ['kelly.md#1'] })
    expect((await store.run(['feedback', receipt, '--cited', 'kelly.md#1', '--bank', bank])).out).toBe(
      'Noted.\n',
    )
  })

  test('that do not exist: exit code 3', async () => {
    const bank = await bankWithTexts()
    const unknown = '01920000-0000-7000-8000-000000000000'
    for (const args of [
      ['explain', unknown],
      ['feedback', unknown, '--used', 'kelly.md#1'],
      ['explain', 'x'],
    ]) {
      const run = await store.json([...args, '--bank', bank])
      expect({ args, code: run.code }).toEqual({ args, code: 3 })
    }
  })
})

describe('documents', () => {
  test('are listed, shown whole, and by version', async () => {
    const bank = await bankWithTexts()
    await store.run(['retain', 'Kelly moved to Lisbon.', '--source', 'kelly.md', '--bank', bank])
    const list = await store.json(['documents', 'list', '--bank', bank])
    expect(list.json()).toMatchObject({
      documents: [{ source: 'kelly.md', version: 2 }, { source: 'router.md' }],
    })
    const some = await store.json([
      'documents',
      'list',
      '--prefix',
      'k',
      '--tag',
      'family',
      '--state',
      'superseded',
      '--limit',
      '5',
      '--after',
      'a',
      '--bank',
      bank,
    ])
    expect(some.json()).toMatchObject({
      documents: [{ source: 'kelly.md', version: 1, state: 'superseded' }],
    })
    expect((await store.run(['documents', 'list', '--bank', bank])).out).toMatch(
      /source +version +state[^\n]*\n─+.*\nkelly\.md/,
    )
    expect((await store.run(['documents', 'list', '--prefix', 'zzz', '--bank', bank])).out).toBe('None.\n')
    const show = async (...args: string[]): Promise<string> =>
      (await store.run(['documents', 'show', 'kelly.md', ...args, '--bank', bank])).out
    expect(await show()).toBe('Kelly moved to Lisbon.\n')
    expect(await show('--version', '1')).toBe(`${KELLY}\n`)
    const versions = await store.json(['documents', 'versions', 'kelly.md', '--bank', bank])
    expect(versions.json()).toMatchObject({ versions: [{ version: 2 }, { version: 1, state: 'superseded' }] })
    for (const args of [
      ['show', 'no.md'],
      ['versions', 'no.md'],
    ])
      expect((await store.run(['documents', ...args, '--bank', bank])).code).toBe(3)
  })
})

describe('forget and remove', () => {
  test('take one source away', async () => {
    const bank = await bankWithTexts()
    expect((await store.json(['remove', 'router.md', '--bank', bank])).json()).toEqual({
      source: 'router.md',
      removed: true,
    })
    expect((await store.run(['remove', 'router.md', '--bank', bank])).code).toBe(3)
    const gone = await store.json(['forget', '--source', 'kelly.md', '--bank', bank])
    expect(gone.json()).toEqual({ documents: 1, chunks: 1 })
    const run = await store.json(['recall', 'Kelly and the router', '--bank', bank])
    expect(run.json<RecallResult>().passages).toEqual([])
    const again = await store.json(['forget', '--source', 'kelly.md', '--bank', bank])
    expect([again.code, again.errorCode()]).toEqual([3, 'NOT_FOUND'])
  })

  test('ask before many are forgotten, and only then', async () => {
    const bank = await bankWithTexts()
    for (const selector of [['--all'], ['--prefix', 'k'], ['--tag', 'family']]) {
      const run = await store.json(['forget', ...selector, '--bank', bank])
      expect([run.code, run.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
    }
    const no = await store.run(['forget', '--all', '--bank', bank], { terminal: 80, stdin: 'n\n' })
    expect(no.code).toBe(130)
    expect(no.err).toContain('Nothing was forgotten.')
    const yes = await store.run(['forget', '--tag', 'family', '--bank', bank], { terminal: 80, stdin: 'y\n' })
    expect(yes).toMatchObject({ code: 0, out: 'Forgot 1 document, 1 chunk.\n' })
    expect((await store.json(['forget', '--all', '--yes', '--bank', bank])).json()).toMatchObject({
      documents: 1,
    })
    expect((await store.run(['forget', '--ref', 'kelly.md#1', '--bank', bank])).code).toBe(3)
  })

  test('need exactly one selector', async () => {
    const bank = await bankWithTexts()
    for (const args of [['forget'], ['forget', '--source', 'a', '--tag', 'b', '--yes']]) {
      const run = await store.json([...args, '--bank', bank])
      expect([run.code, run.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
    }
  })
})
