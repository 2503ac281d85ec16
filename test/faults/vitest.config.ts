import { tests } from '../../tools/lib/tests.mjs'

// One file at a time: the cases measure time and memory, and would disturb each other.
export default tests(import.meta.url, {
  include: ['*.test.ts', 'client/*.test.ts', 'auth/*.test.ts'],
  globalSetup: ['support/build.ts'],
  fileParallelism: false,
  isolate: false,
})
