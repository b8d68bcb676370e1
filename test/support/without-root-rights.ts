const NOBODY = 65_534

/** Runs `work` without root's right to read and write everything: as user nobody. Where another user runs the tests, as that one. */
export async function withoutRootRights<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
