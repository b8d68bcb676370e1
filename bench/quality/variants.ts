import type { RecallOptions } from '../../src/index.ts'

/**
 * The rows of the quality tables: the default, plain methods, and the default without each of its parts. A plain method is one channel in its
 * own order: with one channel `rrf` adds nothing to it, where the other fusions add hints of the question.
 */
export const VARIANTS: Readonly<Record<string, RecallOptions>> = {
  keyless: {},
  bm25: { mode: 'lexical', fusion: 'rrf', weights: { cue: 0 } },
  content: {
    mode: 'semantic',
    fusion: 'rrf',
    weights: { window: 0, question: 0, statement: 0, concept: 0 },
  },
}

/** Rows with questions that a model wrote: all of it, and its question channels alone. */
export const RECORDED_VARIANTS: Readonly<Record<string, RecallOptions>> = {
  recorded: {},
  'recorded, question vectors alone': {
    mode: 'semantic',
    fusion: 'rrf',
    weights: { content: 0, window: 0, statement: 0, concept: 0 },
  },
  'recorded, BM25 of cues alone': { mode: 'lexical', fusion: 'rrf', weights: { body: 0 } },
}

export const RECORDED_ABLATIONS: Readonly<Record<string, RecallOptions>> = {
  'recorded, standard fusion': { fusion: 'standard' },
  'recorded, rrf fusion': { fusion: 'rrf' },
  'recorded without question vectors': { weights: { question: 0 } },
  'recorded without statement vectors': { weights: { statement: 0 } },
  'recorded without content vectors': { weights: { content: 0 } },
  'recorded without BM25 of text and cues': { weights: { text: 0 } },
  'recorded without BM25 of surroundings': { weights: { context: 0 } },
  'recorded without BM25 of the document': { weights: { document: 0 } },
  'recorded with BM25 of cues beside': { weights: { cue: 1 } },
}

/** Only parts that a caller can switch off. The rules of the question (names left out, the exchange before it) are always on. */
export const ABLATIONS: Readonly<Record<string, RecallOptions>> = {
  'keyless, standard fusion': { fusion: 'standard' },
  'keyless, rrf fusion': { fusion: 'rrf' },
  'keyless without content vectors': { weights: { content: 0 } },
  'keyless without statement vectors': { weights: { statement: 0 } },
  'keyless without question vectors': { weights: { question: 0 } },
  'keyless without BM25 of text and cues': { weights: { text: 0 } },
  'keyless without BM25 of surroundings': { weights: { context: 0 } },
  'keyless without BM25 of the document': { weights: { document: 0 } },
  'keyless without people': { weights: { entity: 0 } },
  'keyless, vectors only': { mode: 'semantic' },
  'keyless, words only': { mode: 'lexical' },
}
