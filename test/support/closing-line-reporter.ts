import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with `N passed, N failed, N skipped` alone on a line; or, when TEST_COUNTS names a file, adds the counts there. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      const before = counts.failed
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed' || state === 'failed' || state === 'skipped') counts[state] += 1
      }
      // A file that cannot even be loaded has no tests: it must not pass for nothing.
      if (!module.ok() && counts.failed === before) counts.failed += 1
    }
    const file = process.env.TEST_COUNTS
    if (file !== undefined) appendFileSync(file, `${counts.passed} ${counts.failed} ${counts.skipped}\n`)
    else
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}
