/** `npm run newcomer [-- FILTER …]`: tests the first pages, the framework integrations and the migration guides. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('newcomer', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
