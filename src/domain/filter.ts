import type { Trust } from './trust.ts'

/**
 * Which documents a recall may see; applied inside every channel. Absent fields do not filter.
 * Only current versions are seen unless `asOf` is given, then the versions valid at that time.
 */
export interface Filter {
  readonly tags?: {
    /** at least one */
    readonly any?: readonly string[]
    /** every one */
    readonly all?: readonly string[]
    /** not one of these */
    readonly none?: readonly string[]
    /** true: documents without any tag are not seen either when `any` or `all` is given; false (default): untagged documents pass `any`/`all`. */
    readonly strict?: boolean
  }
  /** Metadata that must be contained (JSON containment). */
  readonly where?: Readonly<Record<string, unknown>>
  /** Time the text speaks of (chunk's time, else document's occurredAt, else retainedAt): from inclusive, to exclusive. */
  readonly during?: { readonly from?: Date; readonly to?: Date }
  readonly asOf?: Date
  /** Source prefix, literal. */
  readonly source?: string
  readonly minTrust?: Trust
  /** Who speaks or is named; any of them. */
  readonly people?: readonly string[]
}
