import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface MtragPassage {
  readonly id: string
  readonly text: string
}

export interface MtragTask {
  readonly id: string
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
    jsonLines<MtragTask>(join(folder, 'dev.jsonl')),
  ])
  return { passages, tasks }
}
