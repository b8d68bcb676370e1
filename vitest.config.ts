import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { ClosingLineReporter } from './test/support/closing-line-reporter.ts'
import { compileSources } from './test/support/compiled-sources.ts'
import { SlowFirstSequencer } from './test/support/slow-first.ts'

/**
 * Threads start from compiled sources, as a user's do: each saves the 0.3 s that a TypeScript loader takes. Not where files
 * are watched: they would go stale.
 */
function startersOfThreads(): { find: RegExp; replacement: string }[] {
  if (!process.argv.includes('run')) return []
  const compiled = compileSources()
  return [
    ['start-worker', 'src/store/drivers/pglite'],
    ['start-inference-worker', 'src/providers/local'],
  ].map(([name = '', folder = '']) => ({
    find: new RegExp(`^\\./${name}\\.ts$`),
    replacement: join(compiled, folder, `${name}.js`),
  }))
}

const config: ViteUserConfig = defineConfig({
  resolve: { alias: startersOfThreads() },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: ['test/support/fixed-seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: SlowFirstSequencer },
    reporters: ['default', new ClosingLineReporter()],
  },
})
export default config
