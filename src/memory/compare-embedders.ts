import type { ComparedPassage, ComparedSpace, EmbedderComparison } from '../domain/embedder.ts'
import { ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { RecallQuery } from '../domain/recall.ts'
import { checkText, checkWhole } from '../maintain/check-options.ts'
import { type AskedSpace, COMPARED_PASSAGES, compareSpaces } from '../maintain/compare-embedders.ts'
import { requireActive, requireRetired } from '../maintain/embedder-spaces.ts'
import { recall } from '../recall/recall.ts'
import { readStoredRequest } from '../recall/stored-request.ts'
import { type BankSpace, spaceStates } from '../store/queries/bank-spaces.ts'
import { countMissingVectors } from '../store/queries/missing-vectors.ts'
import { latestRequests } from '../store/queries/receipts.ts'
import { type CompareOptions, requireModel } from './embedder-calls.ts'
import type { EmbedderSource } from './embedder-source.ts'
import type { BankDeps, Scope } from './scope.ts'

const QUERIES = { least: 1, most: 1000, default: 50 }

/** Asks the active space and the one beside it the same queries. Nothing is written: no receipts, no trace, no events. */
export async function compareEmbedders(
  scope: Scope,
  deps: BankDeps,
  options: CompareOptions,
): Promise<EmbedderComparison> {
  const { database, bankId, bank } = deps.store
  const queries = await queriesFor(scope, deps, options)
  const spaces = await spaceStates(database, bankId)
  const active = requireActive(spaces, bank)
  const other = spaces.find(({ state }) => state === 'shadow') ?? requireRetired(spaces, bank)
  // either may be the one that was given
  const ofOther = await requireModel(scope, other, options.with)
  const ofActive = await requireModel(scope, active, undefined)
  const { activeMs, otherMs, ...compared } = await compareSpaces(
    queries,
    { active: asking(deps, active, ofActive), other: asking(deps, other, ofOther) },
    (done) => {
      options.onProgress?.(done, queries.length)
      throwIfAborted(options.signal)
    },
  )
  const side = async (space: BankSpace, embeddingMs: number): Promise<ComparedSpace> => {
    const { spaceId, modelId, dimension, state } = space
    const { vectors: missing } = await countMissingVectors(database, bankId, space)
    return { space: spaceId, modelId, dimension, state, missing, embeddingMs }
  }
  return {
    bank,
    active: await side(active, activeMs),
    other: await side(other, otherMs),
    ...compared,
  }
}

async function queriesFor(
  scope: Scope,
  deps: BankDeps,
  options: CompareOptions,
): Promise<readonly RecallQuery[]> {
  const n = checkWhole(options.n, 'n', QUERIES)
  const { queries } = options
  if (queries !== undefined) {
    if (!Array.isArray(queries)) {
      throw new ProlepsisError('INVALID_ARGUMENT', 'queries must be a list of texts.', {
        hint: 'Leave it out to compare by what was recalled last.',
        details: { option: 'queries' },
      })
    }
    return queries.map((query) => checkText(query, 'queries'))
  }
  await scope.engine.receipts.flush()
  const stored = await latestRequests(deps.store.database, deps.store.bankId, n)
  return stored.map((request) => readStoredRequest(request).query)
}

const SILENT = { emit: () => undefined, record: () => undefined }

function asking(deps: BankDeps, space: BankSpace, source: EmbedderSource): AskedSpace {
  let embeddedMs = 0
  const embedder: BankDeps['embedder'] = async () => {
    const model = await source.load()
    return {
      ...model,
      async embed(texts, how) {
        const startedAt = performance.now()
        try {
          return await model.embed(texts, how)
        } finally {
          embeddedMs += performance.now() - startedAt
        }
      },
    }
  }
  const { spaceId, modelId, dimension } = space
  const its: BankDeps = {
    ...deps,
    store: { ...deps.store, space: { spaceId, modelId, dimension } },
    embedder,
    events: SILENT,
    trace: SILENT,
    // the rules formulate for both: a model's questions would not be the same twice
    model: async () => null,
  }
  return {
    async ask(query, mode) {
      const limit = COMPARED_PASSAGES
      const { passages } = await recall(its, query, { mode, limit, receipt: false })
      return passages.map(({ ref, text, score }): ComparedPassage => ({ ref, text, score }))
    },
    embeddedMs: () => embeddedMs,
  }
}
