/** Tags beyond which the converter takes many seconds on the thread of the caller. */
export const MAX_HTML_TAGS = 200_000
/** Elements open at a time: the parser takes the square of it, and what walks its tree recurses. */
export const MAX_HTML_DEPTH = 1000

const TAG = /<(\/?)([a-z][a-z0-9-]*)/gi
/** Without an end tag, or with one that is mostly left out. */
const WITHOUT_END: ReadonlySet<string> = new Set(
  `area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th thead tbody tfoot colgroup rt rp
  html head body path line rect circle use`.split(/\s+/),
)

/** Counts tags and open elements by sight, without a parser, no further than either limit. Linear. */
export function measureHtml(html: string): { readonly tags: number; readonly depth: number } {
  let tags = 0
  let open = 0
  let depth = 0
  for (const match of html.matchAll(TAG)) {
    tags++
    if (!WITHOUT_END.has((match[2] ?? '').toLowerCase()))
      open = Math.max(0, open + (match[1] === '/' ? -1 : 1))
    depth = Math.max(depth, open)
    if (tags > MAX_HTML_TAGS || depth > MAX_HTML_DEPTH) break
  }
  return { tags, depth }
}
