import type { EmbedderChange, EmbedderComparison, EmbedderSpace, EmbedderStatus } from '../../../index.ts'
import { counted } from './layout.ts'
import { printable } from './printable.ts'
import { day, table } from './table.ts'

/** A setting as it is to be from now on; null: not set. */
export interface ToSet {
  readonly setting: string
  readonly variable: string
  readonly value: string | null
}

/** What a memory's settings have to be for it to embed with a space's model; null where only code has it. */
export function settingsToSet(settings: EmbedderSpace['settings']): readonly ToSet[] | null {
  if (settings === null) return null
  const set = (setting: string, value: string | undefined): ToSet => ({
    setting,
    variable: `PROLEPSIS_${setting.toUpperCase()}`,
    value: value ?? null,
  })
  return [
    set('embedder', settings.embedder),
    set('embedder_base_url', settings.embedderBaseUrl),
    set('model_dir', settings.modelDir),
  ]
}

export function renderEmbedderStatus({ migration, spaces }: EmbedderStatus): string {
  const rows = spaces.map((one) => [
    one.space,
    one.state,
    printable(one.modelId),
    one.dimension,
    one.vectors,
    one.missing,
    one.missingDocuments,
    day(one.since),
  ])
  const next = {
    none: '',
    filling: '\n\nThe shadow space is being filled: prolepsis embedder migrate goes on with it.',
    complete:
      '\n\nThe shadow space is complete: prolepsis embedder compare, then prolepsis embedder cut-over.',
  }
  const columns = [
    'space',
    'state',
    'embedding model',
    'dimensions',
    'vectors',
    'missing',
    'of documents',
    'since',
  ]
  return `${table(columns, rows)}${next[migration]}`
}

export function renderChange(change: EmbedderChange): string {
  const { status, active, other, documents, vectors, settings } = change
  const embedded = `Embedded ${counted(documents, 'document')}, ${counted(vectors, 'vector')}.`
  const [now, then] = [printable(active.modelId), printable(other.modelId)]
  if (status === 'filled') {
    return [
      embedded,
      `The space of ${then} is complete. Recalls ask ${now} still.`,
      'Next: prolepsis embedder compare, then prolepsis embedder cut-over.',
    ].join('\n')
  }
  return [
    ...(documents > 0 ? [embedded] : []),
    `Recalls ask ${now} from now on; the vectors of ${then} are kept.`,
    'Every memory on this bank has to embed with that model:',
    ...setLines(settings),
    'To go back: prolepsis embedder back-out. To remove the old vectors: prolepsis embedder drop.',
  ].join('\n')
}

function setLines(settings: EmbedderChange['settings']): string[] {
  const all = settingsToSet(settings)
  if (all === null) return ['  give the model to createMemory({ embedder })']
  return all.map(({ setting, variable, value }) =>
    value === null
      ? `  ${setting} (${variable}): not set`
      : `  ${setting} (${variable}): ${printable(value)}`,
  )
}

/** Passages of each side that are shown. */
const SHOWN_PASSAGES = 3
const SHOWN_CHARACTERS = 100

export function renderComparison(compared: EmbedderComparison): string {
  const { active, other, dense, recall, differing, queries } = compared
  const share = (value: number): string => value.toFixed(3)
  const rows = [dense, recall].map((one, at) => [
    at === 0 ? 'vectors alone' : 'whole recall',
    share(one.overlap),
    share(one.rankBiasedOverlap),
    share(one.sameFirst),
  ])
  const sides = [active, other].map((one) => [
    one.state,
    printable(one.modelId),
    one.missing,
    one.embeddingMs.toFixed(1),
  ])
  const differ = differing.flatMap((one) => [
    '',
    `${printable(one.query)} (overlap ${share(one.overlap)}, rank-biased ${share(one.rankBiasedOverlap)})`,
    ...passages(active.state, one.active),
    ...passages(other.state, one.other),
  ])
  return [
    `${counted(queries, 'question')}, the first ten passages of each.`,
    '',
    table(['space', 'embedding model', 'missing', 'ms a query'], sides),
    '',
    table(['alike by', 'overlap', 'rank-biased', 'same first'], rows),
    ...(differ.length === 0 ? [] : ['', 'Least alike:', ...differ]),
  ].join('\n')
}

function passages(state: string, found: EmbedderComparison['differing'][number]['active']): string[] {
  return [
    `  ${state}:`,
    ...found.slice(0, SHOWN_PASSAGES).map(({ ref, text }, at) => {
      const line = text.replace(/\s+/g, ' ').trim()
      const cut = line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line
      return `    ${at + 1}. ${printable(ref)}  ${printable(cut)}`
    }),
  ]
}
