import { tests } from '../../tools/lib/tests.mjs'

export default tests(import.meta.url, {
  include: ['*.test.ts', 'client/*.test.ts', 'auth/*.test.ts'],
  globalSetup: ['support/build.ts'],
  isolate: false,
})
