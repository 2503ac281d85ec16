import { tests } from '../../tools/lib/tests.mjs'

/** A test on the page that fails takes as long as its slowest wait: after so many, something that all need is broken. */
const MOST_FAILURES = 10

export default tests(import.meta.url, { include: ['**/*.test.ts'], maxWorkers: 2, bail: MOST_FAILURES }, { build: true })
