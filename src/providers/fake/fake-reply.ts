import type { GenerateRequest } from '../language-model.ts'

/**
 * A reply of the form that is asked for, made of the prompt's own words: numbers and ids that stand before a block of stored text are given back,
 * texts are sentences of it. Without a form: its first sentences.
 */
export function fakeReply({ schema, prompt }: GenerateRequest): string {
  const sentences = sentencesOf(prompt)
  if (schema === undefined) return sentences.slice(0, 2).join(' ')
  return JSON.stringify(valueFor(schema, 'reply', { sentences, blocks: blocksOf(prompt), at: 0 }))
}

interface Source {
  readonly sentences: readonly string[]
  readonly blocks: readonly Block[]
  /** Which item of an array this is. */
  readonly at: number
}

/** Stored text under its number. */
interface Block {
  readonly id: number
  readonly sentences: readonly string[]
}

const MOST_ITEMS = 3

function valueFor(schema: unknown, name: string, source: Source): unknown {
  if (typeof schema !== 'object' || schema === null) return null
  const {
    type,
    properties,
    items,
    enum: values,
    const: only,
    anyOf,
    oneOf,
    minimum,
  } = schema as Record<string, unknown> // each member is checked
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return valueFor(branches[0], name, source)
  if (type === 'object') {
    const members = Object.entries(properties ?? {})
    return Object.fromEntries(members.map(([key, member]) => [key, valueFor(member, key, source)]))
  }
  if (type === 'array') return arrayOf(items, name, source)
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') {
    const id = source.blocks[source.at]?.id ?? source.at + 1
    return typeof minimum === 'number' ? Math.max(minimum, id) : id
  }
  if (type !== 'string') return null
  const sentence = source.sentences[source.at % Math.max(1, source.sentences.length)] ?? ''
  return /quer|question/i.test(name) ? questionOf(sentence) : sentence
}

function arrayOf(items: unknown, name: string, source: Source): unknown[] {
  const isObjects = typeof items === 'object' && items !== null && Reflect.get(items, 'type') === 'object'
  // one object for each block that has an id, of its own words; else as many texts as there are sentences
  if (isObjects && source.blocks.length > 0) {
    return source.blocks.map(({ sentences }, at) => {
      const own = sentences.length === 0 ? source.sentences : sentences
      return valueFor(items, name, { ...source, sentences: own, at })
    })
  }
  const wanted = Math.min(MOST_ITEMS, source.sentences.length)
  return Array.from({ length: wanted }, (_, at) => valueFor(items, name, { ...source, at }))
}

/** Sentences of the stored text (lines after `> `), or of the prompt where nothing is quoted. */
function sentencesOf(prompt: string): string[] {
  const quoted = [...prompt.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line ?? '')
  const text = quoted.length > 0 ? quoted.join('\n') : prompt
  return (text.match(/[^.!?。\n]+[.!?。]?/g) ?? []).map((some) => some.trim()).filter((some) => some !== '')
}

const HEAD = /^(?:\[(\d+)\]|#+ (?:\w+ )?(\d+)|(?:id|chunk)[: ]+(\d+)|<\w+ (\d+))/gim

/** Blocks by the number that heads each: `[3]`, `## 3`, `id: 3`, `<passage 3>`. */
function blocksOf(prompt: string): Block[] {
  const heads = [...prompt.matchAll(HEAD)]
  return heads.map((head, at) => {
    const [, a, b, c, d] = head
    const [text = ''] = prompt.slice(head.index, heads[at + 1]?.index).split(/^<\//m)
    return { id: Number(a ?? b ?? c ?? d), sentences: /^> /m.test(text) ? sentencesOf(text) : [] }
  })
}

const questionOf = (sentence: string): string =>
  sentence === '' ? 'What is there to know?' : `What is known of: ${sentence.replace(/[.!?。]+$/, '')}?`
