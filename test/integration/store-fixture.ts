import { describe } from 'vitest'
import { createAnalyser } from '../../src/domain/analysis/create-analyser.ts'
import type { ChunkDraft } from '../../src/domain/chunk.ts'
import type { CueKind, Mention, VectorKind } from '../../src/domain/cue.ts'
import type { Filter } from '../../src/domain/filter.ts'
import type { VectorSpace } from '../../src/store/bank-store.ts'
import type { Database, Queryable } from '../../src/store/database.ts'
import type { Migration } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { insertBank } from '../../src/store/queries/banks.ts'
import { copyChunks, reserveChunkIds } from '../../src/store/queries/chunks.ts'
import { copyCues } from '../../src/store/queries/cues.ts'
import {
  closeDocument,
  findCurrentDocument,
  insertDocument,
  latestVersion,
  type NewDocument,
} from '../../src/store/queries/documents.ts'
import { writeMentions } from '../../src/store/queries/entities.ts'
import { retireTerms, type TermEntry, writeTerms } from '../../src/store/queries/lexical-write.ts'
import { ensureSpace, setActiveSpace } from '../../src/store/queries/spaces.ts'
import { searchVectorKinds, type VectorHit } from '../../src/store/queries/vectors-search.ts'
import { copyVectors, type NewVector } from '../../src/store/queries/vectors-write.ts'
import { createTestDatabase, noServerReason, onEmbedded, serverUrl } from '../support/postgres.ts'

export const DIMENSION = 32
export const NOW: Date = new Date('2026-01-02T03:04:05.000Z')

export interface OpenedStore {
  readonly database: Database
  close(): Promise<void>
}

/** The package's migrations where absent. */
export type MigrationsOption = (() => Promise<readonly Migration[]>) | undefined

async function openMemory(migrations: MigrationsOption): Promise<OpenedStore> {
  const database = await openStore({ memory: true }, { migrations: await migrations?.() })
  return { database, close: () => database.close() }
}

async function openServer(migrations: MigrationsOption): Promise<OpenedStore> {
  const made = await createTestDatabase()
  const database = await openStore({ databaseUrl: made.databaseUrl }, { migrations: await migrations?.() })
  return {
    database,
    close: async () => {
      await database.close()
      await made.drop()
    },
  }
}

/** Runs a suite on PGlite, and on a server where there is one. */
export function describeStores(
  name: string,
  suite: (open: () => Promise<OpenedStore>) => void,
  migrations?: MigrationsOption,
): void {
  if (onEmbedded) describe(`${name} on PGlite`, () => suite(() => openMemory(migrations)))
  const onServer = (): void => suite(() => openServer(migrations))
  if (serverUrl === undefined) describe.skip(`${name} on a server (${noServerReason})`, onServer)
  else describe(`${name} on a server`, onServer)
}

export interface TestBank {
  readonly bankId: number
  readonly space: VectorSpace
}

export async function makeBank(database: Database, name: string): Promise<TestBank> {
  const bank = await insertBank(database, { name, language: 'english', settings: {}, now: NOW })
  if (bank === null) throw new Error(`bank ${name} exists`)
  const space = await ensureSpace(database, { modelId: 'test-model', dimension: DIMENSION, now: NOW })
  await database.transaction((tx) => setActiveSpace(tx, bank.bankId, space.spaceId))
  return { bankId: bank.bankId, space }
}

/** Deterministic numbers in [0, 1). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export function unitVector(random: () => number, dimension: number = DIMENSION): Float32Array {
  const vector = new Float32Array(dimension)
  for (let i = 0; i < dimension; i++) vector[i] = random() + random() + random() - 1.5
  return normalised(vector)
}

export function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map((value) => value / length)
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

const analyser = await createAnalyser('english')

export function termsOf(text: string): string[] {
  return analyser.terms(text)
}

export interface TestChunk {
  readonly text: string
  readonly speaker?: string
  readonly occurredAt?: Date
  readonly mentions?: readonly string[]
  readonly cues?: readonly { readonly kind: CueKind; readonly text: string }[]
  readonly vector?: Float32Array
}

export interface TestDocument extends Partial<NewDocument> {
  readonly source: string
  readonly chunks: readonly TestChunk[]
}

export interface WrittenDocument {
  readonly documentId: number
  readonly chunkIds: readonly number[]
}

/** Writes a document version as retain does, superseding the current one. Vectors come from `random`. */
export function writeDocument(
  database: Database,
  bank: TestBank,
  document: TestDocument,
  random: () => number = numbers(document.source.length),
): Promise<WrittenDocument> {
  return database.transaction((tx) => writeDocumentIn(tx, bank, document, random))
}

export async function writeDocumentIn(
  tx: Queryable,
  { bankId, space }: TestBank,
  { chunks, ...fields }: TestDocument,
  random: () => number,
): Promise<WrittenDocument> {
  const before = await findCurrentDocument(tx, bankId, fields.source)
  const version = (await latestVersion(tx, bankId, fields.source)) + 1
  if (before !== null) {
    const old = await tx.query<{ id: number }>(
      'select chunk_id as id from chunks where bank_id = $1 and document_id = $2',
      [bankId, before.documentId],
    )
    await closeDocument(tx, bankId, before.documentId, 'superseded', fields.retainedAt ?? NOW)
    await retireTerms(
      tx,
      bankId,
      old.map((row) => row.id),
    )
  }
  const documentId = await insertDocument(tx, bankId, newDocument(fields, version, chunks))
  const chunkIds = await reserveChunkIds(tx, chunks.length)
  let byte = 0
  await copyChunks(
    tx,
    bankId,
    chunks.map((chunk, ordinal) => {
      const startByte = byte
      byte += Buffer.byteLength(chunk.text)
      const span = { startByte, endByte: byte, startLine: ordinal + 1, endLine: ordinal + 1 }
      return { ...draft(chunk), chunkId: chunkIds[ordinal]!, documentId, ordinal, span, tokens: 7 }
    }),
  )
  await copyCues(
    tx,
    bankId,
    chunks.flatMap((chunk, ordinal) =>
      (chunk.cues ?? []).map((cue, number) => ({
        chunkId: chunkIds[ordinal]!,
        kind: cue.kind,
        ordinal: number,
        origin: 'rules' as const,
        embedded: true,
        text: cue.text,
      })),
    ),
  )
  await writeMentions(
    tx,
    bankId,
    chunks.flatMap((chunk, ordinal) =>
      mentionsOf(chunk).map((mention) => ({ chunkId: chunkIds[ordinal]!, mention })),
    ),
  )
  await copyVectors(
    tx,
    bankId,
    space,
    chunks.flatMap((chunk, ordinal) => vectorsOf(chunk, chunkIds[ordinal]!, random)),
  )
  await writeTerms(
    tx,
    bankId,
    chunks.flatMap((chunk, ordinal) => [
      entry(chunkIds[ordinal]!, 0, chunk.text),
      entry(chunkIds[ordinal]!, 1, (chunk.cues ?? []).map((cue) => cue.text).join(' ')),
    ]),
  )
  return { documentId, chunkIds }
}

function newDocument(
  fields: Omit<TestDocument, 'chunks'>,
  version: number,
  chunks: readonly TestChunk[],
): NewDocument {
  return {
    version,
    state: 'current',
    contentHash: 'hash',
    mediaType: 'text/plain',
    format: 'prose',
    codeLanguage: null,
    title: null,
    tags: [],
    metadata: {},
    trust: 'user',
    occurredAt: null,
    retainedAt: NOW,
    validFrom: fields.retainedAt ?? NOW,
    validTo: null,
    byteLength: chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.text), 0),
    chunkCount: chunks.length,
    notes: [],
    ...fields,
  }
}

function draft(chunk: TestChunk): ChunkDraft {
  return {
    text: chunk.text,
    kind: 'paragraph',
    label: null,
    speaker: chunk.speaker ?? null,
    occurredAt: chunk.occurredAt ?? null,
    content: null,
    attributes: {},
  }
}

function mentionsOf(chunk: TestChunk): Mention[] {
  return [
    ...(chunk.speaker === undefined
      ? []
      : [{ name: chunk.speaker, kind: 'person' as const, role: 'speaker' as const }]),
    ...(chunk.mentions ?? []).map((name) => ({
      name,
      kind: 'person' as const,
      role: 'mentioned' as const,
    })),
  ]
}

function vectorsOf(chunk: TestChunk, chunkId: number, random: () => number): NewVector[] {
  const make = (kind: VectorKind, ordinal: number, vector: Float32Array): NewVector => ({
    chunkId,
    kind,
    ordinal,
    textHash: Buffer.from(`${chunkId}/${kind}/${ordinal}`.padEnd(16, '.').slice(0, 16)).toString('hex'),
    vector,
  })
  return [
    make('content', 0, chunk.vector ?? unitVector(random)),
    make('window', 0, unitVector(random)),
    ...(chunk.cues ?? []).map((cue, ordinal) => make(cue.kind, ordinal, unitVector(random))),
  ]
}

function entry(chunkId: number, field: 0 | 1, text: string): TermEntry {
  const terms = termsOf(text)
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return { chunkId, field, counts, length: terms.length }
}

/** `searchVectorKinds` for one kind. */
export async function searchVectors(
  q: Queryable,
  { bankId, space }: Pick<TestBank, 'bankId' | 'space'>,
  kind: VectorKind,
  vector: Float32Array,
  limit: number,
  filter: Filter = {},
): Promise<readonly VectorHit[]> {
  const request = { vectors: [vector], kinds: [kind], filter, limit }
  return (await searchVectorKinds(q, bankId, space, request)).get(kind) ?? []
}
