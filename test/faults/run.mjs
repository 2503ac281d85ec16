/** `npm run faults [-- FILTER …]`: broken peers, cut connections and floods against real processes. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

process.exitCode = runTests('faults', ['--config', join(FOLDER, 'vitest.config.ts'), ...process.argv.slice(2)])
