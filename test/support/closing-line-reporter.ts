import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { noServerReason } from './postgres.ts'

/** Names what was skipped and why. Ends a run with `N passed, N failed, N skipped` alone on a line; or, when TEST_COUNTS names a file, adds the counts there. */
export class ClosingLineReporter implements Reporter {
  /** By name only some tests were asked for: the others are skipped for that. */
  #chosen = false

  onInit(vitest: Vitest): void {
    this.#chosen = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    const skipped = new Map<string, number>()
    for (const module of modules) {
      const before = counts.failed
      for (const test of module.children.allTests()) {
        const result = test.result()
        const { state } = result
        if (state === 'passed' || state === 'failed' || state === 'skipped') counts[state] += 1
        if (state !== 'skipped' || this.#chosen) continue
        const line = `${test.fullName}${result.note === undefined ? '' : `: ${result.note}`}`
        const named = reasonIn(line)
        skipped.set(named, (skipped.get(named) ?? 0) + 1)
      }
      // A file that cannot even be loaded has no tests: it must not pass for nothing.
      if (!module.ok() && counts.failed === before) counts.failed += 1
    }
    for (const [line, times] of skipped)
      process.stdout.write(`skipped${times === 1 ? '' : ` ${times} tests`}: ${line}\n`)
    const file = process.env.TEST_COUNTS
    if (file !== undefined) appendFileSync(file, `${counts.passed} ${counts.failed} ${counts.skipped}\n`)
    else
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}

/** Many are skipped for want of a server: one line tells it for all. */
function reasonIn(line: string): string {
  return line.includes(noServerReason) ? noServerReason : line
}
