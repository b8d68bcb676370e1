import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'

export interface MemAwareSession {
  readonly id: string
  readonly date: string
  readonly text: string
}

export interface MemAwareQuestion {
  readonly id: string
  readonly question: string
  readonly difficulty: string
  readonly answerSessionIds: readonly string[]
}

/** JSON lines, gzipped or plain. */
export async function loadSessions(path: string): Promise<readonly MemAwareSession[]> {
  const bytes = await readFile(path)
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as MemAwareSession)
}

export async function loadMemAware(path: string): Promise<readonly MemAwareQuestion[]> {
  const raw = JSON.parse(await readFile(path, 'utf8')) as readonly {
    readonly question_id: string
    readonly question: string
    readonly difficulty: string
    readonly answer_session_ids: readonly string[]
  }[]
  return raw.map((entry) => ({
    id: entry.question_id,
    question: entry.question,
    difficulty: entry.difficulty,
    answerSessionIds: entry.answer_session_ids,
  }))
}
