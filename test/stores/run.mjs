/** `npm run stores [-- FILTER …]`: every store on the real thing, with every driver, and what goes wrong with servers. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('stores', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
