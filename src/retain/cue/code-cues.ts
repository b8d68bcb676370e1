import { sentences } from '../../domain/analysis/sentences.ts'
import { identifierParts } from '../../domain/analysis/words.ts'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkCues, CueDraft } from '../../domain/cue.ts'
import type { CueInput } from './cue-input.ts'
import { boundCues, fitTokens, lexicalStatements } from './cue-limits.ts'

const MOST_CALLS = 16
const MOST_WORDS = 240
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_]{2,63}/gu
const CALL = /(?<![\p{L}\p{N}_$.])(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*([\p{L}_$][\p{L}\p{N}_$]*)\s*\(/gu
/** Words before a parenthesis that call nothing, over the languages that are cut as code. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `if for while switch catch return function func fn def class struct interface super this self new await async typeof sizeof
  elif else with not and or in is assert print del lambda yield match case when unless until foreach using lock except
  raise throw import require include defer go select echo isset empty array list constructor require_once`.split(
    /\s+/,
  ),
)

/** Cues of code: where a symbol is defined, what its documentation says, what it calls. */
export function* codeCues(input: CueInput): Generator<ChunkCues, void, undefined> {
  for (const chunk of input.chunks) yield cuesOfSymbol(chunk, input)
}

function cuesOfSymbol(chunk: ChunkDraft, input: CueInput): ChunkCues {
  const { countTokens, maxTokens, document } = input
  const symbol = (chunk.label ?? chunk.attributes.symbol ?? '').trim()
  const docstring = chunk.attributes.docstring?.trim() ?? ''
  const shorten = (text: string): string => fitTokens(text, maxTokens, countTokens)
  const cues: CueDraft[] = []
  if (symbol !== '') {
    cues.push({ kind: 'question', text: `Where is ${symbol} defined?`, origin: 'rules', embed: false })
  }
  const told = sentences(
    docstring.replace(/^[\s/*#"'!-]+|[\s*/"']+$/gu, '').replace(/\n\s*[*/#]+\s?/gu, ' '),
  )[0]
  if (told !== undefined) {
    cues.push({
      kind: 'statement',
      text: symbol === '' ? told : `${spoken(symbol)}: ${told}`,
      origin: 'rules',
      embed: true,
    })
  }
  const calls = callsIn(chunk.text, symbol)
  if (calls.length > 0) {
    cues.push({
      kind: 'statement',
      text: `${symbol} calls ${calls.join(', ')}`.trim(),
      origin: 'rules',
      embed: false,
    })
  }
  cues.push(...lexicalStatements(wordsIn(chunk.text)))
  const head = symbol === '' ? document.source : `${document.source} ${spoken(symbol)}`
  return {
    contentText: shorten(`${head}\n${chunk.text.trim()}`),
    windowText: null,
    cues: boundCues(cues.map((cue) => ({ ...cue, text: shorten(cue.text) }))),
    mentions: [],
  }
}

/** A symbol in words for the embedder: `Store.openBank` → `Store open bank`. */
export function spoken(symbol: string): string {
  return symbol
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((name) => {
      const parts = identifierParts(name)
      return parts.length === 0 ? [name] : parts.map((part, i) => (i === 0 ? part : lowerUnlessAcronym(part)))
    })
    .filter((word) => word !== '')
    .join(' ')
}

function lowerUnlessAcronym(word: string): string {
  return word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase()
}

/** Each word and name of a piece of code once, in order: what it speaks of, without its punctuation. */
function wordsIn(code: string): string[] {
  return [...new Set(code.match(WORD) ?? [])].slice(0, MOST_WORDS)
}

/** Names called in a piece of code, each once, in order, without the symbol itself. */
function callsIn(code: string, symbol: string): string[] {
  const own = symbol.split(/[.:#]+/u).at(-1)
  const calls = new Set<string>()
  for (const match of code.matchAll(CALL)) {
    const name = match[1]
    if (name === undefined || name === own || KEYWORDS.has(name) || name.length < 3) continue
    calls.add(name)
    if (calls.size === MOST_CALLS) break
  }
  return [...calls]
}
