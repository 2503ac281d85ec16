import { tests } from '../../tools/lib/tests.mjs'

export default tests(
  import.meta.url,
  { include: ['*.test.ts'], fileParallelism: false, testTimeout: 240_000, hookTimeout: 240_000, globalSetup: './setup.ts' },
  { build: true },
)
