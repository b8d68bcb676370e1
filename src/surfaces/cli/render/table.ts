import { displayWidth } from './layout.ts'

/** Columns padded to their widest cell; numbers to the right. */
export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => displayWidth(String(row[index] ?? '')))),
  )
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, index) => {
        const padding = ' '.repeat(Math.max(0, widths[index]! - displayWidth(String(cell))))
        return typeof cell === 'number' ? `${padding}${cell}` : `${cell}${padding}`
      })
      .join('  ')
      .trimEnd()
  return [line(columns), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n')
}

/** `1.2 MB`. */
export function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = count
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

export function day(date: Date | null): string {
  return date === null ? '' : date.toISOString().slice(0, 10)
}
