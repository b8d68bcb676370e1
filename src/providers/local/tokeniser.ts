import { readFile } from 'node:fs/promises'
import { ProlepsisError } from '../../domain/errors.ts'
import { createBertTokeniser } from './bert-tokeniser.ts'
import { createLibraryTokeniser } from './library-tokeniser.ts'

/** Turns text into the ids that the model was trained on, exactly as the reference implementation does. */
export interface Tokeniser {
  /** How many tokens `encode` adds around a text. */
  readonly specialTokens: number
  /** The whole input of the model, special tokens included. Halves of surrogate pairs count as U+FFFD. */
  encode(text: string): readonly number[]
  /** Tokens of the text alone. */
  countTokens(text: string): number
}

/**
 * Reads a `tokenizer.json`. BERT's kind (BGE, E5, MiniLM, GTE and most small English models) is ours, other kinds go through the
 * library, which is loaded only then: `docs/decisions/0004-embedder.md`.
 *
 * @throws ProlepsisError MODEL_NOT_FOUND when the file is not a tokeniser
 */
export async function loadTokeniser(path: string): Promise<Tokeniser> {
  const text = await readFile(path, 'utf8')
  try {
    const description: unknown = JSON.parse(text)
    return mending(createBertTokeniser(description) ?? (await createLibraryTokeniser(description)))
  } catch (cause) {
    throw new ProlepsisError('MODEL_NOT_FOUND', `The tokeniser's file ${path} is damaged.`, {
      hint: 'Install the package again, or copy the model folder anew.',
      cause,
      details: { path },
    })
  }
}

const LONE_SURROGATE = /\p{Surrogate}/gu

function mending(tokeniser: Tokeniser): Tokeniser {
  const mend = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd')
  return {
    specialTokens: tokeniser.specialTokens,
    encode: (text) => tokeniser.encode(mend(text)),
    countTokens: (text) => tokeniser.countTokens(mend(text)),
  }
}
