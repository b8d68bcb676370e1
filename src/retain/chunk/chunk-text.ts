import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkOptions, ChunkResult } from '../stages.ts'
import { chatDrafts } from './chunk-chat.ts'
import { codeChunks } from './chunk-code.ts'
import { jsonUnits } from './chunk-json.ts'
import { markdownUnits } from './chunk-markdown.ts'
import { proseUnits } from './chunk-prose.ts'
import { tomlUnits } from './chunk-toml.ts'
import { yamlUnits } from './chunk-yaml.ts'
import { packUnits } from './pack-units.ts'
import { type ScannedUnits, type TokenLimits, tokenLimits, type Unit } from './unit.ts'

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
  if (options.format === 'code') {
    const code = await codeChunks(text, options.codeLanguage, limits)
    return { chunks: drafts(text, code.units), notes: code.notes }
  }
  const { units, notes } = unitsOf(text, options)
  return fromUnits(text, units, limits, notes)
}

function unitsOf(text: string, options: ChunkOptions): ScannedUnits {
  switch (options.format) {
    case 'markdown':
      return markdownUnits(text)
    case 'json':
      return jsonUnits(text)
    case 'yaml':
      return yamlUnits(text)
    case 'toml':
      return tomlUnits(text)
    default:
      return { units: proseUnits(text), notes: [] }
  }
}

function fromUnits(
  text: string,
  units: Iterable<Unit>,
  limits: TokenLimits,
  notes: readonly string[],
): ChunkResult {
  return { chunks: drafts(text, packUnits(text, units, limits)), notes }
}

function drafts(text: string, spans: Iterable<Unit>): ChunkDraft[] {
  const made: ChunkDraft[] = []
  for (const { start, end, kind, label, attributes } of spans) {
    const draft = { text: text.slice(start, end), kind, label, speaker: null, occurredAt: null }
    made.push({ ...draft, content: null, attributes })
  }
  return made
}
