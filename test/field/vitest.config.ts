import { tests } from '../../tools/lib/tests.mjs'

// One server or description after another: each needs much memory, or starts processes of its own.
export default tests(
  import.meta.url,
  { include: ['*.test.ts'], fileParallelism: false, testTimeout: 600_000, hookTimeout: 600_000, retry: 0 },
  { build: true },
)
