import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { doors } from './doors.mjs'
import { ROOT } from './paths.mjs'

const exactly = (name) => new RegExp(`^${name}$`)
const sources = () => doors().map(({ name, source }) => ({ find: exactly(name), replacement: source }))

/**
 * The configuration of the tests in the folder of `url`; the names of the doors lead to the sources, or to the `build`. What a file
 * does to its process is undone behind it. Limits are such that only what hangs meets them, not what is slow.
 */
export function tests(url, test, { build = false } = {}) {
  return defineConfig({
    root: fileURLToPath(new URL('.', url)),
    resolve: { alias: build ? [] : sources() },
    test: {
      // Most tests wait more than they compute.
      maxWorkers: availableParallelism() + 1,
      setupFiles: [join(ROOT, 'test', 'support', 'undo.ts')],
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      testTimeout: 90_000,
      hookTimeout: 90_000,
      expect: { poll: { timeout: 45_000, interval: 5 } },
      ...test,
    },
  })
}
