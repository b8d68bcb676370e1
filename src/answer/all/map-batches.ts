import type { UnreadPart } from '../../domain/answer.ts'
import { errorCodeOf } from '../../domain/error-code.ts'
import { throwIfAborted } from '../../domain/errors.ts'
import type { StoredChunk } from '../../store/queries/chunks.ts'
import { type Located, locate } from '../cite.ts'
import { evidenceOf } from '../evidence.ts'
import { evidenceBlock } from '../evidence-block.ts'
import { callOf, counted, isFatal, type ModelRun } from '../model-run.ts'
import { FACTS } from '../reply-schemas.ts'

const MAP_TOKENS = 4_000
/** Of one call: a model that gives more repeats itself. */
const MOST_FACTS = 200
/** How often a part that failed is halved. */
const MOST_HALVINGS = 2
/** When so many parts have failed and none was read, the rest would fail too. */
const HOPELESS_AFTER = 3

/** Something that the text says, with where it says it: at least one place. */
export interface Fact {
  readonly text: string
  readonly located: readonly Located[]
}

interface Mapped {
  readonly facts: readonly Fact[]
  /** Facts whose quotes were not found. */
  readonly withoutQuote: readonly string[]
  readonly incomplete: readonly UnreadPart[]
}

export interface MappedBatches extends Mapped {
  readonly batches: number
  /** Code of the error that ended the work before everything was read. */
  readonly stoppedBy: string | null
}

interface Work {
  readonly run: ModelRun
  /** The question as it stands in the prompt. */
  readonly asked: string
  /** The error that ended all work. */
  stoppedBy: unknown
  hasRead: boolean
  failed: number
}

/**
 * Has the model read every part. One that fails is asked for again, then in halves, then told in `incomplete`; when a budget is spent, so is
 * the rest.
 *
 * @param parts are read when their turn comes, in their order
 * @throws ProlepsisError CANCELLED, CLOSED; the model's error when the first parts all fail
 */
export async function mapBatches(
  run: ModelRun,
  asked: string,
  parts: AsyncIterable<readonly StoredChunk[]>,
  concurrency: number,
  onDone: (facts: number) => void,
): Promise<MappedBatches> {
  const work: Work = { run, asked, stoppedBy: null, hasRead: false, failed: 0 }
  const results: Mapped[] = []
  let facts = 0
  // a generator answers those who ask at once one after the other
  const iterator = parts[Symbol.asyncIterator]()
  const worker = async (): Promise<void> => {
    for (;;) {
      const next = await iterator.next()
      if (next.done === true) return
      const at = results.push(NOTHING) - 1
      const mapped = await mapPart(work, next.value)
      results[at] = mapped
      facts += mapped.facts.length
      onDone(facts)
    }
  }
  const ends = await Promise.allSettled(
    Array.from({ length: concurrency }, () =>
      worker().catch((error: unknown) => {
        // the others take no further part
        work.stoppedBy = error
        throw error
      }),
    ),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (work.failed > 0 && !work.hasRead && work.stoppedBy !== null) throw work.stoppedBy
  return {
    facts: results.flatMap((one) => one.facts),
    withoutQuote: results.flatMap((one) => one.withoutQuote),
    incomplete: results.flatMap((one) => one.incomplete),
    batches: results.length,
    stoppedBy: work.stoppedBy === null ? null : (errorCodeOf(work.stoppedBy) ?? 'UNEXPECTED'),
  }
}

const NOTHING: Mapped = { facts: [], withoutQuote: [], incomplete: [] }

async function mapPart(work: Work, chunks: readonly StoredChunk[], halvings = 0): Promise<Mapped> {
  let last: unknown
  for (let attempt = 1; attempt <= (halvings === 0 ? 2 : 1); attempt++) {
    throwIfAborted(work.run.signal)
    if (work.stoppedBy !== null) return unread(chunks, work.stoppedBy)
    try {
      const mapped = await readPart(work, chunks)
      work.hasRead = true
      return mapped
    } catch (error) {
      if (isFatal(error)) throw error
      last = error
      const code = errorCodeOf(error)
      if (code === 'BUDGET_EXCEEDED') {
        work.stoppedBy = error
        return unread(chunks, error)
      }
      // the same request would be refused again
      if (code === 'MODEL_REFUSED') break
    }
  }
  if (halvings < MOST_HALVINGS && chunks.length > 1 && mayDoForLess(last)) {
    const middle = Math.ceil(chunks.length / 2)
    const first = await mapPart(work, chunks.slice(0, middle), halvings + 1)
    const second = await mapPart(work, chunks.slice(middle), halvings + 1)
    return {
      facts: [...first.facts, ...second.facts],
      withoutQuote: [...first.withoutQuote, ...second.withoutQuote],
      incomplete: [...first.incomplete, ...second.incomplete],
    }
  }
  work.failed += 1
  if (!work.hasRead && work.failed >= HOPELESS_AFTER) throw last
  return unread(chunks, last)
}

/** A shorter text may be read where this was too long, too slow, or held something that was refused. */
function mayDoForLess(error: unknown): boolean {
  return ['MODEL_REPLY_INVALID', 'MODEL_REFUSED', 'MODEL_TIMEOUT'].includes(errorCodeOf(error) ?? '')
}

async function readPart({ run, asked }: Work, chunks: readonly StoredChunk[]): Promise<Mapped> {
  const evidence = evidenceOf(chunks)
  const prompt = `Passages:\n\n${evidenceBlock(evidence)}\n\n${asked}`
  const call = await callOf(run, 'map', prompt, evidence, MAP_TOKENS)
  const said = await counted(run, run.model.generateObject({ ...call, schema: FACTS }))
  const facts = said
    .slice(0, MOST_FACTS)
    .map(({ text, citations }) => ({ text, located: locate(citations, evidence) }))
  const lost = [...facts.filter(({ located }) => located.length === 0), ...said.slice(MOST_FACTS)]
  return {
    facts: facts.filter(({ located }) => located.length > 0),
    withoutQuote: lost.map(({ text }) => text),
    incomplete: [],
  }
}

/** By document: what of it nobody read. */
function unread(chunks: readonly StoredChunk[], error: unknown): Mapped {
  const documents = new Map<number, { source: string; refs: string[] }>()
  for (const { ref, documentId, source } of evidenceOf(chunks)) {
    const known = documents.get(documentId)
    if (known === undefined) documents.set(documentId, { source, refs: [ref] })
    else known.refs.push(ref)
  }
  const code = errorCodeOf(error) ?? 'UNEXPECTED'
  const reason = error instanceof Error ? error.message : String(error)
  const incomplete = [...documents.values()].map(
    ({ source, refs }): UnreadPart => ({ source, refs: [refs[0] ?? '', refs.at(-1) ?? ''], code, reason }),
  )
  return { facts: [], withoutQuote: [], incomplete }
}
