import { type CandidatePool, FEATURES, featureColumns } from '../../src/testing.ts'

/**
 * Where a case comes from: a question of the set; one whose answer the bank does not hold (`adversarial`: the set's own, `foreign`:
 * another set's); or a few candidates of one of them, as a bank of that size would give (`small`).
 */
export type CaseOrigin = 'asked' | 'adversarial' | 'foreign' | 'small'

/** One question with every candidate's features and whether it is relevant. */
export interface TrainingCase {
  readonly set: string
  readonly origin: CaseOrigin
  /** Left out together with the other cases of its fold: a conversation, or a fifth of the set. */
  readonly fold: number
  /** Rows of the set's table: MemAware's difficulty, else the set's name. */
  readonly level: string
  /** One column a feature, in the order of FEATURES; one number a candidate. */
  readonly columns: readonly Float64Array[]
  /** 1 for a relevant candidate. */
  readonly relevant: Uint8Array
  /** The document of each candidate, where only documents are labelled and the best candidate stands for its document; else null. */
  readonly documents: readonly string[] | null
  /** Relevant items in all, those that no channel brought counted. */
  readonly relevantCount: number
}

export interface CaseLabels {
  readonly set: string
  readonly origin: CaseOrigin
  readonly fold: number
  readonly level?: string
  readonly byDocument?: boolean
  readonly relevantCount: number
  isRelevant(chunk: CandidatePool['chunks'][number]): boolean
}

export function caseOf(pool: CandidatePool, labels: CaseLabels): TrainingCase {
  const { set, origin, fold, level = set, byDocument = false, relevantCount } = labels
  return {
    ...{ set, origin, fold, level, relevantCount },
    columns: featureColumns(pool).map((column) => Float64Array.from(column)),
    relevant: Uint8Array.from(pool.chunks, (chunk) => (labels.isRelevant(chunk) ? 1 : 0)),
    documents: byDocument ? pool.chunks.map((chunk) => chunk.document.source) : null,
  }
}

/** The same question over a few of its candidates, features made anew: how a bank of that size would look. */
export function smallCases(
  pool: CandidatePool,
  labels: CaseLabels,
  sizes: readonly number[],
  random: () => number,
): TrainingCase[] {
  const relevant = pool.chunks.filter((chunk) => labels.isRelevant(chunk))
  const others = pool.chunks.filter((chunk) => !labels.isRelevant(chunk))
  return sizes.map((size) => {
    // The answer is there a little more often than not.
    const answer = random() < 0.6 ? drawFrom(relevant, 1, random) : []
    const chunks = [...answer, ...drawFrom(others, size - answer.length, random)]
    const ids = new Set(chunks.map((chunk) => chunk.chunkId))
    const scores = new Map(
      [...pool.scores].map(([channel, all]) => [channel, new Map([...all].filter(([id]) => ids.has(id)))]),
    )
    const small = { ...labels, origin: 'small' as const, relevantCount: answer.length }
    return caseOf({ ...pool, chunks, scores }, small)
  })
}

function drawFrom<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items]
  const drawn: T[] = []
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1))
  }
  return drawn
}

/** Mulberry32: repeatable draws. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function columnOf(one: TrainingCase, feature: string): Float64Array {
  const column = one.columns[FEATURES.findIndex(({ name }) => name === feature)]
  if (column === undefined) throw new Error(`there is no feature ${feature}`)
  return column
}

/** Σ weight · feature of every candidate. */
export function scoresOf(one: TrainingCase, weights: Readonly<Record<string, number>>): Float64Array {
  const scores = new Float64Array(one.relevant.length)
  for (const [name, weight] of Object.entries(weights)) {
    if (weight === 0) continue
    const column = columnOf(one, name)
    for (let i = 0; i < scores.length; i++) scores[i]! += weight * column[i]!
  }
  return scores
}

/** Candidate indices, best first; equal scores keep their order. */
export function orderOf(scores: ArrayLike<number>): number[] {
  return Array.from({ length: scores.length }, (_, i) => i).sort((a, b) => scores[b]! - scores[a]! || a - b)
}

/** The case with each document's best candidate alone, where documents are labelled; else the case itself. */
export function bestOfDocuments(one: TrainingCase, weights: Readonly<Record<string, number>>): TrainingCase {
  const { documents } = one
  if (documents === null) return one
  const kept: number[] = []
  const seen = new Set<string>()
  for (const i of orderOf(scoresOf(one, weights))) {
    const document = documents[i]!
    if (!seen.has(document)) kept.push(i)
    seen.add(document)
  }
  return {
    ...one,
    columns: one.columns.map((column) => Float64Array.from(kept, (i) => column[i]!)),
    relevant: Uint8Array.from(kept, (i) => one.relevant[i]!),
    documents: kept.map((i) => documents[i]!),
  }
}
