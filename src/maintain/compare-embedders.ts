import type { ComparedPassage, EmbedderComparison, EmbedderLikeness } from '../domain/embedder.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { RecallMode, RecallQuery } from '../domain/recall.ts'
import { overlapAt, rankBiasedOverlap } from '../math/list-overlap.ts'

/** One of the two spaces that are asked. */
export interface AskedSpace {
  /** What it brings on a query, best first; nothing is written. */
  readonly ask: (query: RecallQuery, mode: RecallMode) => Promise<readonly ComparedPassage[]>
  /** Time that its model has taken so far, milliseconds. */
  readonly embeddedMs: () => number
}

type Likenesses = Pick<EmbedderComparison, 'queries' | 'dense' | 'recall' | 'differing'>

/** Passages of each list that are compared. */
export const COMPARED_PASSAGES = 10
/** Queries told with their passages. */
const MOST_DIFFERING = 10

interface Answered {
  readonly query: string
  readonly dense: Pair
  readonly recall: Pair
}

interface Pair {
  readonly active: readonly ComparedPassage[]
  readonly other: readonly ComparedPassage[]
}

/** Asks both spaces each query, by vectors alone and by the whole recall, and tells how alike they answer. */
export async function compareSpaces(
  queries: readonly RecallQuery[],
  spaces: { readonly active: AskedSpace; readonly other: AskedSpace },
  onQuery: (done: number) => void,
): Promise<Likenesses & { readonly activeMs: number; readonly otherMs: number }> {
  if (queries.length === 0) {
    throw new ProlepsisError('NOT_FOUND', 'There are no queries to compare by.', {
      hint: 'Recall something first, or give queries (--query, embedder.compare({ queries })).',
    })
  }
  const answered: Answered[] = []
  let activeMs = 0
  let otherMs = 0
  const { active, other } = spaces
  for (const query of queries) {
    const before = [active.embeddedMs(), other.embeddedMs()] as const
    const dense = await bothOn(spaces, query, 'semantic')
    activeMs += active.embeddedMs() - before[0]
    otherMs += other.embeddedMs() - before[1]
    const recall = await bothOn(spaces, query, 'hybrid')
    answered.push({ query: messageOf(query), dense, recall })
    onQuery(answered.length)
  }
  return {
    queries: queries.length,
    dense: likeness(answered.map((one) => one.dense)),
    recall: likeness(answered.map((one) => one.recall)),
    differing: differing(answered),
    activeMs: activeMs / queries.length,
    otherMs: otherMs / queries.length,
  }
}

async function bothOn(
  { active, other }: { readonly active: AskedSpace; readonly other: AskedSpace },
  query: RecallQuery,
  mode: RecallMode,
): Promise<Pair> {
  return { active: await active.ask(query, mode), other: await other.ask(query, mode) }
}

const messageOf = (query: RecallQuery): string => (typeof query === 'string' ? query : query.message)

const refs = (passages: readonly ComparedPassage[]): string[] => passages.map(({ ref }) => ref)

function measured({ active, other }: Pair): EmbedderLikeness {
  const [a, b] = [refs(active), refs(other)]
  return {
    overlap: overlapAt(a, b, COMPARED_PASSAGES),
    rankBiasedOverlap: rankBiasedOverlap(a, b),
    sameFirst: a[0] === b[0] ? 1 : 0,
  }
}

function likeness(pairs: readonly Pair[]): EmbedderLikeness {
  const all = pairs.map(measured)
  const mean = (of: (one: EmbedderLikeness) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0) / all.length
  return {
    overlap: mean((one) => one.overlap),
    rankBiasedOverlap: mean((one) => one.rankBiasedOverlap),
    sameFirst: mean((one) => one.sameFirst),
  }
}

function differing(answered: readonly Answered[]): EmbedderComparison['differing'] {
  return answered
    .map(({ query, recall }) => ({ query, ...measured(recall), ...recall }))
    .filter((one) => one.rankBiasedOverlap < 1 - 1e-9)
    .sort((a, b) => a.rankBiasedOverlap - b.rankBiasedOverlap)
    .slice(0, MOST_DIFFERING)
    .map(({ sameFirst: _sameFirst, ...one }) => one)
}
