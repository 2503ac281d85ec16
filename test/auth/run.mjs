/** `npm run auth [-- FILTER …]`: clients and protected servers against an authorization server of another make. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('auth', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
