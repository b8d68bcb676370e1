import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

export const ROOT: string = resolve(import.meta.dirname, '../..')

export interface ImportLine {
  /** Importing file, relative to the repository, with `/`. */
  readonly from: string
  /** Imported file relative to the repository, or the package's specifier. */
  readonly to: string
  readonly isPackage: boolean
  readonly typeOnly: boolean
  /** `await import(…)`: loaded when needed. */
  readonly lazy: boolean
}

/** Every TypeScript file below a folder of the repository, tests apart unless asked for. */
export function sourceFiles(folder: string, withTests = false): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .filter((path) => withTests || !/\.test\.tsx?$/.test(path))
    .map((path) => join(folder, path).split(sep).join('/'))
    .sort()
}

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

const STATIC = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

export function importsOf(file: string): ImportLine[] {
  const text = textOf(file)
  const line = (specifier: string, typeOnly: boolean, lazy: boolean): ImportLine => {
    const isPackage = !specifier.startsWith('.')
    const to = isPackage
      ? specifier
      : relative(ROOT, resolve(ROOT, dirname(file), specifier))
          .split(sep)
          .join('/')
    return { from: file, to, isPackage, typeOnly, lazy }
  }
  return [
    ...[...text.matchAll(STATIC)].map((match) => line(match[2]!, match[1] !== undefined, false)),
    ...[...text.matchAll(DYNAMIC)].map((match) => line(match[1]!, false, true)),
  ]
}
