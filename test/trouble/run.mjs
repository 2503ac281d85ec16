/** `npm run trouble [-- FILTER …]`: real trouble, with real parts: processes that pause, stores that are away. */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
install(fileURLToPath(new URL('../stores/', import.meta.url)))
process.exitCode = runTests('trouble', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
