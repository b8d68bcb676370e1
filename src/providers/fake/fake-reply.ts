import type { GenerateRequest } from '../language-model.ts'

/**
 * A reply of the form that is asked for, made of the prompt's own words: numbers and ids that stand before a block of stored text are given back,
 * texts are sentences of it. Without a form: its first sentences.
 */
export function fakeReply({ schema, prompt }: GenerateRequest): string {
  const sentences = sentencesOf(prompt)
  if (schema === undefined) return sentences.slice(0, 2).join(' ')
  return JSON.stringify(valueFor(schema, 'reply', { sentences, ids: idsOf(prompt), at: 0 }))
}

interface Source {
  readonly sentences: readonly string[]
  readonly ids: readonly number[]
  /** Which item of an array this is. */
  readonly at: number
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
    const id = source.ids[source.at] ?? source.at + 1
    return typeof minimum === 'number' ? Math.max(minimum, id) : id
  }
  if (type !== 'string') return null
  const sentence = source.sentences[source.at % Math.max(1, source.sentences.length)] ?? ''
  return /quer|question/i.test(name) ? questionOf(sentence) : sentence
}

function arrayOf(items: unknown, name: string, source: Source): unknown[] {
  const isObjects = typeof items === 'object' && items !== null && Reflect.get(items, 'type') === 'object'
  // one object for each block that has an id; else as many texts as there are sentences
  const wanted =
    isObjects && source.ids.length > 0 ? source.ids.length : Math.min(MOST_ITEMS, source.sentences.length)
  return Array.from({ length: wanted }, (_, at) => valueFor(items, name, { ...source, at }))
}

/** Sentences of the stored text (lines after `> `), or of the prompt where nothing is quoted. */
function sentencesOf(prompt: string): string[] {
  const quoted = [...prompt.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line ?? '')
  const text = quoted.length > 0 ? quoted.join('\n') : prompt
  return (text.match(/[^.!?。\n]+[.!?。]?/g) ?? []).map((some) => some.trim()).filter((some) => some !== '')
}

/** Numbers that head blocks: `[3]`, `## 3`, `id: 3`. */
function idsOf(prompt: string): number[] {
  return [...prompt.matchAll(/^(?:\[(\d+)\]|#+ (?:\w+ )?(\d+)|(?:id|chunk)[: ]+(\d+))/gim)].map(
    ([, a, b, c]) => Number(a ?? b ?? c),
  )
}

const questionOf = (sentence: string): string =>
  sentence === '' ? 'What is there to know?' : `What is known of: ${sentence.replace(/[.!?。]+$/, '')}?`
