import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkCues } from '../../domain/cue.ts'
import { FORMATS } from '../../domain/document.ts'
import type { CueDocument, CueInput } from './cue-input.ts'
import { MAX_CUES } from './cue-limits.ts'
import { eachCues } from './make-cues.ts'

/** About what a word-piece tokeniser counts, and never fewer than the words. */
const countTokens = (text: string): number => Math.ceil((text.match(/\S/gu) ?? []).length / 3)

function chunk(text: string, more: Partial<ChunkDraft> = {}): ChunkDraft {
  return {
    text,
    kind: 'paragraph',
    label: null,
    speaker: null,
    occurredAt: null,
    content: null,
    attributes: {},
    ...more,
  }
}

function turn(speaker: string, content: string, more: Partial<ChunkDraft> = {}): ChunkDraft {
  return chunk(`${speaker}: ${content}\n`, { kind: 'turn', speaker, content, ...more })
}

function make(
  chunks: readonly ChunkDraft[],
  document: Partial<CueDocument> = {},
  more: Partial<CueInput> = {},
): ChunkCues[] {
  return [
    ...eachCues({
      chunks,
      document: {
        source: 'docs/guide.md',
        title: null,
        format: 'chat',
        occurredAt: new Date('2023-05-08T13:56:00Z'),
        frontMatter: {},
        ...document,
      },
      countTokens,
      maxTokens: 400,
      language: 'english',
      ...more,
    }),
  ]
}

const texts = (cues: ChunkCues | undefined, kind: string): string[] =>
  (cues?.cues ?? []).filter((cue) => cue.kind === kind).map((cue) => cue.text)

describe('chat', () => {
  const chat = [
    turn('Caroline', 'I went to a support group yesterday. It was so powerful!'),
    turn('Melanie', 'Wow! What did you hear there? Really?'),
    turn('Caroline', 'Inspiring stories, Melanie. [image: a mural of a woman]'),
  ]
  const [first, second, third] = make(chat)

  it('resolves persons and dates in the content', () => {
    expect(first?.contentText).toBe(
      'Caroline: Caroline went to a support group on 7 May 2023. It was so powerful!',
    )
  })

  it('puts the question before into the content of the answer', () => {
    expect(third?.contentText).toBe(
      'What did Caroline hear there? Caroline: Inspiring stories, Melanie. Caroline shares a picture: a mural of a woman.',
    )
  })

  it('makes the question before a cue of the answer, too short ones left out', () => {
    expect(texts(second, 'question')).toEqual([])
    expect(texts(third, 'question')).toEqual(['What did Caroline hear there?'])
  })

  it('makes a statement of each sentence that says something', () => {
    expect(texts(first, 'statement')).toEqual(
      ['Caroline went to a support group on 7 May 2023.', 'It was so powerful!'].filter(
        (text) => text.length > 20,
      ),
    )
    expect(texts(third, 'statement')).toEqual([
      'Inspiring stories, Melanie.',
      'Caroline shares a picture: a mural of a woman.',
    ])
  })

  it('frames a turn by its neighbours', () => {
    expect(second?.windowText).toBeNull()
    expect(make(chat, {}, { windows: true })[1]?.windowText).toBe(
      [
        'Caroline: Caroline went to a support group on 7 May 2023. It was so powerful!',
        'Melanie: Wow! What did Caroline hear there? Really?',
        'Caroline: Inspiring stories, Melanie. Caroline shares a picture: a mural of a woman.',
      ].join('\n'),
    )
  })

  it('names the speaker and the speakers named', () => {
    expect(third?.mentions).toEqual([
      { name: 'Caroline', kind: 'person', role: 'speaker' },
      { name: 'Melanie', kind: 'person', role: 'mentioned' },
    ])
  })

  it('takes a caption from the attributes as well, once', () => {
    const [only] = make([turn('Ann', 'Look!', { attributes: { caption: 'a red bike' } })])
    expect(only?.contentText).toContain('Ann shares a picture: a red bike.')
    const [same] = make([turn('Ann', 'Look! [image: a bike]', { attributes: { caption: 'a bike' } })])
    expect(same?.contentText.match(/shares a picture/g)).toHaveLength(1)
  })

  it('prefers the turn’s own date, and resolves none without a date', () => {
    const said = 'I ran a long way yesterday.'
    const [own] = make([turn('Ann', said, { occurredAt: new Date('2024-03-01T00:10:00Z') })])
    expect(own?.contentText).toContain('on 29 February 2024')
    const [none] = make([turn('Ann', said)], { occurredAt: null })
    expect(none?.contentText).toContain('yesterday')
  })

  it('takes no question from the same speaker', () => {
    const [, next] = make([turn('Ann', 'Where did we put it again?'), turn('Ann', 'In the drawer, I think.')])
    expect(texts(next, 'question')).toEqual([])
  })

  it('takes questions from messages in a row, for answers in a row', () => {
    const made = make([
      turn('Ann', 'Is it too early to ask?'),
      turn('Ann', 'Where is the key to the shed?'),
      turn('Ann', 'It rains so much here.'),
      turn('Bob', 'Hm.'),
      turn('Bob', 'Under the mat.'),
      turn('Bob', 'It was there in May.'),
    ])
    expect(made.map((each) => texts(each, 'question'))).toEqual([
      [],
      [],
      [],
      ['Where is the key to the shed?'],
      ['Where is the key to the shed?'],
      [],
    ])
  })

  it('leaves the second person alone among three, unless one is addressed', () => {
    const group = [
      turn('Ann', 'Where were you last night?'),
      turn('Bob', 'Hey Cy, did you sleep well here?'),
      turn('Cy', 'Very well, thanks.'),
    ]
    const [, bob, cy] = make(group)
    expect(texts(bob, 'question')).toEqual(['Where were you on the night of 7 May 2023?'])
    expect(texts(cy, 'question')).toEqual(['Hey Cy, did Cy sleep well here?'])
  })

  it('gives the sentences of an essay no vectors, in a bounded number that holds them all', () => {
    const essay = Array.from({ length: 40 }, (_, i) => `This is sentence ${i} about many things.`)
    const [only] = make([turn('Ann', essay.join(' '))])
    expect(only?.cues).toHaveLength(4)
    expect(only?.cues.some((cue) => cue.embed)).toBe(false)
    expect(texts(only, 'statement').join(' ')).toBe(essay.join(' '))
  })

  it('leaves what roles say as it is, and takes no role for a person', () => {
    const [asked, answered] = make([
      turn('User', 'I need my visa soon. What do you advise?'),
      turn('Assistant', 'You can do it today.'),
    ])
    expect(asked?.contentText).toBe('I need my visa soon. What do you advise?')
    expect(asked?.mentions).toEqual([])
    expect(answered?.contentText).toBe('What do you advise? You can do it today.')
    expect(answered?.cues).toEqual([
      { kind: 'question', text: 'What do you advise?', origin: 'rules', embed: true },
      { kind: 'statement', text: 'You can do it today.', origin: 'rules', embed: false },
    ])
  })

  it('takes no questions out of long turns, nor from another session', () => {
    const long = `${'We could do a great many things there. '.repeat(12)}Where shall we go?`
    const [, afterLong] = make([turn('Ann', long), turn('Bob', 'To the sea, as we did last year.')])
    expect(afterLong?.contentText).toBe('Bob: To the sea, as we did in 2022.')
    expect(afterLong?.cues.some((cue) => cue.embed)).toBe(false)
    const at = (time: string): Partial<ChunkDraft> => ({ occurredAt: new Date(time) })
    const chatOf = (time: string): string[] =>
      texts(
        make([
          turn('Ann', 'Where shall we go?', at('2023-05-08T10:00:00Z')),
          turn('Bob', 'Home.', at(time)),
        ])[1],
        'question',
      )
    expect(chatOf('2023-05-08T21:00:00Z')).toEqual(['Where shall we go?'])
    expect(chatOf('2023-05-09T10:00:00Z')).toEqual([])
  })

  it('does not read English into other languages', () => {
    const german = [
      turn(
        'Ann',
        'Ich sah me und my gestern im Park, tonight war es für uns alle so schön, was in der Stadt geschah.',
      ),
    ]
    expect(make(german, {}, { language: 'german' })[0]?.contentText).toContain('me und my gestern')
    expect(make(german, {}, { language: 'none' })[0]?.contentText).toContain('me und my gestern')
  })
})

describe('prose and Markdown', () => {
  it('puts title and heading path before the text', () => {
    const [section] = make([chunk('## Install\n\nRun it.\n', { label: 'Guide > Install' })], {
      format: 'markdown',
      title: 'Guide',
    })
    expect(section?.contentText).toBe('Guide > Install\n## Install\n\nRun it.')
  })

  it('takes the title from front matter', () => {
    const [section] = make([chunk('Run it.', { label: 'Install' })], {
      format: 'markdown',
      frontMatter: { title: 'Guide' },
    })
    expect(section?.contentText).toBe('Guide > Install\nRun it.')
  })

  it('asks what a definition answers', () => {
    const text = [
      'A bank is the unit of isolation. It is a thing. This guide is the best.',
      'Cues are the texts that lead to a chunk. Where it is the case, stop.',
      '* **Receipt**: the id of a recall.',
    ].join('\n')
    const [section] = make([chunk(text)], { format: 'markdown' })
    expect(texts(section, 'question')).toEqual(['What is Receipt?', 'What is a bank?', 'What are Cues?'])
  })

  it('tells heading path and text over again, without vectors', () => {
    const [section] = make([chunk('It rains.\n- green tea\n- oat milk\n', { label: 'Home > Shopping' })], {
      format: 'markdown',
    })
    expect(texts(section, 'statement')).toEqual(['Home > Shopping', 'It rains.', '- green tea', '- oat milk'])
    expect(section?.cues.some((cue) => cue.embed)).toBe(false)
  })
})

describe('code', () => {
  const [method] = make(
    [
      chunk('openBank(name) {\n  if (name) return this.store.findBank(parse(name))\n}\n', {
        kind: 'method',
        label: 'Store.openBank',
        attributes: { docstring: '/** Opens a bank by name. Throws when there is none. */' },
      }),
    ],
    { format: 'code', source: 'src/store.ts' },
  )

  it('says where a symbol is defined and what it calls', () => {
    expect(texts(method, 'question')).toEqual(['Where is Store.openBank defined?'])
    expect(texts(method, 'statement')).toEqual([
      'Store open bank: Opens a bank by name.',
      'Store.openBank calls findBank, parse',
      'openBank name',
      'return this',
      'store findBank',
      'parse',
    ])
  })

  it('puts path and symbol in words before the code', () => {
    expect(method?.contentText.split('\n')[0]).toBe('src/store.ts Store open bank')
  })
})

describe('JSON, YAML, TOML', () => {
  it('tells the key path in words', () => {
    const [key] = make([chunk('"poolSize": 4', { label: 'server.poolSize' })], {
      format: 'json',
      source: 'app.json',
    })
    expect(texts(key, 'statement')).toEqual(['server pool size', '"poolSize": 4'])
    expect(key?.contentText).toBe('app.json server.poolSize\n"poolSize": 4')
  })
})

describe('any document', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      'I am you. ',
      'A b is the c. ',
      'yesterday ',
      '- **x**: y\n',
      '[image: z]',
      'f(g(x)) ',
      'Who? ',
    ),
  )
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
  const draft = fc.record({
    text,
    kind: fc.constantFrom('turn', 'section', 'function', 'front-matter'),
    label: fc.option(text),
    speaker: fc.option(fc.oneof(fc.constantFrom('Ann', 'Bob', 'User'), text)),
    occurredAt: fc.option(fc.date()),
    content: fc.option(text),
    attributes: fc.constantFrom({}, { caption: 'a cat' }, { docstring: '/** Does it. */' }),
  })

  it('gets bounded, distinct, fitting cues, one entry a chunk, and never throws', () => {
    fc.assert(
      fc.property(
        fc.array(draft, { maxLength: 6 }),
        fc.constantFrom(...FORMATS),
        fc.constantFrom('english', 'none', 'french'),
        fc.integer({ min: 8, max: 60 }),
        (chunks, format, language, maxTokens) => {
          const made = make(chunks, { format, title: 'T' }, { language, maxTokens })
          expect(made).toHaveLength(chunks.length)
          for (const cues of made) {
            expect(cues.cues.length).toBeLessThanOrEqual(MAX_CUES)
            const keys = cues.cues.map((cue) => `${cue.kind} ${cue.text.toLowerCase()}`)
            for (const each of [
              cues.contentText,
              cues.windowText ?? '',
              ...cues.cues.map((cue) => cue.text),
            ]) {
              expect(countTokens(each)).toBeLessThanOrEqual(maxTokens)
            }
            expect(cues.cues.every((cue) => cue.text.trim() !== '')).toBe(true)
            expect(new Set(keys).size).toBe(keys.length)
          }
        },
      ),
      { seed: 13, numRuns: 400 },
    )
  })
})
