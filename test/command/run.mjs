/** `npm run command [-- FILTER …]`: tests the built command with processes, real servers and a terminal. */
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
process.exitCode = runTests('command', ['--config', config, ...process.argv.slice(2)])
