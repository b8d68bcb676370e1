import { createHash } from 'node:crypto'

/** What makes two questions the same: letter case, punctuation and spacing aside. Marks alone (`???`) equal only themselves. */
export function plainQuestion(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase()
  const words = lower.replace(/[^\p{L}\p{M}\p{N}\p{S}]+/gu, ' ').trim()
  return words === '' ? lower.trim() : words
}

/** Under which a question is looked up: 48 bits, the same for the same question, and hardly ever for another. */
export function questionKey(text: string): number {
  return createHash('sha256').update(plainQuestion(text)).digest().readUIntBE(0, 6)
}
