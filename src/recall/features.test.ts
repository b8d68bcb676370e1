import { describe, expect, it } from 'vitest'
import type { Channel } from '../domain/recall.ts'
import { standardise } from '../math/standardise.ts'
import type { CandidateChunk } from '../store/queries/candidate-chunks.ts'
import type { Person } from '../store/queries/entities.ts'
import { FEATURES, type FeaturePool } from './features.ts'

const ANN: Person = { entityId: 1, name: 'Ann', norm: 'ann', isSpeaker: true, mentionCount: 3 }
const BEN: Person = { entityId: 2, name: 'Ben', norm: 'ben', isSpeaker: true, mentionCount: 2 }
const EVA: Person = { entityId: 3, name: 'Eva', norm: 'eva', isSpeaker: false, mentionCount: 1 }

function chunk(chunkId: number, change: Partial<CandidateChunk> = {}): CandidateChunk {
  return {
    chunkId,
    documentId: 1,
    ordinal: chunkId,
    speaker: null,
    tokens: 9,
    happenedAt: null,
    said: null,
    enriched: false,
    ...change,
  }
}

function column(name: string, pool: Partial<FeaturePool>): number[] {
  const feature = FEATURES.find((candidate) => candidate.name === name)
  const whole: FeaturePool = {
    ...{ chunks: [], scores: new Map(), people: [], dates: { months: [], years: [] }, asksForTime: false },
    termMass: 0,
    ...pool,
  }
  return Array.from(feature?.column(whole) ?? [Number.NaN])
}

function scoresOf(scores: Partial<Record<Channel, readonly (number | null)[]>>): FeaturePool['scores'] {
  const entries = Object.entries(scores) as [Channel, readonly (number | null)[]][]
  return new Map(
    entries.map(([channel, list]) => [
      channel,
      new Map(list.flatMap((score, i) => (score === null ? [] : [[i + 1, score] as const]))),
    ]),
  )
}

describe('features', () => {
  const chunks = [chunk(1), chunk(2), chunk(3)]

  it('standardises scores over the candidates', () => {
    const scores = scoresOf({ content: [0.9, 0.5, 0.1] })
    expect(column('z_content', { chunks, scores })).toEqual([...standardise([0.9, 0.5, 0.1])])
  })

  it('counts a missing lexical entry as no shared term', () => {
    const scores = scoresOf({ cue: [4, null, 2] })
    expect(column('z_cue', { chunks, scores })).toEqual([...standardise([4, 0, 2])])
  })

  it('does not stretch lexical scores that hold few of the words', () => {
    const scores = scoresOf({ text: [4, null, 2] })
    const stretched = [...standardise([4, 0, 2])]
    expect(column('z_text', { chunks, scores, termMass: 5 })).toEqual(stretched)
    const shrunk = column('z_text', { chunks, scores, termMass: 200 })
    const deviation = Math.sqrt(8 / 3)
    expect(shrunk).toEqual(stretched.map((z) => expect.closeTo((z * deviation) / (0.15 * 200), 9)))
  })

  it('counts a missing cue as the worst, where the chunk has cues of another kind', () => {
    const scores = scoresOf({
      content: [0.9, 0.5, 0.1],
      statement: [0.8, 0.7, 0.6],
      question: [0.7, null, 0.5],
    })
    expect(column('z_question', { chunks, scores })).toEqual([...standardise([0.7, 0.5, 0.5])])
  })

  it('lets prose without any cue or window stand by its content, a turn of a chat by the worst', () => {
    const scores = scoresOf({
      ...{ content: [0.9, 0.5, 0.1], window: [0.6, 0.4, null] },
      ...{ statement: [0.8, 0.7, null], question: [0.7, 0.6, null] },
    })
    const content = standardise([0.9, 0.5, 0.1])
    expect(column('z_window', { chunks, scores })).toEqual(
      [1, -1, content[2]].map((z) => expect.closeTo(z!, 9)),
    )
    expect(column('z_question', { chunks, scores })[2]).toBe(content[2])
    const turns = chunks.map((one) => ({ ...one, speaker: 'user' }))
    expect(column('z_question', { chunks: turns, scores })).toEqual([...standardise([0.7, 0.6, 0.6])])
  })

  it('gives zeros for a dense channel in which fewer than two have an entry', () => {
    const scores = scoresOf({ content: [0.9, 0.5, 0.1], question: [0.7, null, null] })
    expect(column('z_question', { chunks, scores })).toEqual([0, 0, 0])
  })

  it('gives zeros for a channel that found nothing or did not run', () => {
    expect(column('z_window', { chunks })).toEqual([0, 0, 0])
    expect(column('z_cue', { chunks, scores: scoresOf({ cue: [] }) })).toEqual([0, 0, 0])
  })

  it('flags the speaker who was asked for only when exactly one is', () => {
    const said = [chunk(1, { speaker: 'Ann' }), chunk(2, { speaker: 'BEN' }), chunk(3)]
    expect(column('speaker', { chunks: said, people: [BEN, EVA] })).toEqual([-1, 0, -0.5])
    expect(column('speaker', { chunks: said, people: [ANN, BEN] })).toEqual([0, 0, 0])
    expect(column('speaker', { chunks: said, people: [] })).toEqual([0, 0, 0])
  })

  it('compares named months and years with the time of the chunk', () => {
    const dated = [
      chunk(1, { happenedAt: new Date('2023-05-08T00:00:00Z') }),
      chunk(2, { happenedAt: new Date('2022-05-01T00:00:00Z') }),
      chunk(3),
    ]
    const dates = { months: [4], years: [2023] }
    expect(column('date', { chunks: dated, dates })).toEqual([0, -1, -0.5])
    expect(column('date', { chunks: dated })).toEqual([0, 0, 0])
  })

  it('asks for chunks that tell a time when the question does', () => {
    const told = [chunk(1, { said: 'We met yesterday.' }), chunk(2, { said: 'We met.' }), chunk(3)]
    expect(column('when', { chunks: told, asksForTime: true })).toEqual([0, -1, -0.5])
    expect(column('when', { chunks: told })).toEqual([0, 0, 0])
  })

  it('tells how many candidates there are, how near the nearest is and how many of the words are found, alike for all', () => {
    const scores = scoresOf({ content: [0.4, 0.6, 0.5], statement: [0.7, null, null], body: [2, null, 1] })
    expect(column('candidates', { chunks, scores })).toEqual([Math.log(3), Math.log(3), Math.log(3)])
    expect(column('best_cosine', { chunks, scores })).toEqual([0.7, 0.7, 0.7])
    expect(column('best_match', { chunks, scores, termMass: 4 })).toEqual([0.5, 0.5, 0.5])
    expect(column('best_match', { chunks, scores, termMass: 1 })).toEqual([1, 1, 1])
    expect(column('best_match', { chunks, scores })).toEqual([0, 0, 0])
  })

  it('gives the share of named people that a chunk names', () => {
    const scores = scoresOf({ entity: [1.5, 0.5, null] })
    expect(column('named', { chunks, scores, people: [ANN, BEN] })).toEqual([0.75, 0.25, 0])
    expect(column('named', { chunks, scores, people: [] })).toEqual([0, 0, 0])
  })

  it('gives an empty column for no candidates', () => {
    for (const feature of FEATURES) expect(column(feature.name, {}), feature.name).toEqual([])
  })
})
