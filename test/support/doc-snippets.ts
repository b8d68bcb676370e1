import { fileURLToPath } from 'node:url'
/** A TypeScript block of a document. */
export interface Snippet {
  /** Line of the document on which its code begins, from 1. */
  readonly line: number
  readonly code: string
  /** Marked `no-run`: it stands alone and is only type-checked. The others of a document are one program, in order. */
  readonly runs: boolean
}

const BLOCK = /^```(?:ts|typescript)( no-run)?\n([\s\S]*?)^```$/gm

export function snippetsOf(document: string): Snippet[] {
  return [...document.matchAll(BLOCK)].map((match) => ({
    line: document.slice(0, match.index).split('\n').length + 1,
    code: match[2] ?? '',
    runs: match[1] === undefined,
  }))
}

/** Modules to type-check: the program of a document, and each block that stands alone. */
export function modulesOf(snippets: readonly Snippet[]): string[] {
  const program = snippets.filter(({ runs }) => runs).map(({ code }) => code)
  const alone = snippets.filter(({ runs }) => !runs).map(({ code }) => code)
  return [program.join('\n'), ...alone].map((code) => `${code}\nexport {}\n`)
}

const TESTING = fileURLToPath(new URL('../../src/testing.ts', import.meta.url))

const PRINTED = /console\.log\((.*)\) \/\/ → (.*)$/gm

/**
 * The program of a document as a module that checks itself: it takes the package from `packagePath`, and what a line says that it prints
 * goes, with what it prints, to that module's `expectPrinted`.
 */
export function programOf(snippets: readonly Snippet[], packagePath: string): string {
  const code = snippets
    .filter(({ runs }) => runs)
    .map((snippet) => snippet.code)
    .join('\n')
    .replaceAll(
      PRINTED,
      (_line, values: string, text: string) => `expectPrinted(${JSON.stringify(text)}, [${values}])`,
    )
    .replaceAll("from 'prolepsis/testing'", `from ${JSON.stringify(TESTING)}`)
    .replaceAll("from 'prolepsis'", `from ${JSON.stringify(packagePath)}`)
    .replaceAll(/\bconsole\.log\(/g, 'void [')
    .replaceAll(/^(\s*void \[.*)\)(\s*(?:\/\/.*)?)$/gm, '$1]$2')
  return `import { expectPrinted } from ${JSON.stringify(packagePath)}\n${code}\nexport {}\n`
}
