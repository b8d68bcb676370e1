import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LanguageModel, Memory, RecallOptions, RecallQuery } from '../../src/index.ts'
import { recallPool } from '../../src/testing.ts'
import { type LocomoConversation, loadLocomo, turnsInSpan } from '../data/locomo.ts'
import { loadMemAware, loadSessions } from '../data/memaware.ts'
import { loadMtrag, taskQuery } from '../data/mtrag.ts'
import {
  createRecordedModel,
  loadMemAwarePool,
  loadPassageQuestions,
  loadRecordedLocomo,
  loadRecordedMemAware,
  loadRecordedMtrag,
  plain,
  type Recorded,
} from '../data/recorded-model.ts'
import { retainConversation } from '../quality/locomo.ts'
import { MEMAWARE_PASSAGES, retainSessions } from '../quality/memaware.ts'
import { retainPassages } from '../quality/mtrag.ts'
import { progress } from '../report.ts'
import { type CaseLabels, caseOf, seededRandom, smallCases, type TrainingCase } from './training-case.ts'

/** What was recorded for every set that the folder has, as one model. */
export async function recordedModel(folder: string): Promise<LanguageModel> {
  const parts: Recorded[] = []
  const locomo = join(folder, 'locomo')
  if (existsSync(join(locomo, 'recorded')))
    parts.push(await loadRecordedLocomo(join(locomo, 'recorded'), await loadLocomo(join(locomo, 'dev.json'))))
  const memaware = join(folder, 'memaware')
  if (existsSync(join(memaware, 'recorded.jsonl')))
    parts.push(await loadRecordedMemAware(memaware, await loadSessions(join(memaware, 'sessions.jsonl.gz'))))
  return createRecordedModel({
    passages: new Map(parts.flatMap(({ passages }) => [...passages])),
    formulated: new Map(),
  })
}

/** Folds of the sets that have no conversations of their own to leave out. */
const FOLDS = 5
/** Candidates of the banks that `small` cases stand for. */
const SMALL_SIZES: readonly number[] = [1, 2, 3, 5, 10, 25]
/** Questions of other sets and conversations that each bank is asked. */
const FOREIGN = 16

interface Question {
  readonly query: RecallQuery
  readonly labels: CaseLabels
  readonly limit?: number
}

/**
 * Asks every question of the wanted sets that the folder has, and gives each candidate's features and label.
 *
 * @param recorded banks with questions that a model wrote (`recordedModel` must be the memory's); MTRAG-UN is asked with formulated questions too
 */
export async function collectCases(
  memory: Memory,
  folder: string,
  sets: readonly string[],
  recorded = false,
): Promise<TrainingCase[]> {
  const random = seededRandom(20_231_107)
  const [locomo, mtragFolder, memaware] = ['locomo/dev.json', 'mtrag-un', 'memaware'].map((path) =>
    join(folder, path),
  ) as [string, string, string] // three paths
  const isWanted = (set: string, path: string): boolean => sets.includes(set) && existsSync(path)
  const conversations = isWanted('locomo', locomo) ? await loadLocomo(locomo) : []
  const mtrag = isWanted('mtrag', mtragFolder) ? await loadMtrag(mtragFolder) : null
  const strangers = (existsSync(locomo) ? await loadLocomo(locomo) : []).flatMap((one) =>
    one.questions.slice(0, 2 * FOREIGN),
  )
  const cases: TrainingCase[] = []
  const ask = async (bank: Memory, questions: readonly Question[], name: string): Promise<void> => {
    for (const [i, { query, labels, limit }] of questions.entries()) {
      progress(`${name}: question ${i + 1} of ${questions.length}`)
      const options: RecallOptions = limit === undefined ? {} : { limit }
      const pool = await recallPool(bank, query, options)
      if (pool.chunks.length === 0) continue
      cases.push(caseOf(pool, labels), ...smallCases(pool, labels, SMALL_SIZES, random))
    }
  }
  for (const [fold, conversation] of conversations.entries()) {
    const bank = await retainConversation(memory, conversation, recorded ? '-recorded' : '')
    const others = conversations.filter((one) => one !== conversation)
    const foreign = spread(
      [...others.flatMap((one) => one.questions.map((q) => q.question)), ...(mtrag?.tasks ?? []).map(lastOf)],
      FOREIGN,
    )
    const questions = [...locomoQuestions(conversation, fold), ...foreignQuestions(foreign, 'locomo', fold)]
    await ask(bank, questions, `LoCoMo ${conversation.id}`)
  }
  if (mtrag !== null) {
    const bank = recorded
      ? await retainPassages(memory, mtrag.passages, {
          ...{ bank: 'mtrag-recorded', questions: await loadPassageQuestions(mtragFolder) },
        })
      : await retainPassages(memory, mtrag.passages)
    const groups = numbering()
    const formulated = recorded ? await loadRecordedMtrag(mtragFolder, mtrag.tasks) : null
    const questions = mtrag.tasks.flatMap((task): Question[] => {
      const gold = new Set(task.gold)
      const labels = {
        ...{ set: 'mtrag-un', origin: 'asked' as const, relevantCount: gold.size },
        fold: groups(task.conversation) % FOLDS,
        level: task.turn > 1 ? 'mtrag-un' : 'mtrag-un, first turn',
        isRelevant: (chunk: { document: { source: string } }) => gold.has(chunk.document.source),
      }
      const query = taskQuery(task)
      const queries = formulated?.formulated.get(plain(query.message))
      return [{ query, labels }, ...(queries === undefined ? [] : [{ query: { ...query, queries }, labels }])]
    })
    const foreign = spread(
      strangers.map((q) => q.question),
      FOREIGN * FOLDS,
    )
    await ask(bank, [...questions, ...foreignQuestions(foreign, 'mtrag-un')], 'MTRAG-UN')
  }
  if (isWanted('memaware', memaware)) {
    const all = await loadSessions(join(memaware, 'sessions.jsonl.gz'))
    const pool = recorded ? await loadMemAwarePool(memaware) : null
    const sessions = all.filter(({ id }) => pool === null || pool.sessions.has(id))
    const bank = await retainSessions(memory, sessions, recorded ? 'memaware-recorded' : 'memaware')
    const groups = numbering()
    const wanted = (await loadMemAware(join(memaware, 'dev.json'))).filter(
      ({ id }) => pool === null || pool.questions.has(id),
    )
    const questions = wanted.map((one): Question => {
      const gold = new Set(one.answerSessionIds)
      const labels = {
        ...{ set: 'memaware', origin: 'asked' as const, byDocument: true, level: one.difficulty },
        ...{ fold: groups([...gold].sort().join()) % FOLDS, relevantCount: gold.size },
        isRelevant: (chunk: { document: { source: string } }) => gold.has(chunk.document.source),
      }
      return { query: one.question, labels, limit: MEMAWARE_PASSAGES }
    })
    const foreign = spread(
      strangers.map((q) => q.question),
      FOREIGN * FOLDS,
    )
    await ask(bank, [...questions, ...foreignQuestions(foreign, 'memaware', undefined, true)], 'MemAware')
  }
  return cases
}

function locomoQuestions(conversation: LocomoConversation, fold: number): Question[] {
  const sessions = new Map(conversation.sessions.map((session) => [session.source, session]))
  return conversation.questions.flatMap(({ question, evidence, category }): Question[] => {
    if (category !== 5 && evidence.length === 0) return []
    const gold = new Set(category === 5 ? [] : evidence)
    const labels: CaseLabels = {
      ...{ set: 'locomo', fold, relevantCount: gold.size },
      origin: category === 5 ? 'adversarial' : 'asked',
      isRelevant: ({ document, span }) => {
        const session = sessions.get(document.source)
        if (session === undefined) return false
        return turnsInSpan(session, span.startLine, span.endLine).some((id) => gold.has(id))
      },
    }
    return [{ query: question, labels }]
  })
}

function foreignQuestions(
  texts: readonly string[],
  set: string,
  fold?: number,
  byDocument = false,
): Question[] {
  return texts.map((query, i) => ({
    query,
    labels: {
      ...{ set, origin: 'foreign', byDocument, relevantCount: 0, fold: fold ?? i % FOLDS },
      isRelevant: () => false,
    },
  }))
}

const lastOf = (task: { readonly messages: readonly { readonly content: string }[] }): string =>
  task.messages.at(-1)?.content ?? ''

/** `count` items, evenly spread over the list. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count)
  return Array.from({ length: Math.min(count, items.length) }, (_, i) => items[Math.floor(i * step)]!)
}

/** A number for each new name, from 0. */
function numbering(): (name: string) => number {
  const known = new Map<string, number>()
  return (name) => {
    const number = known.get(name) ?? known.size
    known.set(name, number)
    return number
  }
}
