/** `npm run operations [-- FILTER …]`: tracing, metrics, logs, middleware and deployment files with the real tools. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'
import { prepare } from './prepare.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
prepare()
process.exitCode = runTests('operations', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
