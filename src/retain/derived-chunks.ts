import type { ChunkDraft, Span } from '../domain/chunk.ts'
import type { ChunkCues, CueDraft, Mention } from '../domain/cue.ts'

/** A chunk with its place and its length in the embedder's tokens. */
export interface CutChunk {
  readonly draft: ChunkDraft
  readonly span: Span
  readonly tokens: number
}

/** One chunk with everything that will be stored of it but its vectors. */
export interface DerivedChunk extends CutChunk {
  readonly contentText: string
  readonly windowText: string | null
  /** The caller's first, then the rules'. */
  readonly cues: readonly CueDraft[]
  readonly mentions: readonly Mention[]
}

/**
 * The chunks of a document, in order. What is derived from those of a very long one is not kept but derived anew, piece by piece,
 * each time that they are gone through: it takes more room than the text itself.
 */
export interface DerivedChunks extends Iterable<DerivedChunk> {
  readonly length: number
  readonly spans: readonly Span[]
  /** Without what is derived: cheap, however long the document is. */
  readonly cut: Iterable<CutChunk>
  /** The same chunks with other cues. */
  withCues(cuesOf: (ordinal: number, cues: readonly CueDraft[]) => readonly CueDraft[]): DerivedChunks
}

/** Chunks up to which what is derived from them is kept: about 3 MB of text. */
const MOST_KEPT = 4000

export interface ChunkParts {
  readonly drafts: readonly ChunkDraft[]
  readonly spans: readonly Span[]
  readonly countTokens: (text: string) => number
  /** What the rules derive of each chunk, in order, from the first on. */
  readonly rules: () => Iterable<ChunkCues>
}

export function derivedChunks(parts: ChunkParts, mostKept: number = MOST_KEPT): DerivedChunks {
  const { drafts, spans } = parts
  // counting costs a tenth of embedding: once for every chunk
  const counted = new Int32Array(drafts.length).fill(-1)
  const cutAt = (ordinal: number): CutChunk => {
    const draft = drafts[ordinal]!
    if (counted[ordinal]! < 0) counted[ordinal] = parts.countTokens(draft.text)
    return { draft, span: spans[ordinal]!, tokens: counted[ordinal]! }
  }
  function* cut(): Generator<CutChunk, void, undefined> {
    for (let ordinal = 0; ordinal < drafts.length; ordinal++) yield cutAt(ordinal)
  }
  function* derived(): Generator<DerivedChunk, void, undefined> {
    let ordinal = 0
    for (const { contentText, windowText, cues, mentions } of parts.rules()) {
      yield { ...cutAt(ordinal++), contentText, windowText, cues, mentions }
    }
  }
  const kept = drafts.length <= mostKept ? [...derived()] : null
  return series(drafts.length, spans, { [Symbol.iterator]: cut }, kept ?? { [Symbol.iterator]: derived })
}

function series(
  length: number,
  spans: readonly Span[],
  cut: Iterable<CutChunk>,
  chunks: Iterable<DerivedChunk>,
): DerivedChunks {
  return {
    length,
    spans,
    cut,
    [Symbol.iterator]: () => chunks[Symbol.iterator](),
    withCues(cuesOf) {
      function* changed(): Generator<DerivedChunk, void, undefined> {
        let ordinal = 0
        for (const chunk of chunks) {
          const cues = cuesOf(ordinal++, chunk.cues)
          yield cues === chunk.cues ? chunk : { ...chunk, cues }
        }
      }
      return series(length, spans, cut, { [Symbol.iterator]: changed })
    },
  }
}
