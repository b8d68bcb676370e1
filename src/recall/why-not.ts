import type { Filter } from '../domain/filter.ts'
import type { Channel, WhyNot } from '../domain/recall.ts'
import { chunksByIds, type StoredChunk } from '../store/queries/chunks.ts'
import { findDocument } from '../store/queries/documents.ts'
import { chunksThatPass } from '../store/queries/filter-check.ts'
import { searchLexical } from '../store/queries/lexical-search.ts'
import type { CandidateSet } from './candidates.ts'
import { channelDepth, searchChannels } from './channels.ts'
import { completeScores } from './complete.ts'
import { createDegradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import { packingPool, sharedTerms } from './pack.ts'
import { chunkAt, refOf } from './passages.ts'
import { weightedTerms } from './probe.ts'
import type { Candidate } from './rank.ts'

/** How far down a channel's own list a lost chunk is looked for. */
const SEARCHED_DEPTH = 500

/**
 * Says where a chunk fell out of a recall.
 *
 * @param wanted a ref, or text that the chunk contains
 * @param found the recall, repeated
 * @param chosen the candidates that it packed
 * @param isAsOfAsked whether the filter's asOf is the caller's, not the receipt's time
 */
export async function whyNot(
  deps: Pick<RecallDeps, 'store' | 'analyser'>,
  wanted: string,
  found: CandidateSet,
  chosen: readonly Candidate[],
  isAsOfAsked: boolean,
): Promise<WhyNot> {
  const chunk = (await chunkAt(deps, wanted)) ?? (await chunkContaining(deps, wanted))
  if (chunk === null) return notFound(wanted)
  const ref = refOf(chunk)
  const position = found.candidates.findIndex((candidate) => candidate.chunk.chunkId === chunk.chunkId)
  const candidate = found.candidates[position]
  const rank = candidate === undefined ? null : position + 1
  const parts = candidate?.parts ?? null
  if (chosen.some((other) => other.chunk.chunkId === chunk.chunkId)) {
    return { ref, stage: 'returned', reason: 'It was returned.', rank, parts }
  }
  if (candidate !== undefined && rank !== null) {
    return { ref, ...(await lostInPacking(deps, candidate, rank, found, chosen)), rank, parts }
  }
  const hiding = await hidingFilters(deps, found.request.filter, chunk)
  if (hiding.length > 0) {
    if (hiding[0] === 'asOf' && !isAsOfAsked) {
      return { ref, stage: 'filter', reason: await whyNoVersion(deps, chunk), rank, parts }
    }
    return { ref, stage: 'filter', reason: `Hidden by ${hiding.join(', ')}.`, rank, parts }
  }
  return { ref, stage: 'channels', ...(await lostInChannels(deps, found, chunk)), rank }
}

async function chunkContaining(
  deps: Pick<RecallDeps, 'store' | 'analyser'>,
  text: string,
): Promise<StoredChunk | null> {
  const { database, bankId } = deps.store
  const terms = weightedTerms([{ text, weight: 1 }], deps.analyser)
  // Any version may hold it: as of the end of time nothing current is hidden, and superseded text is looked for by ref.
  const { hits } = await searchLexical(database, bankId, { field: 0, terms, filter: {}, limit: 50 })
  const chunks = await chunksByIds(
    database,
    bankId,
    hits.map((hit) => hit.chunkId),
  )
  const best = hits
    .flatMap((hit) => chunks.find((chunk) => chunk.chunkId === hit.chunkId) ?? [])
    .find((chunk) => folded(chunk.text).includes(folded(text)))
  return best ?? null
}

function notFound(wanted: string): WhyNot {
  return {
    ref: wanted.slice(0, 200),
    stage: 'not-found',
    reason:
      'Not found: no chunk has this ref, and no current one contains this text. Give a ref as recall returns it, or words as they stand in the text.',
    rank: null,
    parts: null,
  }
}

/** Why a recall that asks for no time does not see a version. */
async function whyNoVersion(deps: Pick<RecallDeps, 'store'>, chunk: StoredChunk): Promise<string> {
  const { database, bankId } = deps.store
  const document = await findDocument(database, bankId, chunk.documentId)
  const { version, state } = chunk.document
  if (document === null || state === 'current') {
    const since = document === null ? '' : ` (${document.validFrom.toISOString()})`
    return `Version ${version} came after this recall${since}.`
  }
  const since = document.validTo === null ? '' : ` since ${document.validTo.toISOString()}`
  const why = state === 'deleted' ? 'it was removed' : 'another version took its place'
  return `Version ${version} is no longer current${since}: ${why}. Recall as of an earlier time finds it.`
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

/** Names of the filters that hide the chunk, each tried alone. */
async function hidingFilters(
  deps: Pick<RecallDeps, 'store'>,
  filter: Filter,
  chunk: StoredChunk,
): Promise<string[]> {
  const { database, bankId } = deps.store
  const { asOf, ...others } = filter
  const version = asOf === undefined ? {} : { asOf }
  const single: (readonly [string, Filter])[] = [
    ['asOf', version],
    ...Object.entries(others).map(([name, value]) => [name, { ...version, [name]: value }] as const),
  ]
  const hiding: string[] = []
  for (const [name, alone] of single) {
    const passes = await chunksThatPass(database, bankId, alone, [chunk.chunkId])
    if (!passes.has(chunk.chunkId)) hiding.push(name)
    // A version that is not seen fails every filter: it is the reason.
    if (hiding.length > 0 && alone === version) break
  }
  return hiding
}

async function lostInChannels(
  deps: Pick<RecallDeps, 'store'>,
  found: CandidateSet,
  chunk: StoredChunk,
): Promise<Pick<WhyNot, 'reason' | 'parts'>> {
  const degradation = createDegradation()
  const deep = await searchChannels(deps, found.request, found.probe, degradation, SEARCHED_DEPTH)
  const exact = await completeScores(
    deps,
    found.request,
    found.outline,
    deep,
    found.probe,
    [chunk.chunkId],
    degradation,
  )
  const channels: Partial<Record<Channel, number>> = {}
  const ranks: Partial<Record<Channel, number>> = {}
  const depth = channelDepth(found.request)
  const sentences: string[] = []
  for (const [channel, hits] of deep) {
    const score = exact.channels.get(channel)?.get(chunk.chunkId)
    const cut = hits[Math.min(depth, hits.length) - 1]?.score
    if (score === undefined) {
      sentences.push(`${channel}: no entry`)
      continue
    }
    channels[channel] = score
    const position = hits.findIndex((hit) => hit.chunkId === chunk.chunkId)
    if (position >= 0) ranks[channel] = position + 1
    const place =
      position >= 0 ? `rank ${position + 1}` : `beyond rank ${Math.min(SEARCHED_DEPTH, hits.length)}`
    sentences.push(`${channel}: ${score.toFixed(3)}, ${place}, cut ${cut?.toFixed(3) ?? 'none'}`)
  }
  return {
    reason: `No channel brought it among its best ${depth}. ${sentences.join('; ')}.`,
    parts: { channels, ranks, features: {}, fused: 0, lift: 1, rerank: null },
  }
}

async function lostInPacking(
  deps: Pick<RecallDeps, 'store' | 'analyser'>,
  candidate: Candidate,
  rank: number,
  found: CandidateSet,
  chosen: readonly Candidate[],
): Promise<Pick<WhyNot, 'stage' | 'reason'>> {
  const { limit, tokenBudget } = found.request
  const pool = packingPool(found.candidates, limit)
  const last = chosen.at(-1)
  if (tokenBudget === null || !pool.includes(candidate)) {
    const cost = last === undefined ? '' : ` ${whyBehind(candidate, last, found.weights)}`
    return { stage: 'rank', reason: `Rank ${rank} of ${found.candidates.length}, limit ${limit}.${cost}` }
  }
  const { tokens } = candidate.chunk
  if (tokens > tokenBudget) {
    return { stage: 'budget', reason: `Its ${tokens} tokens are more than the budget of ${tokenBudget}.` }
  }
  const alike = await sharedTerms(deps, pool)
  const place = pool.indexOf(candidate)
  const twin = chosen
    .map((other) => ({ other, share: alike(place, pool.indexOf(other)) }))
    .sort((a, b) => b.share - a.share)[0]
  const repeats =
    twin !== undefined && twin.share >= 0.5
      ? ` It shares ${Math.round(100 * twin.share)} % of its terms with ${await refOfCandidate(deps, twin.other)}.`
      : ''
  const left = tokenBudget - chosen.reduce((sum, { chunk }) => sum + chunk.tokens, 0)
  const space =
    chosen.length >= limit
      ? `the limit of ${limit} was filled`
      : `its ${tokens} tokens did not fit the ${left} left`
  return {
    stage: 'budget',
    reason: `Rank ${rank}: other passages were worth more together; ${space}.${repeats}`,
  }
}

async function refOfCandidate(deps: Pick<RecallDeps, 'store'>, candidate: Candidate): Promise<string> {
  const { database, bankId } = deps.store
  const [stored] = await chunksByIds(database, bankId, [candidate.chunk.chunkId])
  return stored === undefined ? 'another passage' : refOf(stored)
}

function whyBehind(candidate: Candidate, last: Candidate, weights: Readonly<Record<string, number>>): string {
  const [own, theirs] = [candidate.parts.rerank, last.parts.rerank]
  if (theirs === null) return costliestFeatures(candidate, last, weights)
  return own === null
    ? 'It was not among those that the reranking model read.'
    : `The reranking model gave it ${own.toFixed(3)}, the last passage returned ${theirs.toFixed(3)}.`
}

/** The features that put it behind the last passage returned, with their share of the distance. */
function costliestFeatures(
  candidate: Candidate,
  last: Candidate,
  weights: Readonly<Record<string, number>>,
): string {
  const costs = Object.entries(weights)
    .map(([name, weight]) => {
      const own = candidate.parts.features[name] ?? 0
      const theirs = last.parts.features[name] ?? 0
      return { name, own, theirs, cost: weight * (theirs - own) }
    })
    .filter(({ cost }) => cost > 1e-9)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 3)
  if (costs.length === 0) return ''
  const shown = costs.map(
    ({ name, own, theirs, cost }) =>
      `${name} ${own.toFixed(2)} against ${theirs.toFixed(2)} (−${cost.toFixed(2)})`,
  )
  return `Against the last passage returned it lost by ${shown.join(', ')}.`
}
