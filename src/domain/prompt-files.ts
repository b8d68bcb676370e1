import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { isBlank } from './blank.ts'
import { ProlepsisError } from './errors.ts'
import { didYouMean } from './nearest-name.ts'
import { assertWellFormed } from './well-formed.ts'

/** What a language model is told. */
export interface Prompt {
  readonly name: string
  readonly text: string
  /** The number in the file's name, or `sha256:` and 12 hex digits of a text that replaces it. */
  readonly version: string
}

/** Prompts that a bank or a call can replace: what is to be done. How the reply must look is added by the engine and stays. */
export const PROMPT_NAMES = [
  'questions',
  'formulate',
  'answer',
  'check',
  'map',
  'reduce',
  'rerank',
  'draft',
] as const
export type PromptName = (typeof PROMPT_NAMES)[number]

/** Texts that replace prompts, by name: the option `prompts` of a call, the setting `prompts` of a bank. */
export type PromptTexts = { readonly [Name in PromptName]?: string }

/** Longest text that may replace a prompt, characters: more is a mistake, and is paid for with every call. */
export const MAX_PROMPT_LENGTH = 20_000

const FOLDER = new URL('../../prompts/', import.meta.url)

/** Files never change while a process runs, so one copy serves it whole. */
const loaded = new Map<string, Promise<Prompt>>()

/** The highest version of a prompt of the package. @throws ProlepsisError NOT_FOUND */
export function loadPrompt(name: string): Promise<Prompt> {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const loading = readPrompt(name)
  loaded.set(name, loading)
  // a read that failed is tried again by the next call
  loading.catch(() => loaded.delete(name))
  return loading
}

async function readPrompt(name: string): Promise<Prompt> {
  const versions = (await readdir(FOLDER)).flatMap((file) => {
    const [, of, version] = /^([a-z-]+)\.(\d+)\.md$/.exec(file) ?? []
    return of === name ? [Number(version)] : []
  })
  if (versions.length === 0) {
    throw new ProlepsisError('NOT_FOUND', `The package has no prompt "${name}".`, {
      hint: 'Its folder prompts/ is incomplete: install the package again.',
      details: { prompt: name },
    })
  }
  const version = String(Math.max(...versions))
  const text = await readFile(new URL(`${name}.${version}.md`, FOLDER), 'utf8')
  return { name, text: text.trim(), version }
}

/** The prompt that counts: the call's, else the bank's, else the package's. */
export async function choosePrompt(
  name: PromptName,
  ofCall: PromptTexts | undefined,
  /** The settings of the bank; what is not a text there is passed over. */
  ofBank: Readonly<Record<string, unknown>> | undefined,
): Promise<Prompt> {
  const text = ofCall?.[name] ?? textIn(ofBank?.prompts, name)
  return text === undefined ? loadPrompt(name) : replacement(name, text)
}

/** A text in place of the package's prompt. */
export function replacement(name: PromptName, text: string): Prompt {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { name, text, version: `sha256:${hash}` }
}

function textIn(prompts: unknown, name: PromptName): string | undefined {
  if (typeof prompts !== 'object' || prompts === null) return undefined
  const text: unknown = Reflect.get(prompts, name)
  return typeof text === 'string' ? text : undefined
}

/** `questions@1`: how a prompt is named beside what was made with it. */
export function promptId({ name, version }: Prompt): string {
  return `${name}@${version}`
}

/** Puts values of the engine's own in place of `{{name}}`. Other marks stay as they are: a replaced prompt may speak of them. */
export function fillPrompt(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : mark,
  )
}

/**
 * Checks texts that replace prompts, as a call or a bank gives them.
 *
 * @param names those that the call uses
 * @throws ProlepsisError INVALID_ARGUMENT, UNKNOWN_OPTION, INVALID_TEXT; details.option names it
 */
export function checkPrompts(
  value: unknown,
  option = 'prompts',
  names: readonly PromptName[] = PROMPT_NAMES,
): PromptTexts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(option, `${option} must be an object of texts by prompt.`, names)
  }
  for (const [name, text] of Object.entries(value)) {
    const at = `${option}.${name.slice(0, 60)}`
    if (!names.some((known) => known === name)) {
      throw new ProlepsisError('UNKNOWN_OPTION', `There is no prompt "${name.slice(0, 60)}" in ${option}.`, {
        hint: didYouMean(name, names, `It takes ${names.join(', ')}.`),
        details: { option: at },
      })
    }
    if (typeof text !== 'string' || isBlank(text)) throw invalid(at, `${at} must be a text.`, names)
    assertWellFormed(text, at)
    if (text.length > MAX_PROMPT_LENGTH) {
      throw invalid(at, `${at} has ${text.length} characters: at most ${MAX_PROMPT_LENGTH} are taken.`, names)
    }
  }
  return { ...value }
}

function invalid(option: string, message: string, names: readonly PromptName[]): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', message, {
    hint: `For example prompts: { ${names[0] ?? 'questions'}: 'Write …' }; leave it out for the package's own.`,
    details: { option },
  })
}
