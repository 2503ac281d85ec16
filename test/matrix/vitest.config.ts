import { availableParallelism } from 'node:os'
import { tests } from '../../tools/lib/tests.mjs'

export default tests(new URL('../..', import.meta.url), {
  include: ['test/matrix/**/*.test.ts'],
  maxWorkers: availableParallelism() + 2,
  isolate: false,
})
