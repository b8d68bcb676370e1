import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

const READ = /\.(md|markdown|ts|tsx|mts|js|mjs|cjs|jsx|py|go|rs|java|c|h|cpp|cs|rb|php|txt)$/i
const MAX_BYTES = 400_000

export interface CorpusFile {
  readonly source: string
  readonly text: string
}

/** Real text files below a folder, sorted by path, each content once; minified and huge files left out. */
export async function* walkCorpus(folder: string): AsyncGenerator<CorpusFile> {
  const seen = new Set<string>()
  for (const path of await listFiles(folder)) {
    const { size } = await stat(path)
    if (size < 200 || size > MAX_BYTES) continue
    const bytes = await readFile(path)
    const text = bytes.toString('utf8')
    if (text.includes('\0') || text.includes('\uFFFD') || longestLine(text) > 2_000 || seen.has(text))
      continue
    seen.add(text)
    yield { source: relative(folder, path), text }
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await listFiles(path)))
    else if (entry.isFile() && READ.test(entry.name)) found.push(path)
  }
  return found
}

function longestLine(text: string): number {
  let longest = 0
  for (const line of text.split('\n')) longest = Math.max(longest, line.length)
  return longest
}

/** Sentences of the corpus that read like something to ask for: 5 to 20 words. */
export function questionsFrom(texts: readonly string[], count: number): string[] {
  const sentences: string[] = []
  for (const text of texts) {
    for (const sentence of text.split(/(?<=[.?!])\s+|\n{2,}/)) {
      const words = sentence.trim().split(/\s+/)
      if (words.length >= 5 && words.length <= 20 && /^[A-Z][a-z]/.test(sentence.trim()))
        sentences.push(words.join(' '))
    }
  }
  const step = Math.max(1, Math.floor(sentences.length / count))
  return sentences.filter((_, index) => index % step === 0).slice(0, count)
}
