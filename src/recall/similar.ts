import type { Passage } from '../domain/recall.ts'
import { vectorsOfChunks } from '../store/queries/vectors-search.ts'
import { meetCandidates } from './candidates.ts'
import { assertKnown, assertObject, whole } from './check-values.ts'
import { createDegradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import { createLexicalReader } from './lexical-reader.ts'
import { passagesOf, requireChunk } from './passages.ts'
import { UNKNOWN_OUTLINE } from './people-directory.ts'
import { type Probe, weightedTerms } from './probe.ts'
import { MAX_LIMIT, RECALL_DEFAULTS } from './request.ts'
import { startStopwatch } from './stopwatch.ts'
import { validateRecall } from './validate.ts'

/**
 * The chunks most like one, best first, itself not among them: by its content vector and its terms, standard scores added. No model
 * is called.
 *
 * @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT, UNKNOWN_OPTION
 */
export async function similarPassages(
  deps: Pick<RecallDeps, 'store' | 'analyser' | 'clock'>,
  ref: string,
  options: { readonly limit?: number } = {},
): Promise<Passage[]> {
  assertObject(options, 'options')
  assertKnown(options, ['limit'], 'similar')
  const limit = whole(options.limit, 'limit', 1, MAX_LIMIT - 1) ?? RECALL_DEFAULTS.limit
  const chunk = await requireChunk(deps, ref)
  const { database, bankId, space } = deps.store
  const vectors = await vectorsOfChunks(database, bankId, space, [chunk.chunkId], 'content')
  const off = { window: 0, question: 0, statement: 0, concept: 0, cue: 0, text: 0, context: 0, document: 0 }
  const weights = { ...off, body: 1, entity: 0 }
  // The message stands for the chunk's text, which may be blank space alone.
  const request = validateRecall(ref, { fusion: 'standard', weights, limit: limit + 1 })
  const terms = Promise.resolve(weightedTerms([{ text: chunk.text, weight: 1 }], deps.analyser))
  const probe: Probe = {
    queries: [],
    exchange: [],
    ...{ dates: { months: [], years: [] }, asksForTime: false },
    vectors: Promise.resolve({
      ...{ content: [...vectors.values()], window: null, cues: null },
      exchange: 1,
      notes: [],
    }),
    ...{ terms, lexical: createLexicalReader(deps, terms) },
    people: [],
  }
  const found = await meetCandidates(
    deps,
    request,
    UNKNOWN_OUTLINE,
    probe,
    createDegradation(),
    startStopwatch(deps.clock),
  )
  const others = found.candidates.filter((candidate) => candidate.chunk.chunkId !== chunk.chunkId)
  return passagesOf(deps, others.slice(0, limit))
}
