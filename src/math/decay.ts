/** Days in which an unused memory of no significance loses half of its strength. */
const BASE_HALF_LIFE_DAYS = 7
/** Share of the room above the present strength that one use fills. */
const GAIN_PER_USE = 0.1
const MILLISECONDS_PER_DAY = 86_400_000

/** What the store knows of a chunk's life. */
export interface Activity {
  /** How much it matters, [0, 1]. */
  readonly significance: number
  /** How strongly it was felt, [-1, 1]; 0 = neutral. */
  readonly valence: number
  /** Uses reported so far, a whole number ≥ 0. */
  readonly uses: number
  /** Last use, or when it was retained if it was never used. Milliseconds since the epoch. */
  readonly lastUsedAt: number
}

/**
 * Strength at the last use: 1 − (1 − s₀)·0.9ᵘ with s₀ = 0.3 + 0.7·significance and u uses.
 *
 * Range: [0.3, 1]; grows with every use, ever less. O(1).
 * @throws RangeError when a value is out of its range.
 */
export function strengthAtUse(significance: number, uses: number): number {
  assertWithin('significance', significance, 0, 1)
  assertUses(uses)
  return 1 - 0.7 * (1 - significance) * (1 - GAIN_PER_USE) ** uses
}

/**
 * Half-life in days: 7·(1 + uses) / ((1 − 0.7·significance)·(1 − 0.5·|valence|)).
 *
 * Range: [7, ∞). What matters, what was felt and what was used fades more slowly. O(1).
 * @throws RangeError when a value is out of its range.
 */
export function halfLifeDays(significance: number, valence: number, uses: number): number {
  assertWithin('significance', significance, 0, 1)
  assertWithin('valence', valence, -1, 1)
  assertUses(uses)
  return (BASE_HALF_LIFE_DAYS * (1 + uses)) / ((1 - 0.7 * significance) * (1 - 0.5 * Math.abs(valence)))
}

/**
 * Effective strength now: strengthAtUse · 2^(−age/half-life), age counted from the last use.
 *
 * A pure function of what is stored: any number of workers, restarts or late runs gives the same value, and nothing has
 * to be rewritten for time to pass. `now` in milliseconds since the epoch; a last use in the future counts as now.
 * Range: [0, 1]. O(1).
 * Reference: the forgetting curve with stability growing by repetition (Ebbinghaus 1885; Wozniak, two-component model).
 * @throws RangeError when a value is out of its range.
 */
export function effectiveStrength(activity: Activity, now: number): number {
  const { significance, valence, uses, lastUsedAt } = activity
  if (!Number.isFinite(now)) throw new RangeError(`now is ${now}`)
  if (!Number.isFinite(lastUsedAt)) throw new RangeError(`lastUsedAt is ${lastUsedAt}`)
  const ageDays = Math.max(0, now - lastUsedAt) / MILLISECONDS_PER_DAY
  return strengthAtUse(significance, uses) * 2 ** (-ageDays / halfLifeDays(significance, valence, uses))
}

function assertWithin(name: string, value: number, low: number, high: number): void {
  if (!(value >= low && value <= high))
    throw new RangeError(`${name} is ${value}: it must be in [${low}, ${high}]`)
}

function assertUses(uses: number): void {
  if (!Number.isSafeInteger(uses) || uses < 0) throw new RangeError(`uses is ${uses}: a whole number from 0`)
}
