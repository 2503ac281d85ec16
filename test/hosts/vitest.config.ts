import { tests } from '../../tools/lib/tests.mjs'

// One host after another: each starts several processes of its own.
export default tests(
  import.meta.url,
  { include: ['hosts.test.ts'], fileParallelism: false, testTimeout: 900_000, retry: 0 },
  { build: true },
)
