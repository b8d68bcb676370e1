import type { CueKind } from './cue.ts'
import type { Document } from './document.ts'

/** Version of the export format. Readers take this one and older ones. */
export const EXPORT_VERSION = 1

/** First line of an export. Times are ISO 8601, UTC. */
export interface ExportHeader {
  readonly type: 'header'
  readonly format: 'prolepsis-export'
  readonly version: number
  readonly exportedAt: string
  readonly engine: string
  readonly bank: {
    readonly name: string
    readonly language: string
    readonly settings: Readonly<Record<string, unknown>>
  }
  readonly model: { readonly modelId: string; readonly dimension: number }
}

/** What is counted from the text, or counts in one store alone. */
type OfStore = 'documentId' | 'byteLength' | 'chunkCount'
type Times = 'occurredAt' | 'retainedAt' | 'validFrom' | 'validTo'

/** One document version a line: everything that cannot be derived from its text again. */
export interface ExportedDocument extends Omit<Document, OfStore | Times> {
  readonly type: 'document'
  readonly occurredAt: string | null
  readonly retainedAt: string
  readonly validFrom: string
  readonly validTo: string | null
  readonly text: string
  /** What hangs on parts of the text, by the UTF-8 byte at which the part begins. Parts with nothing are absent. */
  readonly parts: readonly ExportedPart[]
}

export interface ExportedPart {
  readonly startByte: number
  /** Cues of the caller and of models; the rules make theirs again. */
  readonly cues: readonly {
    readonly kind: CueKind
    readonly origin: 'caller' | 'model'
    readonly embed: boolean
    readonly text: string
  }[]
  readonly activity: {
    readonly significance: number
    readonly uses: number
    readonly lastUsedAt: string | null
    readonly pinned: boolean
  } | null
  /** What a model was asked for the part, so that an import does not pay for it again. Absent where none was. */
  readonly enrichment?:
    | {
        /** Of what the model was shown, 32 hex digits. */
        readonly inputHash: string
        readonly modelId: string
        readonly prompt: string
        readonly madeAt: string
        readonly written: number
        readonly kept: number
      }
    | undefined
}

/** Last line: an export without it was cut off. */
export interface ExportEnd {
  readonly type: 'end'
  readonly documents: number
}

export type ExportLine = ExportHeader | ExportedDocument | ExportEnd
