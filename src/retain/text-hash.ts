import { createHash } from 'node:crypto'

/** SHA-256 of the original bytes, 64 hex digits: what tells one version of a text from another. */
export function contentHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Key of the embedding cache: the first 16 bytes of a hash of the text and of the instruction it is embedded with, as 32
 * hex digits. Stored text is always embedded as `symmetric`.
 */
export function embeddingHash(text: string): string {
  return createHash('sha256').update('symmetric\n').update(text).digest('hex').slice(0, 32)
}
