import { type BertNormalisation, normaliseForBert, splitForBert } from './bert-words.ts'
import { type ClassOf, createCharacterClasses, SPACE } from './character-classes.ts'
import { readBertDescription } from './read-bert-description.ts'
import type { Tokeniser } from './tokeniser.ts'

/** Words kept with their ids; text repeats its words, so this saves most of the work. About 5 MB when full. */
const CACHED_WORDS = 20_000
const LONGEST_CACHED = 40

export interface BertDescription {
  readonly vocabulary: ReadonlyMap<string, number>
  readonly unknownId: number
  readonly continuingPrefix: string
  /** A longer word is unknown, characters. */
  readonly maxWordLength: number
  readonly normalisation: BertNormalisation
  /** Tokens that are found in the text as they are, before anything else. */
  readonly added: ReadonlyMap<string, number>
  readonly before: readonly number[]
  readonly after: readonly number[]
}

/** The WordPiece tokeniser of BERT and its kin, or null when the description is of another kind. */
export function createBertTokeniser(source: unknown): Tokeniser | null {
  const description = readBertDescription(source)
  if (description === null) return null
  const { added, before, after } = description
  const wordIds = createWordReader(description)
  const classOf = createCharacterClasses()
  const addedPattern = patternOf([...added.keys()])

  const append = (ids: number[], text: string): void => {
    for (const word of splitAtSpace(text, classOf)) for (const id of wordIds(word)) ids.push(id)
  }
  const idsOf = (text: string, ids: number[]): number[] => {
    let from = 0
    if (addedPattern !== null) {
      for (const match of text.matchAll(addedPattern)) {
        append(ids, text.slice(from, match.index))
        ids.push(added.get(match[0])!)
        from = match.index + match[0].length
      }
    }
    append(ids, from === 0 ? text : text.slice(from))
    return ids
  }
  return {
    specialTokens: before.length + after.length,
    encode(text) {
      const ids = idsOf(text, [...before])
      for (const id of after) ids.push(id)
      return ids
    },
    countTokens: (text) => idsOf(text, []).length,
  }
}

/** Ids of a run of text without white space; remembers what it has read. */
function createWordReader(description: BertDescription): (raw: string) => readonly number[] {
  const classOf = createCharacterClasses()
  const known = new Map<string, readonly number[]>()
  return (raw) => {
    const cached = known.get(raw)
    if (cached !== undefined) return cached
    const ids: number[] = []
    for (const word of splitForBert(normaliseForBert(raw, description.normalisation, classOf), classOf)) {
      appendPieces(ids, word, description)
    }
    if (raw.length <= LONGEST_CACHED) {
      if (known.size >= CACHED_WORDS) known.clear()
      known.set(raw, ids)
    }
    return ids
  }
}

/** The longest piece of the vocabulary first, again and again; a word with a rest that no piece fits is unknown as a whole. */
function appendPieces(ids: number[], word: string, description: BertDescription): void {
  const { vocabulary, unknownId, continuingPrefix, maxWordLength } = description
  if (word.length > maxWordLength && [...word].length > maxWordLength) {
    ids.push(unknownId)
    return
  }
  const kept = ids.length
  for (let start = 0; start < word.length; ) {
    const prefix = start === 0 ? '' : continuingPrefix
    let end = word.length
    let id: number | undefined
    for (; end > start; end--) {
      id = vocabulary.get(prefix + word.slice(start, end))
      if (id !== undefined) break
    }
    if (id === undefined) {
      ids.length = kept
      ids.push(unknownId)
      return
    }
    ids.push(id)
    start = end
  }
}

function* splitAtSpace(text: string, classOf: ClassOf): Generator<string> {
  let start = 0
  for (let i = 0; i < text.length; i++) {
    // no space lies beyond the first plane, so code units do
    if (!(classOf(text.charCodeAt(i)) & SPACE)) continue
    if (i > start) yield text.slice(start, i)
    start = i + 1
  }
  if (start < text.length) yield text.slice(start)
}

function patternOf(tokens: readonly string[]): RegExp | null {
  if (tokens.length === 0) return null
  const longestFirst = [...tokens].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g')
}
