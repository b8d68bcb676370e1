/** A text as quotes are compared by, with the place that each of its units has in the original. */
export interface FoldedText {
  readonly text: string
  /** For each UTF-16 unit of `text`, where its letter begins in the original; one more entry holds the original's length. */
  readonly starts: readonly number[]
  /** For each UTF-16 unit of `text`, where its letter ends in the original. */
  readonly ends: readonly number[]
}

const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu
const SPACE = /^\s$/u
const PLAIN: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'“”„‟«»″〝〞＂「」『』'].map((mark) => [mark, '"'])),
  ...Object.fromEntries([...'‘’‚‛′ʼ´＇'].map((mark) => [mark, "'"])),
  ...Object.fromEntries([...'‐‑‒–—―−﹘﹣－'].map((mark) => [mark, '-'])),
}
/** Marks of emphasis and code, that a model leaves out or adds, and what nobody sees. */
const DROPPED = /^[*`\p{Cf}\p{Cc}]$/u

/**
 * Folds case, white space (a run of it is one space), typographic quotes, dashes and ellipses, compatibility forms (`ﬁ`, full width), and
 * leaves out emphasis marks and characters that nobody sees. Total; linear.
 */
export function foldText(original: string): FoldedText {
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: cluster, index } of original.matchAll(CLUSTER)) {
    const end = index + cluster.length
    if (SPACE.test(cluster)) {
      if (text === '' || text.endsWith(' ')) continue
      text += ' '
      starts.push(index)
      ends.push(end)
      continue
    }
    if (DROPPED.test(cluster)) continue
    const folded = PLAIN[cluster] ?? cluster.normalize('NFKC').toLowerCase()
    text += folded
    for (let i = 0; i < folded.length; i++) {
      starts.push(index)
      ends.push(end)
    }
  }
  starts.push(original.length)
  return { text, starts, ends }
}
