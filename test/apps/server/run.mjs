/** `npm run views [-- FILTER …]`: views of servers and gateways, with published servers, schemas, bundlers and frameworks. */
import { fileURLToPath } from 'node:url'
import { install } from '../../../tools/lib/install.mjs'
import { runTests } from '../../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('views', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
