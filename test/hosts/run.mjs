/**
 * `npm run hosts [-- NAME …]`: runs host programs from npm without a user, against a Portcall server and a stand-in for the API of their model,
 * and compares what they do with `recording.json`. `--write` records what they do, and updates the table of host limits and the documentation.
 */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runNode } from '../../tools/lib/run.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const names = process.argv.slice(2).filter((argument) => argument !== '--write')
const write = process.argv.includes('--write')

install(`${here}programs`)
if (write) process.env.RECORD = '1'
const filter = names.length > 0 ? ['-t', names.join('|')] : []
process.exitCode = runTests('hosts', ['--config', `${here}vitest.config.ts`, ...filter])
if (write) runNode(['tools/lint.mjs', '--write', 'test/hosts', 'packages/portcall/src/diagnostics/quality'])
