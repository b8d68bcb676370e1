import type { StoredCue } from '../../store/queries/cues.ts'
import type { DraftChunk } from '../../store/queries/draft-chunks.ts'
import type { DraftedQuestion } from './draft-cases.ts'

/** Words of a statement that a question about it names. */
const WORDS = 5

/**
 * A question that the chunk's own cues suggest: one that rules or a model wrote for it, else what its first statement or its text speaks of.
 * The caller's own come last: asked again, they bring their chunk by right. Null for a text without words.
 */
export function draftByRules(chunk: DraftChunk, cues: readonly StoredCue[]): DraftedQuestion | null {
  const written = cues.filter(({ kind }) => kind === 'question')
  const own =
    written.find(({ origin }) => origin === 'model') ??
    written.find(({ origin }) => origin === 'rules') ??
    written[0]
  if (own !== undefined) return { question: oneLine(own.text), answer: null }
  const statement = cues.find(({ kind }) => kind === 'statement')
  const subject = subjectOf(statement?.text ?? chunk.text)
  return subject === '' ? null : { question: `What is said about ${subject}?`, answer: null }
}

/** The longest words of a text, in their order: long words say more than short ones, in any language that has spaces. */
function subjectOf(text: string): string {
  const words = [...new Set(text.slice(0, 2_000).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])].slice(0, 40)
  const longest = new Set([...words].sort((a, b) => b.length - a.length).slice(0, WORDS))
  return words
    .filter((word) => longest.has(word))
    .join(' ')
    .slice(0, 200)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
