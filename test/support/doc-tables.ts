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
