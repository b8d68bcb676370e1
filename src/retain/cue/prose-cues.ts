import { looksEnglish } from '../../domain/analysis/english-text.ts'
import { findPeople } from '../../domain/analysis/people.ts'
import { sentences } from '../../domain/analysis/sentences.ts'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkCues, CueDraft } from '../../domain/cue.ts'
import type { CueDocument, CueInput } from './cue-input.ts'
import { boundCues, fitTokens, lexicalStatements } from './cue-limits.ts'

const MOST_DEFINITIONS = 4
/** `A bank is the unit…`, `Cues are the …`: subject, verb, article. */
const DEFINITION =
  /^(?:[*_`]{0,2})((?:(?:An?|The) )?[\p{L}\p{N}][\p{L}\p{N} .+#/'’`*_-]{1,60}?)(?:[*_`]{0,2}) (?<verb>is|are) (?:an?|the|one of the) (?=\p{L})/u
/** Subjects that point elsewhere define nothing. */
const POINTER =
  /^(?:it|its|this|that|these|those|there|here|he|she|they|we|you|i|what|which|who|where|when|how|why|if|as|in|on|at|for|from|by|with|to|but|and|or|so|because|since|while|although|another|one|some|all|each|every|most|many|if|not|my|your|our|his|her|their)\b|[’']s$/iu
/** `- **bank**: the unit…`, `* term – …`: a term of a definition list. */
const LISTED_TERM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\*\*|__|`)([^*_`]{2,60})(?:\*\*|__|`)\s*[:–—-]\s*\S/u

/**
 * Cues of prose and Markdown: heading path, questions that definitions answer, sentences. All lexical: sentence vectors double the
 * cost for 0.6 points of any@5 on MTRAG-UN, and vectors of definitions lose 1.
 */
export function* proseCues(input: CueInput): Generator<ChunkCues, void, undefined> {
  const english =
    input.language === 'english' ||
    (input.language === 'none' &&
      looksEnglish(
        input.chunks
          .map((chunk) => chunk.text)
          .join('')
          .slice(0, 8_000),
      ))
  for (const chunk of input.chunks) yield cuesOfSection(chunk, english, input)
}

function cuesOfSection(chunk: ChunkDraft, english: boolean, input: CueInput): ChunkCues {
  const { countTokens, maxTokens, document } = input
  const path = pathOf(chunk, document)
  const body = (chunk.content ?? chunk.text).trim()
  const shorten = (text: string): string => fitTokens(text, maxTokens, countTokens)
  if (chunk.kind === 'front-matter') {
    return { contentText: shorten(body === '' ? chunk.text : body), windowText: null, cues: [], mentions: [] }
  }
  const cues: CueDraft[] = [
    ...lexicalStatements(path === '' ? [] : [path]),
    ...(english ? definitionsIn(body) : []),
    ...lexicalStatements(sentences(body)),
  ]
  return {
    contentText: shorten(path === '' ? body || chunk.text : `${path}\n${body}`),
    windowText: null,
    cues: boundCues(cues.map((cue) => ({ ...cue, text: shorten(cue.text) }))),
    mentions: findPeople(body).map((name) => ({ name, kind: 'person', role: 'mentioned' })),
  }
}

/** `Title > Heading > Subheading`; the title only once. */
export function pathOf(chunk: ChunkDraft, document: CueDocument): string {
  const own = document.title ?? stringOf(document.frontMatter.title)
  const title = own?.trim() ?? ''
  const label = chunk.label?.trim() ?? ''
  if (title === '' || label === '') return title || label
  return label === title || label.startsWith(`${title} > `) ? label : `${title} > ${label}`
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function definitionsIn(body: string): CueDraft[] {
  const found: CueDraft[] = []
  const add = (verb: string, subject: string): void => {
    if (found.length < MOST_DEFINITIONS) {
      found.push({ kind: 'question', text: `What ${verb} ${subject}?`, origin: 'rules', embed: false })
    }
  }
  for (const line of body.split('\n')) {
    const term = LISTED_TERM.exec(line)?.[1]?.trim()
    if (term !== undefined) add('is', term)
  }
  for (const sentence of sentences(body)) {
    const match = DEFINITION.exec(sentence.replace(/^(?:[-*+>]|\d+[.)]|#+)\s+/u, ''))
    const subject = match?.[1]?.replace(/[*_`]/g, '').trim() ?? ''
    if (match === null || subject === '' || POINTER.test(subject) || subject.split(/\s+/).length > 6) continue
    add(
      match.groups?.verb ?? 'is',
      subject.replace(/^(?:An?|The) /, (article) => article.toLowerCase()),
    )
  }
  return found
}
