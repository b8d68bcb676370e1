import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface MtragPassage {
  readonly id: string
  readonly text: string
}

export interface MtragTask {
  readonly id: string
  /** Tasks of a conversation share it. */
  readonly conversation: string
  readonly turn: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly gold: readonly string[]
}

async function jsonLines<T>(path: string): Promise<readonly T[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T)
}

export async function loadMtrag(
  folder: string,
): Promise<{ readonly passages: readonly MtragPassage[]; readonly tasks: readonly MtragTask[] }> {
  const [passages, tasks] = await Promise.all([
    jsonLines<MtragPassage>(join(folder, 'passages.jsonl')),
    jsonLines<Omit<MtragTask, 'conversation'>>(join(folder, 'dev.jsonl')),
  ])
  // `conversation<::>turn`
  return { passages, tasks: tasks.map((task) => ({ ...task, conversation: task.id.split('<::>')[0] ?? '' })) }
}

/** The last message, with what was said before it. */
export function taskQuery(task: MtragTask): {
  readonly message: string
  readonly history: MtragTask['messages']
} {
  return { message: task.messages.at(-1)?.content ?? '', history: task.messages.slice(0, -1) }
}
