/** `npm run newcomer [-- FILTER …]`: what a newcomer does: the first pages, the frameworks they have, the libraries they come from. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('newcomer', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
