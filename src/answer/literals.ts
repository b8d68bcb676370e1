import type { Located } from './cite.ts'

/** Addresses of pages and mail, and names of hosts. */
const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s<>"')\]]+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|info|biz|ru|cn|example|test|invalid|local)\b/giu
/** Codes and numbers that nobody reckons out: with a leading zero, or of six digits and more; groups of a telephone number count as one. */
const DIGITS = /\d(?:[\d \u00a0()/.-]*\d)?/g

/**
 * Addresses and codes of a sentence that stand nowhere in the passages that it cites, nor in the question. They are taken over, never
 * concluded: a sentence with one of them says something that memory does not hold, whatever a model thinks of it.
 */
export function unbackedLiterals(sentence: string, located: readonly Located[], question: string): string[] {
  const backing = [question, ...located.map(({ evidence }) => `${evidence.text}\n${evidence.ref}`)].join('\n')
  const addresses = [...sentence.matchAll(ADDRESS)].map(([address]) => address.replace(/[.,;:!?]+$/, ''))
  const known = backing.toLowerCase()
  const codes = [...sentence.matchAll(DIGITS)].map(([digits]) => bareDigits(digits)).filter(isCode)
  const knownDigits = [...backing.matchAll(DIGITS)].map(([digits]) => bareDigits(digits))
  return [
    ...addresses.filter((address) => !known.includes(address.toLowerCase())),
    ...codes.filter((code) => !knownDigits.some((digits) => digits.includes(code))),
  ]
}

function bareDigits(text: string): string {
  return text.replaceAll(/\D/g, '')
}

function isCode(digits: string): boolean {
  return (digits.startsWith('0') && digits.length >= 3) || digits.length >= 6
}
