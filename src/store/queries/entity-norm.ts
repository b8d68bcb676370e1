/** An index row holds a few thousand bytes; past this a name tells nobody apart. */
const MAX_NORM_LENGTH = 300

/** The form under which a name is found again: compatibility forms folded, lower case, single spaces; cut where it is endless. */
export function entityNorm(name: string): string {
  const norm = name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
  if (norm.length <= MAX_NORM_LENGTH) return norm
  // never half a surrogate pair
  return norm.slice(0, MAX_NORM_LENGTH).replace(/[\ud800-\udbff]$/, '')
}
