import { throwIfAborted } from '../domain/errors.ts'
import type { FormulationReport, RecallOptions, RecallQuery } from '../domain/recall.ts'
import { chunksAsked } from '../store/queries/asked-questions.ts'
import { candidateChunks } from '../store/queries/candidate-chunks.ts'
import { chunksByIds, type StoredChunk } from '../store/queries/chunks.ts'
import { type ChannelLists, channelDepth, searchChannels } from './channels.ts'
import { completeScores } from './complete.ts'
import { createDegradation, type Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import type { StoredCandidateChunk } from './features.ts'
import { enrichedShare } from './features.ts'
import { embedOnce } from './formulate/embed-once.ts'
import { type Formulated, formulate } from './formulate/formulate.ts'
import { biasOf, effectiveWeights } from './fuse.ts'
import { type BankOutline, UNKNOWN_OUTLINE } from './people-directory.ts'
import { makeProbe, type Probe } from './probe.ts'
import { type Candidate, rankCandidates } from './rank.ts'
import { type RecallRequest, withKinds, withoutVectors } from './request.ts'
import { type Stopwatch, startStopwatch } from './stopwatch.ts'
import { validateRecall } from './validate.ts'

/** What one question found, before anything was packed. */
export interface CandidateSet {
  readonly request: RecallRequest
  readonly outline: Pick<BankOutline, 'documents' | 'enriched'>
  readonly probe: Probe
  /** The questions that went out, the raw message first. */
  readonly queries: readonly string[]
  /** Best first; equal scores by chunk id. */
  readonly candidates: readonly Candidate[]
  readonly lists: ChannelLists
  /** What the question's terms weigh together; see `features.ts`. */
  readonly termMass: number
  /** Weight of each feature in this call's fusion. */
  readonly weights: Readonly<Record<string, number>>
  /** What this call's fusion adds to the weighted sum. */
  readonly bias: number
  readonly degraded: readonly string[]
  /** Milliseconds by stage. */
  readonly stages: Readonly<Record<string, number>>
}

/** The same with who wrote the questions. */
export interface FormulatedSet extends CandidateSet {
  readonly formulation: FormulationReport
}

/** The same with all that the store knows of each chunk. */
export interface StoredCandidateSet extends CandidateSet {
  readonly candidates: readonly (Candidate & { readonly chunk: StoredCandidateChunk })[]
}

/**
 * All candidates of a recall with their features: the union of each channel's best, scored in every channel, fused and lifted. What
 * training learns from.
 *
 * @throws ProlepsisError as `recall`
 */
export async function recallCandidates(
  deps: RecallDeps,
  query: RecallQuery,
  options: RecallOptions = {},
): Promise<StoredCandidateSet> {
  const found = await findCandidates(deps, validateRecall(query, options), null)
  const { database, bankId } = deps.store
  const ids = found.candidates.map(({ chunk }) => chunk.chunkId)
  const stored = new Map((await chunksByIds(database, bankId, ids)).map((chunk) => [chunk.chunkId, chunk]))
  const candidates = found.candidates.flatMap((candidate) => {
    const chunk: StoredChunk | undefined = stored.get(candidate.chunk.chunkId)
    return chunk === undefined ? [] : [{ ...candidate, chunk: { ...candidate.chunk, ...chunk } }]
  })
  return { ...found, candidates }
}

/**
 * The same for a request that was checked before.
 *
 * @param traceId of the recall; null for one that is repeated or only measured: no model is asked and no trace written
 */
export async function findCandidates(
  deps: RecallDeps,
  request: RecallRequest,
  traceId: string | null,
): Promise<FormulatedSet> {
  throwIfAborted(request.signal)
  const stopwatch = startStopwatch(deps.clock)
  const degradation = createDegradation()
  const outline =
    (await degradation.attempt('outline of the bank', () => deps.people.of(deps.store))) ?? UNKNOWN_OUTLINE
  const known = withKinds(request, outline.kinds)
  const { people } = outline
  const embedding = { ...deps, embedder: embedOnce(deps.embedder) }
  let byRules: Probe | null = null
  const startRules = (): void => {
    byRules = startedProbe(embedding, known, people, degradation)
  }
  const formulated =
    traceId === null ? withoutModel(request) : await formulate(deps, known, degradation, traceId, startRules)
  const asked = { ...known, queries: formulated.queries }
  const isByRules = formulated.queries.length === 0
  const probe = (isByRules ? byRules : null) ?? makeProbe(embedding, asked, people, degradation)
  stopwatch.lap('formulate')
  const found = await meetCandidates(deps, asked, outline, probe, degradation, stopwatch)
  return { ...found, formulation: formulated.report }
}

function withoutModel({ queries }: RecallRequest): Formulated {
  return { queries, report: { by: queries.length > 0 ? 'caller' : 'rules', errorKind: null, tookMs: 0 } }
}

/** What the rules ask: it is embedded while a model is awaited, so that a fallback costs no more than the wait, and is asked in any case. */
function startedProbe(...given: Parameters<typeof makeProbe>): Probe {
  const probe = makeProbe(...given)
  // whoever asks for them hears of their failure
  probe.vectors.catch(() => undefined)
  probe.terms.catch(() => undefined)
  return probe
}

/** From a probe on: channels, completion, fusion, lift. */
export async function meetCandidates(
  deps: Pick<RecallDeps, 'store' | 'clock'>,
  asked: RecallRequest,
  outline: Pick<BankOutline, 'documents' | 'enriched'>,
  probe: Probe,
  degradation: Degradation,
  stopwatch: Stopwatch,
): Promise<CandidateSet> {
  const { database, bankId } = deps.store
  const depth = channelDepth(asked)
  // the caller's word that a chunk answers this very question: no channel need bring it
  const lookUp = { questions: probe.queries, filter: asked.filter, limit: depth }
  const [whole, given] = await Promise.all([
    searchChannels(deps, asked, probe, degradation, depth),
    degradation.attempt('questions of the caller', () => chunksAsked(database, bankId, lookUp)),
  ])
  const wordsAlone = asked.mode === 'hybrid' && (await probe.vectors) === null
  const request = wordsAlone ? withoutVectors(asked) : asked
  const lists = wordsAlone ? await searchChannels(deps, request, probe, degradation, depth) : whole
  stopwatch.lap('channels')
  throwIfAborted(request.signal)
  if (request.mode === 'lexical' && (await probe.terms).length === 0) {
    degradation.note('lexical channels: the message has stop words only, nothing to look up')
  }
  const isAsked = new Set(given ?? [])
  const chunkIds = unionOf(lists, isAsked)
  const [scores, { chunks, activity }] = await Promise.all([
    completeScores(deps, request, outline, lists, probe, chunkIds, degradation),
    candidateChunks(database, bankId, {
      ...{ chunkIds, withText: probe.asksForTime, withEnriched: outline.enriched },
    }),
  ])
  stopwatch.lap('complete')
  const enriched = enrichedShare(chunks)
  const candidates = rankCandidates({
    ...{ request, lists, scores, chunks, probe, enriched },
    ...{ activity, now: deps.clock.now(), asked: isAsked },
  })
  stopwatch.lap('fuse')
  return {
    ...{ request, outline, probe, queries: probe.queries, candidates, lists, termMass: scores.termMass },
    weights: effectiveWeights(request.fusion, request.weights, enriched),
    bias: biasOf(request.fusion, enriched),
    degraded: degradation.entries,
    stages: stopwatch.laps,
  }
}

function unionOf(lists: ChannelLists, asked: ReadonlySet<number>): number[] {
  const ids = new Set(asked)
  for (const hits of lists.values()) for (const hit of hits) ids.add(hit.chunkId)
  return [...ids]
}
