/** `npm test [-- FILTER …]`: prepares the checkout and runs every test that needs nothing outside npm. */
import { ensure } from './ensure.mjs'
import { runTests } from './lib/vitest.mjs'

await ensure()
process.exitCode = runTests('vitest', process.argv.slice(2))
