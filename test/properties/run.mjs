/** `npm run properties [-- FILTER …]`: property tests, simulations of crashes and tables of faults that take long. They stand next to what they test. */
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
process.exitCode = runTests('properties', ['--config', config, ...process.argv.slice(2)])
