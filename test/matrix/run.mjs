/** `npm run matrix [-- FILTER …]`: each behavior in memory, over stdio and over HTTP, in all five revisions, for server and client. */
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
process.exitCode = runTests('matrix', ['--config', config, ...process.argv.slice(2)])
