/** `npm run scale [-- FILTER …]`: tests three processes on one Redis or PostgreSQL behind a round-robin balancer, and their failures. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('scale', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
