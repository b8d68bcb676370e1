import type { Analyser } from '../domain/analysis/analyser.ts'
import type { NamedDates } from '../domain/analysis/time-questions.ts'
import { CUE_KINDS } from '../domain/cue.ts'
import type { Person } from '../store/queries/entities.ts'
import type { WeightedTerm } from '../store/queries/lexical-search.ts'
import type { Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import { embedQueries, type QueryVectors, type QueryView } from './embed-query.ts'
import { type Formulation, formulateByRules, type LexicalPart } from './formulate-rules.ts'
import { createLexicalReader, type LexicalReader } from './lexical-reader.ts'
import type { RecallRequest } from './request.ts'

/** A question made ready for the channels. The vectors come when the model has made them; the rest need not wait. */
export interface Probe {
  /** The questions that go out, the raw message first. */
  readonly queries: readonly string[]
  /** Texts of the exchange before the message that are asked with it, with their lexical weights before they fade. */
  readonly exchange: readonly { readonly text: string; readonly weight: number }[]
  /** Months and years that the message names. */
  readonly dates: NamedDates
  readonly asksForTime: boolean
  /** Null when no dense channel is on, or the embedder failed (the degradation says why). */
  readonly vectors: Promise<QueryVectors | null>
  readonly terms: Promise<readonly WeightedTerm[]>
  /** What the bank's full text holds of the terms. */
  readonly lexical: LexicalReader
  /** People whom the question names, as the bank knows them. */
  readonly people: readonly Person[]
}

/** Formulates the question by rules and starts to embed it. */
export function makeProbe(
  deps: Pick<RecallDeps, 'store' | 'embedder' | 'analyser' | 'clock'>,
  request: RecallRequest,
  people: readonly Person[],
  degradation: Degradation,
): Probe {
  const formulation = formulateByRules(request, {
    people: people.map((person) => person.name),
    speakers: people.filter((person) => person.isSpeaker).map((person) => person.name),
    now: new Date(deps.clock.now()),
  })
  for (const note of formulation.notes) degradation.note(note)
  const named = new Set(formulation.people)
  const vectors = embed(deps, request, formulation, degradation)
  // Whether the exchange before the message takes part is seen from the vectors; without one the terms need not wait.
  const terms = formulation.lexical.some((part) => part.origin === 'exchange')
    ? vectors.then((made) => weightedTerms(fade(formulation.lexical, made), deps.analyser))
    : Promise.resolve(weightedTerms(formulation.lexical, deps.analyser))
  const { queries, dates, asksForTime } = formulation
  const exchange = formulation.lexical.filter((part) => part.origin === 'exchange')
  return {
    exchange: exchange.map(({ text, weight }) => ({ text, weight })),
    ...{ queries, dates, asksForTime, vectors, terms, lexical: createLexicalReader(deps, terms) },
    people: people.filter((person) => named.has(person.name)),
  }
}

async function embed(
  deps: Pick<RecallDeps, 'embedder'>,
  request: RecallRequest,
  formulation: Formulation,
  degradation: Degradation,
): Promise<QueryVectors | null> {
  const { weights } = request
  const views = new Set<QueryView>()
  if (weights.content > 0) views.add('content')
  if (weights.window > 0) views.add('window')
  if (CUE_KINDS.some((kind) => weights[kind] > 0)) views.add('cues')
  if (views.size === 0) return null
  const made = await degradation.attempt('embedding', () =>
    embedQueries(deps.embedder, formulation.dense, views, request.signal),
  )
  for (const note of made?.notes ?? []) degradation.note(note)
  return made
}

/** The exchange's terms count as far as its vector does; without vectors they count whole. */
function fade(parts: readonly LexicalPart[], vectors: QueryVectors | null): readonly LexicalPart[] {
  const exchange = vectors?.exchange ?? 1
  return parts
    .map((part) => (part.origin === 'exchange' ? { ...part, weight: part.weight * exchange } : part))
    .filter((part) => part.weight > 0)
}

/** Terms of all texts; a term counts as often as it is said, each time with the weight of its text. */
export function weightedTerms(
  texts: readonly { readonly text: string; readonly weight: number }[],
  analyser: Analyser,
): WeightedTerm[] {
  const weights = new Map<string, number>()
  for (const { text, weight } of texts) {
    for (const term of analyser.terms(text)) weights.set(term, (weights.get(term) ?? 0) + weight)
  }
  return [...weights].map(([term, weight]) => ({ term, weight }))
}
