import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { entryPoints } from './entrypoints.mjs'
import { ROOT } from './paths.mjs'

const exactly = (name) => new RegExp(`^${name}$`)
const sources = () => entryPoints().map(({ name, source }) => ({ find: exactly(name), replacement: source }))

/** Files that `npm run properties` runs instead of `npm test`: property tests, simulations and tables of faults that take long. */
export const LONG = ['**/*.property.test.ts', '**/*.faults.test.ts', '**/simulation.test.ts']

/**
 * Returns the Vitest configuration for the folder of `url`. Entry points resolve to the sources, or to the built package with `build`. A set-up
 * file restores process-wide state after each test file. Timeouts are long enough that only a hanging test exceeds them.
 */
export function tests(url, test, { build = false } = {}) {
  const root = fileURLToPath(new URL('.', url))
  return defineConfig({
    root,
    resolve: { alias: build ? [] : sources() },
    test: {
      // Most tests spend their time waiting.
      maxWorkers: availableParallelism() + 1,
      setupFiles: [join(ROOT, 'test', 'support', 'restore-globals.ts')],
      // Transformed modules are kept for the next run. A run in a folder with another lockfile would delete them.
      experimental: { fsModuleCache: relative(root, ROOT) === '' },
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      // In CI, a test that fails once is repeated once, and `flaky-reporter.mjs` shows it: machines that build for others can stall for seconds.
      retry: process.env.CI ? 1 : 0,
      testTimeout: 90_000,
      hookTimeout: 90_000,
      expect: { poll: { timeout: 45_000, interval: 5 } },
      ...test,
    },
  })
}
