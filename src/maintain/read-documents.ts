import type { Document, DocumentState } from '../domain/document.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { TimeInput } from '../domain/recall.ts'
import { parseTime } from '../domain/time.ts'
import {
  documentText,
  findCurrentDocument,
  findDocumentAsOf,
  listDocuments,
  listVersions,
} from '../store/queries/documents.ts'
import { checkKeys, checkText, checkWhole } from './check-options.ts'
import type { MaintainDeps } from './maintain-deps.ts'

type StoreOnly = Pick<MaintainDeps, 'store'>

export interface DocumentOptions {
  readonly version?: number
  readonly asOf?: TimeInput
}

/** The whole text at a source: the current version, a given one, or the one valid at a time; null when there is none. */
export async function readDocument(
  { store }: StoreOnly,
  source: string,
  options: DocumentOptions = {},
): Promise<{ readonly document: Document; readonly text: string } | null> {
  checkText(source, 'source')
  checkKeys(options, ['version', 'asOf'], 'document')
  const { database, bankId } = store
  const document = await find()
  if (document === null) return null
  const text = await documentText(database, bankId, document.documentId)
  return text === null ? null : { document, text }

  async function find(): Promise<Document | null> {
    if (options.version !== undefined && options.asOf !== undefined) {
      throw new ProlepsisError('INVALID_ARGUMENT', 'Both version and asOf were given.', {
        hint: 'Give one of them.',
        details: { option: 'version' },
      })
    }
    if (options.asOf !== undefined) {
      return findDocumentAsOf(database, bankId, source, parseTime(options.asOf, 'asOf'))
    }
    if (options.version === undefined) return findCurrentDocument(database, bankId, source)
    const version = checkWhole(options.version, 'version', { least: 1, most: 2 ** 31 - 1, default: 1 })
    return (await listVersions(database, bankId, source)).find((one) => one.version === version) ?? null
  }
}

export interface DocumentsOptions {
  readonly sourcePrefix?: string
  readonly tag?: string
  /** @default 'current' */
  readonly state?: DocumentState
  /** @default 100, at most 10,000 */
  readonly limit?: number
  /** The last source of the page before. */
  readonly after?: string
}

const STATES: readonly unknown[] = ['current', 'superseded', 'deleted']

export async function readDocuments(
  { store }: StoreOnly,
  options: DocumentsOptions = {},
): Promise<readonly Document[]> {
  checkKeys(options, ['sourcePrefix', 'tag', 'state', 'limit', 'after'], 'documents')
  for (const name of ['sourcePrefix', 'tag', 'after'] as const) {
    if (options[name] !== undefined && options[name] !== '') checkText(options[name], name)
  }
  if (options.state !== undefined && !STATES.includes(options.state)) {
    throw new ProlepsisError('INVALID_ARGUMENT', `state must be one of ${STATES.join(', ')}.`, {
      hint: 'Leave it out for current documents.',
      details: { option: 'state' },
    })
  }
  const limit = checkWhole(options.limit, 'limit', { least: 1, most: 10_000, default: 100 })
  return listDocuments(store.database, store.bankId, { ...options, limit })
}

/** Every version at a source, newest first; none when nothing was ever retained there. */
export async function readVersions({ store }: StoreOnly, source: string): Promise<readonly Document[]> {
  return listVersions(store.database, store.bankId, checkText(source, 'source'))
}
