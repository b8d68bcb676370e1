import type { AnswerSentence, AskEvent, AskOptions, AskResult, DroppedSentence } from '../domain/answer.ts'
import { errorCodeOf } from '../domain/error-code.ts'
import { throwIfAborted } from '../domain/errors.ts'
import { quotedLines } from '../domain/quoted-lines.ts'
import type { HistoryMessage, RecallQuery, RecallResult } from '../domain/recall.ts'
import { currentChunkCount } from '../store/queries/term-statistics.ts'
import { repeatable } from '../store/repeat.ts'
import type { AnswerDeps } from './answer-deps.ts'
import { type AskRequest, DEFAULT_FLOOR, FLOOR_FROM_CHUNKS, readAskOptions } from './ask-options.ts'
import { draftAnswer } from './draft-answer.ts'
import { type Evidence, gatherEvidence } from './evidence.ts'
import { evidenceBlock, questionBlock } from './evidence-block.ts'
import { acceptedOf, droppedOf, type Judged, judgePending, judgeQuotes, sentenceOf } from './judge.ts'
import { callOf, createModelRun, type ModelRun, requireModel } from './model-run.ts'
import { createRecallRounds, type RecallRounds } from './recall-rounds.ts'
import { answerText, markedAnswer } from './render-answer.ts'
import { createTally, type SpendingTally } from './spending.ts'

const ANSWER_TOKENS = 2_000

/** What one answer works with, from its first recall to its last check. */
interface Asking {
  readonly deps: AnswerDeps
  readonly request: AskRequest
  readonly query: RecallQuery
  readonly rounds: RecallRounds
  readonly run: ModelRun
  readonly emit: ((event: AskEvent) => void) | null
}

/** What was said and withstood the checks. */
interface Said {
  readonly sentences: readonly AnswerSentence[]
  readonly dropped: readonly DroppedSentence[]
  readonly hops: number
}

/**
 * Answers a question from memory alone.
 *
 *     recall → evidence → draft → quotes looked up → model's check → (what the evidence points to: again) → feedback
 *
 * Each sentence that is given has a citation that stands in memory; what the checks do not bear out is left out and told in `dropped`. When
 * nothing is left, or nothing was recalled above the floor, the status is `not-in-memory`.
 *
 * @param emit hears what is known as it becomes known; then the reply is streamed
 * @throws ProlepsisError MODEL_NOT_CONFIGURED; as recall; as ModelCalls
 */
export async function ask(
  deps: AnswerDeps,
  query: RecallQuery,
  options: AskOptions = {},
  emit: ((event: AskEvent) => void) | null = null,
): Promise<AskResult> {
  const request = readAskOptions(options)
  const startedAt = deps.clock.now()
  const traceId = deps.ids.next()
  const tally = createTally()
  const rounds = createRecallRounds(deps, request, traceId)
  const trace = (ended: {
    errorCode: string | null
    status: AskResult['status'] | 'failed'
    answer: string | null
    citations: number
    hops: number
  }): void =>
    deps.trace.record(deps.store, {
      ...{ type: 'answer', traceId, at: new Date(startedAt), durationMs: deps.clock.now() - startedAt },
      ...{ receiptIds: rounds.receipts, question: messageOf(query), ...ended },
    })
  try {
    const model = requireModel(await deps.model())
    const run = createModelRun(
      {
        model,
        traceId,
        signal: request.signal,
        tally,
        question: messageOf(query),
        assertOpen: deps.assertOpen,
      },
      request.prompts,
      deps.store.settings,
    )
    const said = await answered({ deps, request, query, rounds, run, emit })
    const result = await resultOf(deps, request, said, { rounds, run, tally, traceId, startedAt })
    const { status, text, sentences, hops } = result
    const citations = sentences.reduce((sum, one) => sum + one.citations.length, 0)
    trace({ errorCode: null, status, answer: text, citations, hops })
    emit?.({ type: 'done', result })
    return result
  } catch (error) {
    const errorCode = errorCodeOf(error) ?? 'UNEXPECTED'
    trace({ errorCode, status: 'failed', answer: null, citations: 0, hops: 0 })
    throw error
  }
}

/** The text that was asked, of a query that recall may not have checked yet. */
function messageOf(query: unknown): string {
  const { message = query }: { message?: unknown } = Object(query)
  return typeof message === 'string' ? message : ''
}

async function answered(asking: Asking): Promise<Said> {
  const { deps, request, query, rounds, run, emit } = asking
  const first = await rounds.add(query)
  emit?.({ type: 'recalled', query: messageOf(query), passages: first.passages })
  if (await isBelowFloor(deps, request, first)) return { sentences: [], dropped: [], hops: 0 }
  let said: Said = { sentences: [], dropped: [], hops: 0 }
  const asked = new Set<string>()
  for (let hops = 0; ; hops++) {
    const evidence = await gatherEvidence(
      deps.store,
      rounds.passages.map(({ chunkId }) => chunkId),
      { expand: request.expand, tokenBudget: request.tokenBudget * (hops + 1) },
    )
    if (evidence.length === 0) return said
    const { judged, followUp } = await oneRound(asking, evidence, said.sentences)
    const dropped = [...said.dropped, ...droppedOf(judged)]
    said = { sentences: joined(said.sentences, acceptedOf(judged), emit !== null), dropped, hops }
    const next = followUp ?? judged.find(({ state }) => state === 'partly')?.text ?? null
    if (hops >= request.hops || next === null || asked.has(next)) return said
    asked.add(next)
    const known = rounds.passages.length
    // it stands alone already: nobody needs to formulate it
    const more = await rounds.add({ message: next, queries: [next] })
    emit?.({ type: 'recalled', query: next, passages: more.passages })
    throwIfAborted(run.signal)
    if (rounds.passages.length === known) return { ...said, hops: hops + 1 }
  }
}

/** A later answer knows more and stands for the earlier one; but what was given out already stays. */
function joined(
  before: readonly AnswerSentence[],
  now: readonly AnswerSentence[],
  wasGiven: boolean,
): readonly AnswerSentence[] {
  if (!wasGiven) return now.length > 0 ? now : before
  const said = new Set(before.map(({ text }) => text.toLowerCase()))
  return [...before, ...now.filter(({ text }) => !said.has(text.toLowerCase()))]
}

/** The probability means something under learned fusion of all channels alone, and by itself only in banks of some size. */
async function isBelowFloor(
  { store }: AnswerDeps,
  { recall, floor }: AskRequest,
  found: RecallResult,
): Promise<boolean> {
  if (found.passages.length === 0) return true
  const fusion = recall.fusion ?? store.settings?.fusion ?? 'learned'
  const mode = recall.mode ?? store.settings?.mode ?? 'hybrid'
  if (fusion !== 'learned' || mode !== 'hybrid' || found.degraded.length > 0) return false
  const least = floor ?? DEFAULT_FLOOR
  if (found.passages.some(({ score }) => score >= least)) return false
  const { database, bankId } = store
  const size = (): Promise<number> => repeatable(database, () => currentChunkCount(database, bankId))
  return floor !== null || (await size()) >= FLOOR_FROM_CHUNKS
}

async function oneRound(
  { deps, query, rounds, run, emit }: Asking,
  evidence: readonly Evidence[],
  said: readonly AnswerSentence[],
): Promise<{ readonly judged: readonly Judged[]; readonly followUp: string | null }> {
  const given = new Set(said.map(({ text }) => text.toLowerCase()))
  const history: readonly HistoryMessage[] = typeof query === 'string' ? [] : (query.history ?? [])
  const day = new Date(deps.clock.now()).toISOString().slice(0, 10)
  const prompt = [
    `Passages from memory:\n\n${evidenceBlock(evidence)}`,
    // after the long part: models heed best what comes last
    questionBlock(messageOf(query), history, day, rounds.queries),
    ...(said.length === 0 || emit === null
      ? []
      : [
          `Said already, do not say it again, only what is missing:\n${said.map(({ text }) => quotedLines(text)).join('\n')}`,
        ]),
  ].join('\n\n')
  const judged: Judged[] = []
  const call = await callOf(run, 'answer', prompt, evidence, ANSWER_TOKENS)
  const give = (one: Judged): void => {
    if (given.has(one.text.toLowerCase())) return
    const sentence = sentenceOf(one)
    if (sentence === null) return
    given.add(one.text.toLowerCase())
    emit?.({ type: 'sentence', sentence })
  }
  const hear =
    emit === null
      ? null
      : (sentence: Parameters<typeof judgeQuotes>[0]): void => {
          const one = judgeQuotes(sentence, judged.length, evidence, deps.analyser)
          judged.push(one)
          give(one)
        }
  const draft = await draftAnswer(run, call, hear)
  if (hear === null) {
    judged.push(...draft.sentences.map((one, i) => judgeQuotes(one, i, evidence, deps.analyser)))
  }
  const checked = await judgePending(run, judged, evidence)
  for (const one of checked) give(one)
  return { judged: checked, followUp: draft.followUp }
}

async function resultOf(
  deps: AnswerDeps,
  request: AskRequest,
  { sentences, dropped, hops }: Said,
  {
    rounds,
    run,
    tally,
    traceId,
    startedAt,
  }: {
    readonly rounds: RecallRounds
    readonly run: ModelRun
    readonly tally: SpendingTally
    readonly traceId: string
    readonly startedAt: number
  },
): Promise<AskResult> {
  const status = sentences.length > 0 ? 'answered' : 'not-in-memory'
  const cited = new Set(sentences.flatMap(({ citations }) => citations.map(({ chunkId }) => chunkId)))
  const failed = request.feedback ? await rounds.report(cited) : []
  const resultsByQuery = await rounds.byQuery(run.degraded)
  return {
    ...{ status, text: answerText(status, sentences, 'running'), sentences, dropped },
    ...{
      passages: rounds.passages,
      queries: rounds.queries,
      resultsByQuery,
      receipts: rounds.receipts,
      hops,
    },
    usage: tally.total(),
    degraded: [...rounds.degraded, ...run.degraded, ...failed],
    traceId,
    tookMs: deps.clock.now() - startedAt,
    toString: () => markedAnswer({ status, sentences }, 'running'),
  }
}
