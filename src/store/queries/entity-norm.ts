/** The form under which a name is found again: compatibility forms folded, lower case, single spaces. */
export function entityNorm(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}
