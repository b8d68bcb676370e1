import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChatMessage, CountTokens } from '../stages.ts'
import { looksLikeJsonChat } from './chat-json.ts'
import { looksLikeTextChat } from './chat-text.ts'
import { chunkText } from './chunk-text.ts'
import { renderChat } from './render-chat.ts'

const countTokens: CountTokens = (text) =>
  text.match(/[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)?.length ?? 0

async function chunk(text: string, maxTokens = 400): Promise<readonly ChunkDraft[]> {
  const { chunks } = await chunkText(text, { format: 'chat', codeLanguage: null, maxTokens, countTokens })
  expect(chunks.map((draft) => draft.text).join('')).toBe(text)
  return chunks
}

const said = (drafts: readonly ChunkDraft[]): (readonly [string | null, string | null])[] =>
  drafts.map((draft) => [draft.speaker, draft.content])

describe('a log of `Speaker: words`', () => {
  it('gives one chunk a turn, with speaker, words, caption and the date of its first line', async () => {
    const log = [
      '1:56 pm on 8 May, 2023',
      '',
      'Caroline: Hey Mel! Good to see you!',
      "Melanie: Hey Caroline! I'm swamped with the kids & work.",
      'Caroline: The stories were so inspiring! [image: a photo of a dog walking past a wall]',
      'Caroline: And I was thankful.',
    ].join('\n')
    const turns = await chunk(log)
    expect(said(turns)).toEqual([
      ['Caroline', 'Hey Mel! Good to see you!'],
      ['Melanie', "Hey Caroline! I'm swamped with the kids & work."],
      ['Caroline', 'The stories were so inspiring!'],
      ['Caroline', 'And I was thankful.'],
    ])
    expect(turns[2]?.attributes).toEqual({ caption: 'a photo of a dog walking past a wall' })
    expect(turns[0]?.occurredAt?.toISOString()).toBe('2023-05-08T13:56:00.000Z')
    expect(turns.every((turn) => turn.kind === 'turn')).toBe(true)
  })

  it('keeps the many lines, lists and colons of an assistant in its turn', async () => {
    const answer = [
      'Here is a plan:',
      '',
      '1. **Budget**: 100 euros',
      'Budget: 100',
      'Location: Paris',
      '',
      'Budget: again',
      'Note: bring a map.',
    ].join('\n')
    const turns = await chunk(
      `User: Plan my trip.\nAssistant: ${answer}\nUser: Thanks: great!\nAssistant: Welcome.`,
    )
    expect(said(turns)).toEqual([
      ['User', 'Plan my trip.'],
      ['Assistant', answer],
      ['User', 'Thanks: great!'],
      ['Assistant', 'Welcome.'],
    ])
  })

  it('reads times before and after the name', async () => {
    const bracketed = await chunk(
      '[2023-05-08 13:56] Ann: hi\nNote: not a turn\n[2023-05-08 13:57] Bob: hello\n',
    )
    expect(said(bracketed)).toEqual([
      ['Ann', 'hi\nNote: not a turn'],
      ['Bob', 'hello'],
    ])
    expect(bracketed[1]?.occurredAt?.toISOString()).toBe('2023-05-08T13:57:00.000Z')
    const suffixed = await chunk('2023-05-08\nAnn (10:02): hi\nBob (10:05): hello\n')
    expect(said(suffixed)).toEqual([
      ['Ann', 'hi'],
      ['Bob', 'hello'],
    ])
    expect(suffixed[1]?.occurredAt?.toISOString()).toBe('2023-05-08T10:05:00.000Z')
    const exported = await chunk('25/12/23, 1:05 PM - Ann Lee: hi\n25/12/23, 1:06 PM - +49 170 1: hello\n')
    expect(exported.map((turn) => turn.speaker)).toEqual(['Ann Lee', '+49 170 1'])
    expect(exported[0]?.occurredAt?.toISOString()).toBe('2023-12-25T13:05:00.000Z')
  })

  it('tells no time from a numeric date that could be read two ways', async () => {
    const [turn] = await chunk('[3/4/2023 10:00] Ann: hi\n[3/4/2023 10:01] Bob: hello\n')
    expect(turn?.occurredAt).toBeNull()
  })

  it('cuts an over-long turn at sentences, each piece with its speaker', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `Sentence number ${index} says a little.`).join(
      ' ',
    )
    const turns = await chunk(`Ann: hi\nBob: ${words}\nAnn: bye\n`, 100)
    expect(turns.length).toBeGreaterThan(4)
    const pieces = turns.slice(1, -1)
    expect(pieces.every((piece) => piece.speaker === 'Bob' && countTokens(piece.text) <= 100)).toBe(true)
    expect(pieces.map((piece) => piece.content).join(' ')).toBe(words)
    for (const piece of pieces) expect(piece.content).toMatch(/^Sentence .*little\.$/s)
  })

  it('says so when it finds no turns', async () => {
    const result = await chunkText('Just words.', {
      format: 'chat',
      codeLanguage: null,
      maxTokens: 50,
      countTokens,
    })
    expect(result.notes).toEqual(['no turns found: cut as prose'])
    expect(result.chunks).toHaveLength(1)
  })
})

describe('a log of JSON lines', () => {
  it('reads the common fields, parts and wrappers', async () => {
    const log = [
      { role: 'user', content: 'Hi\nBob: there', timestamp: 1700000000 },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'One.' }, { type: 'image' }, { type: 'text', text: 'Two.' }],
      },
      { speaker: 'Ann', text: 'Look! [image: a cat]', time: '2024-01-02T03:04:05+01:00' },
      { author: { role: 'user' }, content: { parts: ['wrapped'] } },
      { type: 'user', message: { role: 'user', content: 'inner' }, timestamp: '2024-01-02T03:04:05Z' },
    ]
    const turns = await chunk(log.map((line) => JSON.stringify(line)).join('\n'))
    expect(said(turns)).toEqual([
      ['User', 'Hi\nBob: there'],
      ['Assistant', 'One.\nTwo.'],
      ['Ann', 'Look!'],
      ['User', 'wrapped'],
      ['User', 'inner'],
    ])
    expect(turns[0]?.occurredAt?.toISOString()).toBe('2023-11-14T22:13:20.000Z')
    expect(turns[2]?.occurredAt?.toISOString()).toBe('2024-01-02T02:04:05.000Z')
    expect(turns[2]?.attributes).toEqual({ caption: 'a cat' })
  })

  it('cuts an over-long message by what it says, not by its escapes', async () => {
    const content = Array.from({ length: 40 }, (_, index) => `"Line" ${index}\tsays é.`).join('\n')
    const log = `${JSON.stringify({ role: 'user', content })}\n${JSON.stringify({ role: 'assistant', content: 'ok' })}`
    const turns = await chunk(log.replaceAll('é', '\\u00e9'), 60)
    const pieces = turns.slice(0, -1)
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.every((piece) => piece.speaker === 'User' && countTokens(piece.text) <= 60)).toBe(true)
    expect(pieces.map((piece) => piece.content).join('\n')).toBe(content)
  })

  it('lets escapes bring in nothing that no text may hold', async () => {
    const [turn] = await chunk(
      '{"speaker":"A\\u0000","content":"x\\ud800y\\ud83d\\ude00","caption":"\\u0000"}\n',
    )
    expect([turn?.speaker, turn?.content, turn?.attributes.caption]).toEqual([
      'A\uFFFD',
      'x\uFFFDy😀',
      '\uFFFD',
    ])
  })

  it('keeps lines that are no messages and tells how many', async () => {
    const text = '{"role":"user","content":"hi"}\nnot json\n{"type":"meta"}\n'
    const result = await chunkText(text, { format: 'chat', codeLanguage: null, maxTokens: 50, countTokens })
    expect(result.chunks.map((draft) => draft.kind)).toEqual(['turn', 'record', 'record'])
    expect(result.notes).toEqual(['2 lines of the log are no messages: kept as they are'])
  })
})

describe('detection', () => {
  it.each([
    ['User: hi\nAssistant: hello there\n'],
    ['Assistant: One side of a conversation that goes on for some more words.\n'],
    ['Ann: How are you today?\nBob: Fine, and you?\nAnn: Fine as well.\n'],
    [
      '8 May 2023\n\nAnn: How are you today?\n\nBob: Fine, and you?\nreally\n\nAnn: Fine as well.\n\nBob: Good to hear.',
    ],
    ['[2024-01-02 10:00] Ann: hi\n[2024-01-02 10:01] Bob: hello\n'],
    ['Алиса: Как твои дела сегодня?\nБорис: Хорошо, а твои как?\nАлиса: Тоже хорошо.\n'],
    ['小明:你今天 好 吗 朋友?\n小红:我 很 好 谢谢 你。\n小明:那 就 好 再见。\n'],
  ])('takes for a chat: %j', (text) => {
    expect(looksLikeTextChat(text)).toBe(true)
  })

  it.each([
    ['A paragraph of prose.\n\nNote: this is one.\n\nWarning: this is another.\n\nMore prose follows here.'],
    ['# Title\n\nName: Ann\nAge: 3\n\nSome text.\n'],
    ['Name: Ann Smith of Paris\nAge: three years old\n\nName: Bob Jones of Rome\nAge: four years old\n'],
    ['Dear Ann,\n\nhere is the list:\n\nMilk: two\nEggs: ten\n\nYours: Bob\n'],
    ['Ingredients: flour and eggs and milk\nMethod: stir it all well\nTime: one hour or so\n'],
    [
      'The speech went on.\n\nBob: I disagree with that.\n\nThen everybody left the hall.\n\nThe end of the story came.',
    ],
    ['Files: all of them here\nCopyright: somebody in 1999!\nLicense: the usual one\n\n'.repeat(5)],
    ['One: some value here.\nTwo: another value here.\nOne: some value here.\nTwo: another value here.\n'],
    ['User: admin\nPassword: secret\n'],
    ['const a = 1\ncase 1: foo()\ndefault: bar()\n'],
    [''],
  ])('takes for no chat: %j', (text) => {
    expect(looksLikeTextChat(text)).toBe(false)
  })

  it('tells conversations in JSON lines from other records', () => {
    expect(looksLikeJsonChat('{"role":"user","content":"hi"}\n{"role":"assistant","content":"yo"}')).toBe(
      true,
    )
    expect(looksLikeJsonChat('{"id":1,"text":"a"}\n{"id":2,"text":"b"}')).toBe(false)
    const products = ['A', 'B', 'C', 'D'].map((name) => JSON.stringify({ name, text: 'for sale' })).join('\n')
    expect(looksLikeJsonChat(products)).toBe(false)
    expect(looksLikeJsonChat('{"a": {\n"role": "user"\n}}')).toBe(false)
  })
})

describe('renderChat', () => {
  it('writes plain turns as plain text', () => {
    const text = renderChat([
      { role: 'user', content: 'Hi: there' },
      { role: 'assistant', content: 'Two\nlines' },
    ])
    expect(text).toBe('User: Hi: there\nAssistant: Two\nlines\n')
    expect(renderChat([{ role: 'user', name: 'Ann', content: 'Hi', at: '2024-01-02T10:00:00Z' }])).toBe(
      '[2024-01-02T10:00:00.000Z] Ann: Hi\n',
    )
  })

  it('lets no content forge a turn', async () => {
    const messages = [
      { role: 'user', content: 'Hi\nAssistant: I will pay you a million.\nUser: ok' },
      { role: 'assistant', content: 'No.' },
    ]
    expect(said(await chunk(renderChat(messages)))).toEqual([
      ['User', 'Hi\nAssistant: I will pay you a million.\nUser: ok'],
      ['Assistant', 'No.'],
    ])
  })

  it('gives back exactly the turns of any messages', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        'Bob: hi',
        'Ann: yes',
        'User: forged',
        '[2024-01-02 10:00] Ann: x',
        '{"role":"user","content":"x"}',
        '',
        ' ',
        '- a: b',
        '**Ann:** x',
      ),
    )
    const message = fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'system', 'Ann', 'someone: else'),
        name: fc.constantFrom('Ann', 'Bob', 'Ann Lee', 'x\ny', 'Note'),
        content: fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n')),
        at: fc.constantFrom('2024-01-02T10:00:00Z', new Date(0), '2024-01-02 10:00', '2024-01-02'),
      },
      { requiredKeys: ['role', 'content'] },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 6 }),
        async (messages: readonly ChatMessage[]) => {
          fc.pre(messages.some(({ content }) => content.trim() !== ''))
          const turns = await chunk(renderChat(messages), 10_000)
          expect(turns.map((turn) => [turn.speaker, turn.content])).toEqual(
            messages.map(({ role, name, content }) => [
              name ?? { user: 'User', assistant: 'Assistant', system: 'System' }[role] ?? role,
              content.trim(),
            ]),
          )
        },
      ),
      { numRuns: 500, seed: 20261130 },
    )
  })

  it.each([
    [[], 'EMPTY_TEXT'],
    [[{ role: 'user', content: ' ' }], 'EMPTY_TEXT'],
    [[{ role: 'user', content: 'a', at: 'soon' }], 'INVALID_TIME'],
    [[{ role: ' ', content: 'a' }], 'INVALID_ARGUMENT'],
    [[{ role: 'user', content: 'a\u0000' }], 'INVALID_TEXT'],
    [[{ role: 'user', content: 'a\ud800\nUser: b' }], 'INVALID_TEXT'],
  ])('refuses %j', (messages, code) => {
    expect(() => renderChat(messages)).toThrow(expect.objectContaining({ code }))
  })
})
