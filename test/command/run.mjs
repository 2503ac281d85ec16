/** `npm run command [-- FILTER …]`: tests the built command with processes, real servers and a terminal. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('command', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
