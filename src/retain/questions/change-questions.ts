import { ProlepsisError } from '../../domain/errors.ts'
import { cuesOfChunks } from '../../store/queries/cues.ts'
import { plainQuestion } from '../../store/queries/question-key.ts'
import { assignQuestions } from '../caller-questions.ts'
import type { PlacedCue } from '../derive-again.ts'
import { rederive } from '../rederive.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { readQuestionTexts } from '../retain-options.ts'
import { findTarget } from './find-chunks.ts'

/**
 * Gives questions of the caller to a chunk by its ref, or to a document by its source: then each goes to the chunk that shares most with it. Others
 * stay; one that is there already is not added again, and one that a model wrote becomes the caller's.
 *
 * @returns how many were new
 * @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT, INVALID_TEXT, MODEL_FAILED
 */
export async function addQuestions(deps: RetainDeps, target: string, questions: unknown): Promise<number> {
  const given = readQuestionTexts(typeof questions === 'string' ? [questions] : questions, 'questions')
  const texts = given.filter((text, at) => given.findIndex((other) => isAlike(other, text)) === at)
  for (;;) {
    const { document, chunks } = await findTarget(deps.store, target)
    const places = assignQuestions(
      { kind: 'whole', questions: texts },
      chunks.map(({ label, speaker, content, text }) => `${label ?? ''} ${speaker ?? ''} ${content ?? text}`),
      deps.analyser,
    )
    const added = [...places].flatMap(([at, own]) => own.map((text) => ofCaller(chunks[at]!.chunkId, text)))
    let count = 0
    const done = await rederive(deps, document.documentId, {
      edit: (cues) => {
        const fresh = added.filter(
          (one) => !cues.some((cue) => cue.cue.origin === 'caller' && isSame(cue, one)),
        )
        count = fresh.length
        return [...cues.filter((cue) => !fresh.some((one) => isSame(cue, one))), ...fresh]
      },
    })
    // null: it was changed meanwhile, and is looked for anew
    if (done !== null) return count
  }
}

/**
 * Puts a question in place of one of a chunk's, or removes it with null. A question of a model becomes the caller's by that; what the rules make
 * they would make again.
 *
 * @param which its number from 1 as `list` shows it, or its text
 * @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT, INVALID_TEXT, MODEL_FAILED
 */
export async function editQuestion(
  deps: RetainDeps,
  ref: string,
  which: number | string,
  question: string | null,
  /** Shared by the attempts of one call: a number means what it meant at the first of them. */
  meant: { cue: PlacedCue | null } = { cue: null },
): Promise<void> {
  const [text = null] = question === null ? [] : readQuestionTexts([question], 'question')
  for (;;) {
    const { document, chunks, whole } = await findTarget(deps.store, ref)
    const [chunk] = chunks
    if (chunk === undefined || (whole && chunks.length > 1)) {
      throw new ProlepsisError('INVALID_ARGUMENT', `${ref.slice(0, 200)} has ${chunks.length} chunks.`, {
        hint: `Give the ref of one, such as ${ref.slice(0, 200)}#1.`,
        details: { option: 'ref' },
      })
    }
    meant.cue ??= await questionOf(deps, chunk.chunkId, which)
    const old = meant.cue
    const done = await rederive(deps, document.documentId, {
      edit: (cues) => {
        const rest = cues.filter((cue) => !isSame(cue, old))
        if (text === null) return rest
        const edited = ofCaller(chunk.chunkId, text)
        return [...rest.filter((cue) => !isSame(cue, edited)), edited]
      },
    })
    if (done !== null) return
  }
}

async function questionOf(
  { store }: RetainDeps,
  chunkId: number,
  which: number | string,
): Promise<PlacedCue> {
  const cues = await cuesOfChunks(store.database, store.bankId, [chunkId])
  const questions = cues.filter(({ kind }) => kind === 'question')
  const found = questions.find(({ ordinal, text }) =>
    typeof which === 'number' ? ordinal === which - 1 : isAlike(text, String(which)),
  )
  if (found === undefined) {
    throw new ProlepsisError(
      'NOT_FOUND',
      `The chunk has no question ${JSON.stringify(which).slice(0, 200)}.`,
      {
        hint: `prolepsis questions show (questions.list()) numbers its ${questions.length}.`,
        details: { option: 'which' },
      },
    )
  }
  const { kind, text, origin, embedded } = found
  if (origin === 'rules') {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      'The rules made this question of the text, and would again.',
      {
        hint: 'Add a question of your own instead.',
        details: { option: 'which' },
      },
    )
  }
  return { chunkId, cue: { kind, text, origin, embed: embedded } }
}

function ofCaller(chunkId: number, text: string): PlacedCue {
  return { chunkId, cue: { kind: 'question', text, origin: 'caller', embed: true } }
}

/** The same question of the same chunk. */
function isSame(a: PlacedCue, b: PlacedCue): boolean {
  return (
    a.chunkId === b.chunkId &&
    a.cue.kind === 'question' &&
    b.cue.kind === 'question' &&
    isAlike(a.cue.text, b.cue.text)
  )
}

const isAlike = (a: string, b: string): boolean => plainQuestion(a) === plainQuestion(b)
