import { readFile } from 'node:fs/promises'
import { ProlepsisError } from '../../domain/errors.ts'
import { createBertTokeniser } from '../local/bert-tokeniser.ts'
import { readBertDescription } from '../local/read-bert-description.ts'

/** Question and document as one input of a model, as BERT's kind is trained: [CLS] question [SEP] document [SEP]. */
export interface PairTokeniser {
  /** Tokens that a pair has beside those of its texts. */
  readonly specialTokens: number
  /** Ids of a text alone. */
  idsOf(text: string): readonly number[]
  /** Ids of the pair, and of each which text it belongs to: 0 the first, 1 the second. */
  pair(
    first: readonly number[],
    second: readonly number[],
  ): { readonly ids: number[]; readonly types: number[] }
}

const LONE_SURROGATE = /\p{Surrogate}/gu

/** @throws ProlepsisError MODEL_NOT_FOUND when the file is no tokeniser of BERT's kind */
export async function loadPairTokeniser(path: string): Promise<PairTokeniser> {
  const wrong = (what: string, cause?: unknown): ProlepsisError =>
    new ProlepsisError('MODEL_NOT_FOUND', `The tokeniser's file ${path} ${what}.`, {
      hint: 'A cross-encoder of BERT’s kind (MiniLM, TinyBERT, ELECTRA: WordPiece) is needed, exported with its tokenizer.json.',
      cause,
      details: { path },
    })
  let source: unknown
  try {
    source = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw wrong('is damaged', cause)
  }
  const description = readBertDescription(source)
  const tokeniser = createBertTokeniser(source)
  if (description === null || tokeniser === null) throw wrong('is not of BERT’s kind')
  const { before, after } = description
  return {
    specialTokens: before.length + 2 * after.length,
    idsOf(text) {
      const ids = tokeniser.encode(text.replace(LONE_SURROGATE, '\ufffd'))
      return ids.slice(before.length, ids.length - after.length)
    },
    pair(first, second) {
      const [one, two] = [
        [...before, ...first, ...after],
        [...second, ...after],
      ]
      return { ids: [...one, ...two], types: [...one.map(() => 0), ...two.map(() => 1)] }
    },
  }
}
