import { cpus, totalmem } from 'node:os'

/** What the numbers were measured on; printed with each table. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`
}

/** Prints a table for people, or under --json one object on the last line. */
export function print(
  json: boolean,
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  object: unknown,
): void {
  printTable(json, heading, columns, rows)
  printObject(json, object)
}

/** A table for people; under --json on standard error. */
export function printTable(
  json: boolean,
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const log = json ? console.error : console.log
  log(`\n${heading}\n${machine()}\n`)
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => String(row[index] ?? '').length)),
  )
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, index) =>
        index === 0 ? String(cell).padEnd(widths[index]!) : String(cell).padStart(widths[index]!),
      )
      .join('  ')
  log(line(columns))
  log(widths.map((width) => '-'.repeat(width)).join('  '))
  for (const row of rows) log(line(row))
}

/** Under --json, one object on the last line. */
export function printObject(json: boolean, object: unknown): void {
  if (json) console.log(JSON.stringify(object))
}

/** Progress on standard error, one line, only on a terminal. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`)
}

export function progressEnd(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K')
}
