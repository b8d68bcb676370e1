import type { ChunkCues } from '../../domain/cue.ts'
import { chatCues } from './chat-cues.ts'
import { codeCues } from './code-cues.ts'
import type { CueInput } from './cue-input.ts'
import { dataCues } from './data-cues.ts'
import { proseCues } from './prose-cues.ts'

/**
 * What the rules derive from each chunk of a document version, in the chunks' order: the texts of its `content` and `window` vectors,
 * its cues, the people it names. Pure; never throws on any text; every text fits `maxTokens` and none is blank unless its
 * chunk is. Made one by one as they are asked for.
 */
export function eachCues(input: CueInput): Iterable<ChunkCues> {
  switch (input.document.format) {
    case 'chat':
      return chatCues(input)
    case 'code':
      return codeCues(input)
    case 'json':
    case 'yaml':
    case 'toml':
      return dataCues(input)
    case 'markdown':
    case 'prose':
      return proseCues(input)
  }
}
