/** `npm run interop`: the official clients from npm against a Portcall server, and the Portcall client against servers of other libraries. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
process.exitCode = runTests('interop', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
