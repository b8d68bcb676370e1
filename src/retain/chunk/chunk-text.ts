import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkOptions, ChunkResult } from '../stages.ts'
import { chatDrafts } from './chunk-chat.ts'
import { markdownUnits } from './chunk-markdown.ts'
import { proseUnits } from './chunk-prose.ts'
import { packUnits } from './pack-units.ts'
import { type TokenLimits, tokenLimits, type Unit } from './unit.ts'

/**
 * Cuts a text into whole chunks of at most `maxTokens`. Their texts, joined, are the text exactly; none is empty,
 * and none is white space only unless the whole text is.
 */
export async function chunkText(text: string, options: ChunkOptions): Promise<ChunkResult> {
  const limits = tokenLimits(options.maxTokens, options.countTokens)
  if (options.format === 'chat') {
    const chat = chatDrafts(text, limits)
    if (chat !== null) return chat
    return fromUnits(text, proseUnits(text), limits, ['no turns found: cut as prose'])
  }
  const { units, notes } = await unitsOf(text, options)
  return fromUnits(text, units, limits, notes)
}

interface UnitsAndNotes {
  readonly units: readonly Unit[]
  readonly notes: readonly string[]
}

async function unitsOf(text: string, options: ChunkOptions): Promise<UnitsAndNotes> {
  switch (options.format) {
    case 'markdown':
      return markdownUnits(text)
    default:
      return { units: proseUnits(text), notes: [] }
  }
}

function fromUnits(
  text: string,
  units: readonly Unit[],
  limits: TokenLimits,
  notes: readonly string[],
): ChunkResult {
  const chunks = packUnits(text, units, limits).map(
    (unit): ChunkDraft => ({
      text: text.slice(unit.start, unit.end),
      kind: unit.kind,
      label: unit.label,
      speaker: null,
      occurredAt: null,
      content: null,
      attributes: unit.attributes,
    }),
  )
  return { chunks, notes }
}
