import { join } from 'node:path'
import { ROOT } from '../../tools/lib/paths.mjs'
import { tests } from '../../tools/lib/tests.mjs'

export default tests(import.meta.url, {
  include: ['*.test.ts', 'client/*.test.ts', 'auth/*.test.ts'],
  globalSetup: ['support/build.ts'],
  setupFiles: [join(ROOT, 'test', 'support', 'restore-globals.ts'), 'support/skip-exceptions.ts'],
  isolate: false,
})
