import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../api/imports.ts'

/** The rows of the Markdown table whose first heading is this, cell by cell, without heading and rule. */
export function tableRows(document: string, firstHeading: string): string[][] {
  const lines = document.split('\n')
  const head = lines.findIndex((line) => line.startsWith(`| ${firstHeading} |`))
  if (head < 0) throw new Error(`There is no table that begins with "${firstHeading}".`)
  const rows = lines.slice(head + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end < 0 ? rows.length : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** What a cell names as code. */
export function namesIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
}

/** The Markdown files of a folder of the repository, without its subfolders. */
export function documentsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
}
