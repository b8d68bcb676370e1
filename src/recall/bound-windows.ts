import { evenly } from '../math/evenly.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import { splitToFit } from '../providers/split-long-texts.ts'

/** Windows of the model that one text of a question may fill: each takes as long as a question of its own. */
export const MOST_WINDOWS = 8
/** Tokens of a window that special tokens and the model's instruction may take. */
const OVERHEAD = 32

export interface BoundText {
  /** What to embed. */
  readonly text: string
  /** Windows that the whole text would fill; null when it is embedded whole. */
  readonly windows: number | null
}

/** A text of at most 8 windows: of a longer one 8 of its windows, evenly spread, first and last among them. */
export function boundWindows(
  text: string,
  { countTokens, maxTokens }: Pick<EmbeddingModel, 'countTokens' | 'maxTokens'>,
): BoundText {
  const window = Math.max(maxTokens - OVERHEAD, Math.ceil(maxTokens / 2))
  if (countTokens(text) <= MOST_WINDOWS * window) return { text, windows: null }
  const parts = splitToFit(text, { countTokens, maxTokens: window })
  if (parts.length <= MOST_WINDOWS) return { text, windows: null }
  const chosen = evenly(parts, MOST_WINDOWS).map((part) => part.trim())
  return { text: chosen.join(' '), windows: parts.length }
}
