import { describe, expect, it } from 'vitest'
import { bm25, type CollectionStatistics } from '../math/bm25.ts'
import type { LexicalMatches } from '../store/queries/lexical-matches.ts'
import type { TermStatistics } from '../store/queries/term-statistics.ts'
import { scoreContext, scoreDocuments, scoreField, scoreText } from './lexical-scores.ts'

/** `oslo`: body term 1 in 2 chunks, cue term 11 in 3. `ferry`: body term 2 in 1, never in a cue. */
const STATISTICS: TermStatistics = {
  fields: new Map([
    [
      0,
      {
        ...{ count: 10, averageLength: 6 },
        terms: new Map([
          ['oslo', { termId: 1, documentFrequency: 2 }],
          ['ferry', { termId: 2, documentFrequency: 1 }],
        ]),
      },
    ],
    [1, { count: 5, averageLength: 4, terms: new Map([['oslo', { termId: 11, documentFrequency: 3 }]]) }],
  ]),
}
const TERMS = [
  { term: 'oslo', weight: 1 },
  { term: 'ferry', weight: 0.5 },
  { term: 'unheard', weight: 1 },
]
/** A document of four chunks; chunk 2 says `oslo` twice, chunk 4 `ferry`; a cue of chunk 1 says `oslo`. */
const MATCHES: LexicalMatches = {
  places: [1, 2, 3, 4].map((chunkId) => ({
    ...{ chunkId, documentId: 7, ordinal: chunkId - 1 },
    ...{ bodyLength: 5, cueLength: chunkId === 1 ? 3 : 0 },
  })),
  postings: [
    { chunkId: 2, termId: 1, frequency: 2, length: 5 },
    { chunkId: 4, termId: 2, frequency: 1, length: 5 },
    { chunkId: 1, termId: 11, frequency: 1, length: 3 },
  ],
}

function reference(
  counts: Readonly<Record<string, number>>,
  length: number,
  statistics: CollectionStatistics,
  documentFrequencies: Readonly<Record<string, number>>,
): number {
  const frequencies = new Map(Object.entries(counts))
  return bm25(TERMS, { frequencies, length }, statistics, new Map(Object.entries(documentFrequencies)))
}

describe('lexical scores', () => {
  it('scores a field by the formula; chunks without a term are absent', () => {
    const body = scoreField(MATCHES, 0, [1, 2, 3, 4], TERMS, STATISTICS)
    const of = { count: 10, averageLength: 6 }
    expect([...body.keys()]).toEqual([2, 4])
    expect(body.get(2)).toBeCloseTo(reference({ oslo: 2 }, 5, of, { oslo: 2 }), 12)
    expect(body.get(4)).toBeCloseTo(reference({ ferry: 1 }, 5, of, { ferry: 1 }), 12)
    const cue = scoreField(MATCHES, 1, [1, 2], TERMS, STATISTICS)
    expect(cue.get(1)).toBeCloseTo(reference({ oslo: 1 }, 3, { count: 5, averageLength: 4 }, { oslo: 3 }), 12)
  })

  it('scores body and cues as one text, a term of both under one frequency', () => {
    const text = scoreText(MATCHES, [1, 2], TERMS, STATISTICS)
    // 10 chunks of 6 body terms, 5 of them with 4 cue terms: 8 a chunk
    const of = { count: 10, averageLength: 8 }
    expect(text.get(1)).toBeCloseTo(reference({ oslo: 1 }, 8, of, { oslo: 3 }), 12)
    expect(text.get(2)).toBeCloseTo(reference({ oslo: 2 }, 5, of, { oslo: 3 }), 12)
  })

  it('scores a chunk with two neighbours on each side as one text', () => {
    const context = scoreContext(MATCHES, [1, 2, 3, 4], TERMS, STATISTICS)
    // windows of 3, 4, 4, 3 chunks: 3.5 on the mean
    const of = { count: 10, averageLength: 6 * 3.5 }
    expect(context.get(1)).toBeCloseTo(reference({ oslo: 2 }, 15, of, { oslo: 2 }), 12)
    expect(context.get(2)).toBeCloseTo(reference({ oslo: 2, ferry: 1 }, 20, of, { oslo: 2, ferry: 1 }), 12)
    expect(context.get(4)).toBeCloseTo(reference({ oslo: 2, ferry: 1 }, 15, of, { oslo: 2, ferry: 1 }), 12)
  })

  it('scores whole documents, estimating how many hold a term from how many chunks do', () => {
    const documents = [{ documentId: 7, byteLength: 300, termIds: [1, 2], frequencies: [2, 1] }]
    const scores = scoreDocuments(documents, { count: 5, averageBytes: 200 }, TERMS, STATISTICS)
    const strewn = (n: number): number => 5 * (1 - (1 - n / 10) ** 2)
    const expected = reference(
      { oslo: 2, ferry: 1 },
      300,
      { count: 5, averageLength: 200 },
      {
        ...{ oslo: strewn(2), ferry: strewn(1) },
      },
    )
    expect(scores.get(7)).toBeCloseTo(expected, 12)
    expect(strewn(1)).toBeLessThan(1)
  })

  it('finds nothing where nothing is known', () => {
    const nothing: TermStatistics = { fields: new Map() }
    for (const score of [scoreContext, scoreText]) expect(score(MATCHES, [1, 2], TERMS, nothing).size).toBe(0)
    expect(scoreField(MATCHES, 0, [1], TERMS, nothing).size).toBe(0)
    expect(scoreDocuments([], { count: 0, averageBytes: 0 }, TERMS, STATISTICS).size).toBe(0)
  })
})
