/** How far a text is to be believed. Higher is more trusted; `minTrust` filters on it. */
export const TRUST_LEVELS = ['unknown', 'web', 'tool', 'user'] as const
export type Trust = (typeof TRUST_LEVELS)[number]

/** Position in TRUST_LEVELS, 0 to 3: what the store keeps. */
export function trustRank(trust: Trust): number {
  return TRUST_LEVELS.indexOf(trust)
}

export function trustFromRank(rank: number): Trust {
  return TRUST_LEVELS[rank] ?? 'unknown'
}
