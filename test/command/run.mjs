/** `npm run command [-- FILTER …]`: the command as its users meet it: processes, real servers, a terminal. */
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
process.exitCode = runTests('command', ['--config', config, ...process.argv.slice(2)])
