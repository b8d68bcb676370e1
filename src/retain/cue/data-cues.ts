import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkCues } from '../../domain/cue.ts'
import { spoken } from './code-cues.ts'
import type { CueInput } from './cue-input.ts'
import { boundCues, fitTokens, lexicalStatements } from './cue-limits.ts'

/** Cues of JSON, YAML and TOML: the key path in words, and what stands there. */
export function* dataCues(input: CueInput): Generator<ChunkCues, void, undefined> {
  for (const chunk of input.chunks) yield cuesOfKey(chunk, input)
}

function cuesOfKey(chunk: ChunkDraft, input: CueInput): ChunkCues {
  const path = chunk.label?.trim() ?? ''
  const shorten = (text: string): string => fitTokens(text, input.maxTokens, input.countTokens)
  const head = [input.document.title?.trim() || input.document.source, path]
    .filter((part) => part !== '')
    .join(' ')
  const words = spoken(path)
  return {
    contentText: shorten(`${head}\n${chunk.text.trim()}`),
    windowText: null,
    cues: boundCues(
      lexicalStatements([words, chunk.text.trim()].filter((text) => text !== '')).map((cue) => ({
        ...cue,
        text: shorten(cue.text),
      })),
    ),
    mentions: [],
  }
}
