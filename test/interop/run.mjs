/** `npm run interop`: the official clients from npm against our server, and our client against the servers of others. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('interop', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
