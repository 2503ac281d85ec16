/** `npm run composition [-- FILTER …]`: servers composed of servers, on real tool lists and API descriptions. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('composition', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
