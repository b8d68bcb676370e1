import type { CueDraft } from '../../domain/cue.ts'
import { dot } from '../../math/similarity.ts'
import type { EmbeddingModel } from '../../providers/embedding-model.ts'
import { cuesOfChunks } from '../../store/queries/cues.ts'
import { plainQuestion } from '../../store/queries/question-key.ts'
import { embedTexts } from '../embed-chunks.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { embeddingHash } from '../text-hash.ts'
import type { VectorSpool } from '../vector-spool.ts'
import { type CleanCues, cleanCues, type DropReason, sharingOf } from './clean-cues.ts'
import { type RoundTrip, roundTrip } from './round-trip.ts'
import type { ShownChunk } from './shown-chunk.ts'
import type { WrittenPassage } from './writer-reply.ts'

/** A chunk with what a model wrote for it. */
export interface Answered {
  readonly chunk: ShownChunk
  readonly passage: WrittenPassage
}

/** What stays of it. */
export interface Accepted {
  readonly chunk: ShownChunk
  readonly cues: readonly CueDraft[]
  /** Questions that the model wrote. */
  readonly written: number
  readonly kept: number
  /** Of the questions; with `kept` all that were written. */
  readonly dropped: readonly DropReason[]
}

export interface AcceptOptions {
  /** What the model was told. */
  readonly system: string
  /** How far down a list a chunk may be for its question to count as bringing it back. */
  readonly depth: number
  readonly signal?: AbortSignal | undefined
}

/** Two questions whose vectors are as near as this ask the same. */
const SAME_QUESTION = 0.95

/** Checks what a model wrote, embeds it into the spool, and tries its questions and statements on the bank. */
export async function acceptReply(
  deps: RetainDeps,
  answered: readonly Answered[],
  spool: VectorSpool,
  { system, depth, signal }: AcceptOptions,
): Promise<readonly Accepted[]> {
  const { database, bankId } = deps.store
  const ids = answered.map(({ chunk }) => chunk.chunkId)
  const sharing = sharingOf(answered.map(({ passage }) => passage))
  const others = (await cuesOfChunks(database, bankId, ids)).filter(
    ({ kind, origin, embedded }) => kind === 'question' && origin !== 'model' && embedded,
  )
  const clean = answered.map(({ chunk, passage }) => cleanCues(passage, chunk, system, sharing))
  const texts = [...clean.flatMap(textsOf), ...others.map(({ text }) => text)]
  const embedder: EmbeddingModel = await deps.embedder()
  await embedTexts(new Map(texts.map((text) => [embeddingHash(text), text])), spool, {
    ...deps.store,
    ...{ embedder, signal },
  })
  const bringsBack = await roundTrip(deps, ids, depth)
  const accepted: Accepted[] = []
  for (const [at, { chunk, passage }] of answered.entries()) {
    const there = others.filter(({ chunkId }) => chunkId === chunk.chunkId).map(({ text }) => text)
    const one = await acceptOne(chunk, clean[at]!, there, spool, bringsBack)
    accepted.push({ ...one, chunk, written: passage.questions.length })
  }
  return accepted
}

const textsOf = ({ questions, statement, concepts }: CleanCues): readonly string[] => [
  ...questions,
  ...(statement === null ? [] : [statement]),
  ...concepts,
]

async function acceptOne(
  chunk: ShownChunk,
  clean: CleanCues,
  there: readonly string[],
  spool: VectorSpool,
  bringsBack: RoundTrip,
): Promise<Pick<Accepted, 'cues' | 'kept' | 'dropped'>> {
  const vectorOf = (text: string): Float32Array => spool.get(embeddingHash(text))
  const isThere = new Set(there.map(plainQuestion))
  const known = there.map(vectorOf)
  const questions: string[] = []
  const dropped: DropReason[] = [...clean.dropped]
  for (const question of clean.questions) {
    const vector = vectorOf(question)
    const isKnown =
      isThere.has(plainQuestion(question)) || known.some((one) => dot(one, vector) > SAME_QUESTION)
    if (isKnown) dropped.push('duplicate')
    else if (questions.length >= chunk.most) dropped.push('excess')
    else if (!(await bringsBack(question, vector, chunk.chunkId))) dropped.push('roundTrip')
    else {
      questions.push(question)
      known.push(vector)
    }
  }
  const { statement } = clean
  const tells = statement !== null && (await bringsBack(statement, vectorOf(statement), chunk.chunkId))
  return {
    cues: [
      ...questions.map((text) => cueOf('question', text)),
      ...(tells ? [cueOf('statement', statement)] : []),
      ...clean.concepts.map((text) => cueOf('concept', text)),
    ],
    kept: questions.length,
    dropped,
  }
}

const cueOf = (kind: CueDraft['kind'], text: string): CueDraft => ({
  kind,
  text,
  origin: 'model',
  embed: true,
})
