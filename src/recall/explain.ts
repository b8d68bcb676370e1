import { isDeepStrictEqual } from 'node:util'
import { ProlepsisError } from '../domain/errors.ts'
import type { Explanation, WhyNot } from '../domain/recall.ts'
import { chunksByIds } from '../store/queries/chunks.ts'
import { FORGOTTEN_REQUEST } from '../store/queries/forget-receipts.ts'
import type { Receipt } from '../store/queries/receipts.ts'
import { type CandidateSet, findCandidates } from './candidates.ts'
import { assertKnown, assertObject, texts } from './check-values.ts'
import type { RecallDeps } from './deps.ts'
import { requireReceipt } from './feedback.ts'
import { packCandidates } from './pack.ts'
import { refOf, UNSCORED } from './passages.ts'
import type { RecallRequest } from './request.ts'
import { inOrder } from './rerank.ts'
import { readStoredRequest } from './stored-request.ts'
import { validateRecall } from './validate.ts'
import { whyNot } from './why-not.ts'

/**
 * Repeats a recall from its receipt, as memory stood at the receipt's time, and shows every number that took part. For each `whyNot`
 * (a ref, or text that a chunk contains) it names the first stage that lost it, or says that there is no such chunk.
 *
 * @throws ProlepsisError NOT_FOUND for an unknown receipt, or one whose question was forgotten
 */
export async function explain(
  deps: RecallDeps,
  receiptId: string,
  options: { readonly whyNot?: readonly string[] } = {},
): Promise<Explanation> {
  assertObject(options, 'options')
  assertKnown(options, ['whyNot'], 'explain')
  const wanted = texts(options.whyNot, 'whyNot')
  const receipt = await requireReceipt(deps, receiptId)
  const { found, isAsOfAsked } = await repeat(deps, receipt)
  const { chosen } = await packCandidates(deps, found.candidates, found.request)
  const answers: WhyNot[] = []
  for (const text of wanted) answers.push(await whyNot(deps, text, found, chosen, isAsOfAsked))
  return {
    receipt: receiptId,
    message: found.request.message,
    queries: found.queries,
    history: await historyOf(found),
    fusion: found.request.fusion,
    bias: found.bias,
    weights: found.weights,
    passages: await explainPassages(deps, receipt, found),
    whyNot: answers,
  }
}

/**
 * The recall again. As of the receipt's time, versions that came later are not seen; but text dated into the future is valid only from
 * then on. Whichever view knows more of what was returned is the one that was looked at.
 */
async function repeat(
  deps: RecallDeps,
  receipt: Receipt,
): Promise<{ readonly found: CandidateSet; readonly isAsOfAsked: boolean }> {
  if (isDeepStrictEqual(receipt.request, FORGOTTEN_REQUEST)) {
    throw new ProlepsisError('NOT_FOUND', `The question of receipt "${receipt.receiptId}" was forgotten.`, {
      hint: 'It returned or quoted a text that was forgotten since. Ask again to get a receipt that can be explained.',
      details: { receipt: receipt.receiptId },
    })
  }
  const { query, options, order } = readStoredRequest(receipt.request)
  const request: RecallRequest = validateRecall(query, options)
  const find = async (asked: RecallRequest): Promise<CandidateSet> => {
    const found = await findCandidates(deps, asked, null)
    return { ...found, candidates: inOrder(found.candidates, order) }
  }
  if (request.filter.asOf !== undefined) {
    return { found: await find(request), isAsOfAsked: true }
  }
  const then = { ...request, filter: { ...request.filter, asOf: receipt.createdAt } }
  const past = await find(then)
  if (returnedAmong(past, receipt) === receipt.passages.length) return { found: past, isAsOfAsked: false }
  const present = await find(request)
  const found = returnedAmong(present, receipt) > returnedAmong(past, receipt) ? present : past
  return { found, isAsOfAsked: false }
}

/** The exchange counts as far as the message stays with its topic. */
async function historyOf({ probe }: CandidateSet): Promise<Explanation['history']> {
  const share = (await probe.vectors)?.exchange ?? 1
  return probe.exchange.map(({ text, weight }) => ({ text, weight: weight * share }))
}

function returnedAmong(found: CandidateSet, receipt: Receipt): number {
  const ids = new Set(found.candidates.map(({ chunk }) => chunk.chunkId))
  return receipt.passages.filter((passage) => ids.has(passage.chunkId)).length
}

async function explainPassages(
  deps: RecallDeps,
  receipt: Receipt,
  found: CandidateSet,
): Promise<Explanation['passages']> {
  const { database, bankId } = deps.store
  const ids = receipt.passages.map((passage) => passage.chunkId)
  const chunks = new Map((await chunksByIds(database, bankId, ids)).map((chunk) => [chunk.chunkId, chunk]))
  return receipt.passages.flatMap(({ rank, score, chunkId }) => {
    const chunk = chunks.get(chunkId)
    if (chunk === undefined) return []
    const candidate = found.candidates.find((other) => other.chunk.chunkId === chunkId)
    return [{ ref: refOf(chunk), rank, score, parts: candidate?.parts ?? UNSCORED }]
  })
}
