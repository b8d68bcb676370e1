import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { ClosingLineReporter } from './test/support/closing-line-reporter.ts'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: ['test/support/fixed-seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', new ClosingLineReporter()],
  },
})
export default config
