import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CUE_KINDS, VECTOR_KINDS } from '../../src/domain/cue.ts'
import { CHANNELS, FUSIONS, RECALL_MODES, TRUST_LEVELS } from '../../src/index.ts'
import { documentsIn, namesIn, tableRows } from '../support/doc-tables.ts'
import { ROOT, textOf } from './imports.ts'

describe('docs/glossary.md', () => {
  const meaning = new Map(tableRows(textOf('docs/glossary.md'), 'word').map(([word, text]) => [word, text]))

  test.each([
    ['vector kind', VECTOR_KINDS],
    ['cue', CUE_KINDS],
    ['channel', CHANNELS],
    ['fusion', FUSIONS],
    ['mode', RECALL_MODES],
    ['trust', TRUST_LEVELS],
  ])('the entry "%s" names what the code has', (word, names) => {
    expect(namesIn(meaning.get(word))).toEqual([...names])
  })

  /** Words that others use for ours. One that is meant in another sense is written out of the way. */
  const RIVALS: Readonly<Record<string, RegExp>> = {
    bank: /\b(namespaces?|workspaces?|collections?)\b/i,
    chunk: /\b(fragments?|segments?)\b/i,
    recall: /\b(retrievals? (call|result)s?|lookups?)\b/i,
    retain: /\b(memori[sz]e[sd]?|upserts?)\b/i,
    forget: /\b(purges?|purged|erases?)\b/i,
    passage: /\b(search results?|search hits?)\b/i,
    'data folder': /\b(data director(y|ies)|db path)\b/i,
  }
  const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', ...documentsIn('docs')]

  test.each(Object.entries(RIVALS))('the documents say "%s" and none of its rivals', (_word, rivals) => {
    const found = DOCUMENTS.flatMap((document) =>
      textOf(document)
        .split('\n')
        .flatMap((line, i) => (rivals.test(line) ? [`${document}:${i + 1}: ${line.trim()}`] : [])),
    )
    expect(found).toEqual([])
  })
})

test('every decision record is listed in docs/decisions/README.md, and no other', () => {
  const records = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-.*\.md$/.test(name))
  const listed = [
    ...textOf('docs/decisions/README.md').matchAll(/^\* \[(\d{4})\]\((\1-[a-z0-9-]+\.md)\): \S/gm),
  ]
  expect(listed.map((match) => match[2])).toEqual(records.sort())
})

test('NOTICE names every grammar with its package and version, and the model', () => {
  const notice = textOf('NOTICE')
  const shipped = readdirSync(join(ROOT, 'grammars')).filter((name) => name.endsWith('.wasm'))
  const origins = [...textOf('grammars/README.md').matchAll(/^\* `(\S+)`: (\S+) (\S+)$/gm)]
  expect(origins.map((match) => match[1]).sort()).toEqual(shipped.sort())
  for (const [, file, name, version] of origins) {
    expect(notice.replaceAll(/ +/g, ' ')).toContain(` grammars/${file} ${name} ${version} MIT `)
  }
  const models = readdirSync(join(ROOT, 'models'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  for (const { name } of models) expect(notice).toContain(`models/${name} `)
})
