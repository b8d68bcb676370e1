/** A longer heading is a text: it would be said again with every chunk below it. */
const MAX_HEADING_CHARS = 500

/** A heading or title as it is said again elsewhere: whole, or its first 500 UTF-16 units. */
export function shortened(heading: string): string {
  if (heading.length <= MAX_HEADING_CHARS) return heading
  return `${heading.slice(0, MAX_HEADING_CHARS).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A heading's line without the marks that close it, and the spaces before them. Linear, as no pattern for it is. */
export function withoutClosingHashes(line: string): string {
  let end = line.length
  while (line[end - 1] === '#') end--
  const before = spacesBefore(line, end)
  return end === line.length || before === end ? line : line.slice(0, before)
}

/** Where the blanks begin that end at `end`. */
export function spacesBefore(line: string, end: number): number {
  let at = end
  while (line[at - 1] === ' ' || line[at - 1] === '\t') at--
  return at
}
