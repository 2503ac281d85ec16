import { tests } from '../../tools/lib/tests.mjs'

export default tests(import.meta.url, {
  include: ['*.test.ts'],
  fileParallelism: false,
  testTimeout: 180_000,
  hookTimeout: 400_000,
})
