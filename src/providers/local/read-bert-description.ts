import type { BertDescription } from './bert-tokeniser.ts'

type Json = Readonly<Record<string, unknown>>

/** What a `tokenizer.json` says, or null when it is not one that `createBertTokeniser` follows to the letter. */
export function readBertDescription(source: unknown): BertDescription | null {
  const root = asObject(source)
  const model = asObject(root?.model)
  const normaliser = asObject(root?.normalizer)
  if (root === null || model === null || normaliser === null) return null
  if (
    model.type !== 'WordPiece' ||
    normaliser.type !== 'BertNormalizer' ||
    asObject(root.pre_tokenizer)?.type !== 'BertPreTokenizer'
  ) {
    return null
  }
  const words = asObject(model.vocab)
  const template = readTemplate(root.post_processor)
  const added = readAdded(root.added_tokens)
  if (words === null || template === null || added === null) return null
  const vocabulary = new Map<string, number>()
  for (const word in words) {
    const id = words[word]
    if (typeof id === 'number') vocabulary.set(word, id)
  }
  const unknownId = vocabulary.get(String(model.unk_token))
  if (unknownId === undefined) return null
  const lowercase = normaliser.lowercase === true
  return {
    vocabulary,
    unknownId,
    continuingPrefix:
      typeof model.continuing_subword_prefix === 'string' ? model.continuing_subword_prefix : '##',
    maxWordLength: typeof model.max_input_chars_per_word === 'number' ? model.max_input_chars_per_word : 100,
    normalisation: {
      cleanText: normaliser.clean_text === true,
      spaceCjk: normaliser.handle_chinese_chars === true,
      stripAccents: typeof normaliser.strip_accents === 'boolean' ? normaliser.strip_accents : lowercase,
      lowercase,
    },
    added,
    ...template,
  }
}

/** Ids before and after a single text. */
function readTemplate(source: unknown): Pick<BertDescription, 'before' | 'after'> | null {
  const processor = asObject(source)
  if (processor?.type === 'BertProcessing') {
    const ids = [processor.cls, processor.sep].map((pair) => (Array.isArray(pair) ? pair[1] : undefined))
    const [cls, sep] = ids
    return typeof cls === 'number' && typeof sep === 'number' ? { before: [cls], after: [sep] } : null
  }
  const special = asObject(processor?.special_tokens)
  if (processor?.type !== 'TemplateProcessing' || special === null || !Array.isArray(processor.single))
    return null
  const before: number[] = []
  const after: number[] = []
  let into = before
  for (const item of processor.single) {
    const name = asObject(asObject(item)?.SpecialToken)?.id
    if (name === undefined) into = after
    else {
      const ids = asObject(special[String(name)])?.ids
      if (!Array.isArray(ids)) return null
      into.push(...ids.map(Number))
    }
  }
  return into === after ? { before, after } : null
}

/** Null when a token is matched in another way than as it is written. */
function readAdded(source: unknown): Map<string, number> | null {
  const added = new Map<string, number>()
  if (source === undefined || source === null) return added
  if (!Array.isArray(source)) return null
  for (const item of source) {
    const token = asObject(item)
    if (token === null || typeof token.content !== 'string' || typeof token.id !== 'number') return null
    if (
      token.single_word === true ||
      token.lstrip === true ||
      token.rstrip === true ||
      token.normalized === true
    )
      return null
    added.set(token.content, token.id)
  }
  return added
}

function asObject(value: unknown): Json | null {
  // checked on this line
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}
