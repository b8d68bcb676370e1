import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Memory, RecallOptions, RecallQuery } from '../../src/index.ts'
import { recallPool } from '../../src/testing.ts'
import { type LocomoConversation, loadLocomo, turnsInSpan } from '../data/locomo.ts'
import { loadMemAware, loadSessions } from '../data/memaware.ts'
import { loadMtrag, taskQuery } from '../data/mtrag.ts'
import { retainConversation } from '../quality/locomo.ts'
import { MEMAWARE_PASSAGES, retainSessions } from '../quality/memaware.ts'
import { retainPassages } from '../quality/mtrag.ts'
import { progress } from '../report.ts'
import { type CaseLabels, caseOf, seededRandom, smallCases, type TrainingCase } from './training-case.ts'

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

/** Asks every question of the wanted sets that the folder has, and gives each candidate's features and label. */
export async function collectCases(
  memory: Memory,
  folder: string,
  sets: readonly string[],
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
    const bank = await retainConversation(memory, conversation)
    const others = conversations.filter((one) => one !== conversation)
    const foreign = spread(
      [...others.flatMap((one) => one.questions.map((q) => q.question)), ...(mtrag?.tasks ?? []).map(lastOf)],
      FOREIGN,
    )
    const questions = [...locomoQuestions(conversation, fold), ...foreignQuestions(foreign, 'locomo', fold)]
    await ask(bank, questions, `LoCoMo ${conversation.id}`)
  }
  if (mtrag !== null) {
    const bank = await retainPassages(memory, mtrag.passages)
    const groups = numbering()
    const questions = mtrag.tasks.map((task): Question => {
      const gold = new Set(task.gold)
      const labels = {
        ...{ set: 'mtrag-un', origin: 'asked' as const, relevantCount: gold.size },
        fold: groups(task.conversation) % FOLDS,
        level: task.turn > 1 ? 'mtrag-un' : 'mtrag-un, first turn',
        isRelevant: (chunk: { document: { source: string } }) => gold.has(chunk.document.source),
      }
      return { query: taskQuery(task), labels }
    })
    const foreign = spread(
      strangers.map((q) => q.question),
      FOREIGN * FOLDS,
    )
    await ask(bank, [...questions, ...foreignQuestions(foreign, 'mtrag-un')], 'MTRAG-UN')
  }
  if (isWanted('memaware', memaware)) {
    const bank = await retainSessions(memory, await loadSessions(join(memaware, 'sessions.jsonl.gz')))
    const groups = numbering()
    const questions = (await loadMemAware(join(memaware, 'dev.json'))).map((one): Question => {
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
