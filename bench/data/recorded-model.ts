import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GenerateRequest, GenerateResult, LanguageModel } from '../../src/index.ts'
import type { LocomoConversation } from './locomo.ts'
import type { MemAwareSession } from './memaware.ts'

/** What a strong model wrote for one passage. */
export interface RecordedPassage {
  readonly questions: readonly string[]
  readonly statement: string
  readonly concepts: readonly string[]
}

/** Recorded output by what it was written for, each key as `passageKey` or `plain` makes it. */
export interface Recorded {
  readonly passages: ReadonlyMap<string, RecordedPassage>
  /** Stand-alone questions by message. */
  readonly formulated: ReadonlyMap<string, readonly string[]>
}

const NOTHING: RecordedPassage = { questions: [], statement: '', concepts: [] }

/**
 * A language model that gives back what another one wrote: asked for the questions of passages, those that were recorded for them (none for
 * a passage without); asked to formulate, those recorded for the message. So the engine does all that it does with a model: batches, reads
 * the reply, cleans, filters, embeds, fuses.
 */
export function createRecordedModel(recorded: Recorded): LanguageModel {
  return {
    modelId: 'recorded:strong',
    async generate(request) {
      if (request.purpose === 'questions')
        return replyTo(request, { passages: passagesOf(request, recorded) })
      if (request.purpose === 'formulate')
        return replyTo(request, { questions: formulatedOf(request, recorded) })
      throw new Error(`nothing is recorded for "${request.purpose}"`)
    },
  }
}

/** Of English in the usual vocabularies: what a vendor would count, within a tenth or so. */
const CHARS_A_TOKEN = 4

function replyTo({ system, prompt }: GenerateRequest, value: unknown): GenerateResult {
  const text = JSON.stringify(value)
  const tokens = (characters: number): number => Math.ceil(characters / CHARS_A_TOKEN)
  return {
    text,
    finishReason: 'stop',
    usage: {
      ...{ inputTokens: tokens(system.length + prompt.length), outputTokens: tokens(text.length) },
      ...{ reasoningTokens: null, costUsd: null },
    },
  }
}

function passagesOf(
  { prompt }: GenerateRequest,
  { passages }: Recorded,
): readonly (RecordedPassage & { readonly id: number })[] {
  return [...prompt.matchAll(/^<passage (\d+),[^\n]*>\n([\s\S]*?)\n<\/passage \1>$/gm)].map((block) => {
    const lines = (block[2] ?? '').split('\n').map((line) => line.replace(/^> ?/, ''))
    const date = lines.find((line) => line.startsWith('date: '))?.slice(6, 16) ?? ''
    const text = lines.filter((line) => !/^(heading|speaker|date): /.test(line)).join('\n')
    return { id: Number(block[1]), ...(passages.get(passageKey(text, date)) ?? NOTHING) }
  })
}

function formulatedOf({ prompt }: GenerateRequest, { formulated }: Recorded): readonly string[] {
  const block = /^<message>\n([\s\S]*?)\n<\/message>$/m.exec(prompt)?.[1] ?? ''
  const questions = formulated.get(plain(block.replaceAll(/^> ?/gm, '')))
  if (questions === undefined) throw new Error('no questions are recorded for this message')
  return questions
}

/** Letters and digits: how a chunk is shown differs in spaces and marks from how a set has it. */
export function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** @param date `2023-05-08`, or empty where a set has none */
export function passageKey(text: string, date: string): string {
  return `${date} ${plain(text.replace(/\[(shares a picture|image): [^\]]*\]/g, ''))}`
}

async function jsonLines<T>(path: string): Promise<readonly T[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => JSON.parse(line) as T)
}

/** `conv-*.jsonl` of a folder: questions and a fact for each turn that tells something. */
export async function loadRecordedLocomo(
  folder: string,
  conversations: readonly LocomoConversation[],
): Promise<Recorded> {
  const files = (await readdir(folder)).filter((name) => /^conv-.*\.jsonl$/.test(name))
  if (files.length === 0) throw new Error(`${folder} holds no conv-*.jsonl`)
  const passages = new Map<string, RecordedPassage>()
  for (const { id, sessions } of conversations) {
    const file = files.find((name) => name === `${id}.jsonl`)
    if (file === undefined) throw new Error(`${folder} holds nothing for ${id}`)
    const lines = await jsonLines<{ dia_id: string; questions: readonly string[]; fact?: string }>(
      join(folder, file),
    )
    const byTurn = new Map(lines.map((line) => [line.dia_id, line]))
    for (const { text, turns, occurredAt } of sessions) {
      const said = text.split('\n')
      for (const { id: turn, startLine, endLine } of turns) {
        const line = byTurn.get(turn)
        if (line === undefined) continue
        const words = said
          .slice(startLine - 1, endLine)
          .join('\n')
          .replace(/^[^:]*: /, '')
        passages.set(passageKey(words, occurredAt.slice(0, 10)), {
          ...{ questions: line.questions, statement: line.fact ?? '', concepts: [] },
        })
      }
    }
  }
  return { passages, formulated: new Map() }
}

/** `formulated.jsonl` of MTRAG-UN: questions from the history and the last message. */
export async function loadRecordedMtrag(
  folder: string,
  tasks: readonly { readonly id: string; readonly messages: readonly { readonly content: string }[] }[],
): Promise<Recorded> {
  const lines = await jsonLines<{ id: string; questions: readonly string[] }>(
    join(folder, 'formulated.jsonl'),
  )
  const byTask = new Map(lines.map(({ id, questions }) => [id, questions]))
  const formulated = new Map<string, readonly string[]>()
  for (const { id, messages } of tasks) {
    const questions = byTask.get(id)
    if (questions !== undefined) formulated.set(plain(messages.at(-1)?.content ?? ''), questions)
  }
  return { passages: new Map(), formulated }
}

/**
 * `recorded.jsonl` of MemAware: facts about the user and future situations, for a session as a whole. They are given to the session's user turns in
 * turn, since a writer is asked chunk by chunk.
 */
export async function loadRecordedMemAware(
  folder: string,
  sessions: readonly MemAwareSession[],
): Promise<Recorded> {
  const lines = await jsonLines<{
    session_id: string
    facts: readonly string[]
    cues: readonly string[]
  }>(join(folder, 'recorded.jsonl'))
  const bySession = new Map(lines.map((line) => [line.session_id, line]))
  const passages = new Map<string, RecordedPassage>()
  for (const { id, date, text } of sessions) {
    const line = bySession.get(id)
    if (line === undefined) continue
    const turns = [...text.matchAll(/^User: ([\s\S]*?)(?=\n(?:User|Assistant): |$(?![\s\S]))/gm)]
    for (const [at, turn] of turns.entries()) {
      const mine = <T>(list: readonly T[]): readonly T[] => list.filter((_, i) => i % turns.length === at)
      passages.set(passageKey(turn[1] ?? '', date), {
        ...{ questions: [], statement: mine(line.facts).join('. '), concepts: mine(line.cues) },
      })
    }
  }
  return { passages, formulated: new Map() }
}

/** `pool.json` of MemAware: the sessions that were recorded, and the requests to ask of them. */
export async function loadMemAwarePool(
  folder: string,
): Promise<{ readonly sessions: ReadonlySet<string>; readonly questions: ReadonlySet<string> }> {
  // the data's README has its form
  const pool = JSON.parse(await readFile(join(folder, 'pool.json'), 'utf8')) as Record<string, string[]>
  return { sessions: new Set(pool.sessions), questions: new Set(pool.questions) }
}

/** `questions.jsonl` of MTRAG-UN: questions by passage. */
export async function loadPassageQuestions(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = await jsonLines<{ id: string; questions: readonly string[] }>(join(folder, 'questions.jsonl'))
  return new Map(lines.map(({ id, questions }) => [id, questions]))
}
