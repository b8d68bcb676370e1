import type { RecallOptions } from '../../src/index.ts'

/** The rows of the quality tables: the default, plain methods, and the default without each of its parts. */
export const VARIANTS: Readonly<Record<string, RecallOptions>> = {
  keyless: {},
  bm25: { mode: 'lexical', fusion: 'standard', weights: { cue: 0, entity: 0 } },
  content: {
    mode: 'semantic',
    fusion: 'standard',
    weights: { window: 0, question: 0, statement: 0, concept: 0, entity: 0 },
  },
}

export const ABLATIONS: Readonly<Record<string, RecallOptions>> = {
  'keyless, standard fusion': { fusion: 'standard' },
  'keyless, rrf fusion': { fusion: 'rrf' },
  'keyless without content vectors': { weights: { content: 0 } },
  'keyless without windows': { weights: { window: 0 } },
  'keyless without statement vectors': { weights: { statement: 0 } },
  'keyless without question vectors': { weights: { question: 0 } },
  'keyless without body BM25': { weights: { body: 0 } },
  'keyless without cue BM25': { weights: { cue: 0 } },
  'keyless without people': { weights: { entity: 0 } },
  'keyless, vectors only': { mode: 'semantic' },
  'keyless, full text only': { mode: 'lexical' },
}
