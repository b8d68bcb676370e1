import type { Tokeniser } from './tokeniser.ts'

/** Any tokeniser of the Hugging Face format, by its own JavaScript library. Slower to load and to run than `createBertTokeniser`. */
export async function createLibraryTokeniser(description: unknown): Promise<Tokeniser> {
  if (typeof description !== 'object' || description === null || !('model' in description)) {
    throw new TypeError('It holds no tokeniser.')
  }
  const { Tokenizer } = await import('@huggingface/tokenizers')
  const tokenizer = new Tokenizer(description, {})
  const encode = (text: string, add_special_tokens: boolean): readonly number[] =>
    tokenizer.encode(text, { add_special_tokens }).ids
  return {
    specialTokens: encode('', true).length,
    encode: (text) => encode(text, true),
    countTokens: (text) => encode(text, false).length,
  }
}
