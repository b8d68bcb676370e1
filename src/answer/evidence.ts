import { formatRef } from '../domain/ref.ts'
import { type Trust, trustRank } from '../domain/trust.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { chunksByIds, neighbourChunks, type StoredChunk } from '../store/queries/chunks.ts'
import { repeatable } from '../store/repeat.ts'
import { type FoldedText, foldText } from './fold-text.ts'

/** A chunk that a model is shown, under a number by which it is cited. */
export interface Evidence {
  /** From 1. */
  readonly id: number
  readonly ref: string
  readonly chunkId: number
  readonly documentId: number
  readonly ordinal: number
  readonly source: string
  readonly text: string
  readonly startByte: number
  readonly startLine: number
  readonly label: string | null
  readonly speaker: string | null
  readonly occurredAt: Date | null
  readonly trust: Trust
  readonly tokens: number
  /** Made when a quote is first looked for. */
  folded(): FoldedText
}

/** Chunks as evidence, numbered in the order given; a chunk that comes twice counts once. */
export function evidenceOf(chunks: readonly StoredChunk[]): Evidence[] {
  const once = [...new Map(chunks.map((chunk) => [chunk.chunkId, chunk])).values()]
  return once.map((chunk, i) => {
    const { document, text, span } = chunk
    const { source, version, trust } = document
    let folded: FoldedText | undefined
    return {
      id: i + 1,
      ref: formatRef({ source, version, ordinal: chunk.ordinal, current: document.state === 'current' }),
      ...{ chunkId: chunk.chunkId, documentId: chunk.documentId, ordinal: chunk.ordinal, source, text },
      ...{ startByte: span.startByte, startLine: span.startLine, label: chunk.label, speaker: chunk.speaker },
      ...{ occurredAt: chunk.occurredAt ?? document.occurredAt, trust, tokens: chunk.tokens },
      folded: () => {
        folded ??= foldText(text)
        return folded
      },
    }
  })
}

export interface EvidenceLimits {
  /** Neighbours on each side. */
  readonly expand: number
  readonly tokenBudget: number
}

/**
 * The chunks of passages, the best first, with their neighbours where the budget allows, in the order in which they are shown: documents by
 * their best passage, chunks of a document as it has them. A text that stands at several places comes once, from the most trusted.
 */
export function gatherEvidence(
  { database, bankId }: Pick<BankStore, 'database' | 'bankId'>,
  chunkIds: readonly number[],
  limits: EvidenceLimits,
): Promise<Evidence[]> {
  return repeatable(database, () => readEvidence(database, bankId, chunkIds, limits))
}

async function readEvidence(
  database: Queryable,
  bankId: number,
  chunkIds: readonly number[],
  { expand, tokenBudget }: EvidenceLimits,
): Promise<Evidence[]> {
  const stored = new Map((await chunksByIds(database, bankId, chunkIds)).map((one) => [one.chunkId, one]))
  const ranked = chunkIds.flatMap((id) => stored.get(id) ?? [])
  const chosen = new Map(withoutCopies(ranked).map((chunk) => [chunk.chunkId, chunk]))
  let tokens = [...chosen.values()].reduce((sum, chunk) => sum + chunk.tokens, 0)
  for (const { documentId, ordinal } of expand === 0 ? [] : [...chosen.values()]) {
    if (tokens >= tokenBudget) break
    for (const beside of await neighbourChunks(database, bankId, documentId, ordinal, expand, expand)) {
      if (chosen.has(beside.chunkId) || tokens + beside.tokens > tokenBudget) continue
      tokens += beside.tokens
      chosen.set(beside.chunkId, beside)
    }
  }
  const documents = new Map<number, StoredChunk[]>()
  for (const chunk of chosen.values()) {
    const members = documents.get(chunk.documentId)
    if (members === undefined) documents.set(chunk.documentId, [chunk])
    else members.push(chunk)
  }
  return evidenceOf(
    [...documents.values()].flatMap((members) => members.sort((a, b) => a.ordinal - b.ordinal)),
  )
}

function withoutCopies(ranked: readonly StoredChunk[]): StoredChunk[] {
  const byText = new Map<string, StoredChunk>()
  for (const chunk of ranked) {
    const key = chunk.text.trim()
    const other = byText.get(key)
    if (other === undefined || trustRank(chunk.document.trust) > trustRank(other.document.trust)) {
      byText.set(key, chunk)
    }
  }
  const kept = new Set([...byText.values()].map((chunk) => chunk.chunkId))
  return ranked.filter((chunk) => kept.has(chunk.chunkId))
}
