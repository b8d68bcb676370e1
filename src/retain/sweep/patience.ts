/** How long files may be put off for being written just now. One that is written all the time would never be read. */
export interface Patience {
  isOver(path: string): boolean
  /** What a pass puts off; the time of all others begins anew. */
  putOff(paths: readonly string[]): void
}

export function createPatience(mostMs: number): Patience {
  let since = new Map<string, number>()
  return {
    isOver(path) {
      const first = since.get(path)
      return first !== undefined && performance.now() - first >= mostMs
    },
    putOff(paths) {
      const now = performance.now()
      since = new Map(paths.map((path) => [path, since.get(path) ?? now]))
    },
  }
}
