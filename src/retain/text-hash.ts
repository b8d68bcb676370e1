import { createHash } from 'node:crypto'

/** SHA-256 of the original bytes, 64 hex digits: what tells one version of a text from another. */
export function contentHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** SHA-256 of a document's text as it is kept, its chunks joined, 64 hex digits: tells doctor whether the text is whole. */
export function keptTextHash(cut: Iterable<{ readonly draft: { readonly text: string } }>): string {
  const hash = createHash('sha256')
  for (const { draft } of cut) hash.update(draft.text)
  return hash.digest('hex')
}

/**
 * Key of the embedding cache: the first 16 bytes of a hash of the text and of the instruction it is embedded with, as 32
 * hex digits. Stored text is always embedded as `symmetric`.
 */
export function embeddingHash(text: string): string {
  return createHash('sha256').update('symmetric\n').update(text).digest('hex').slice(0, 32)
}
