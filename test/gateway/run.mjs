/**
 * `npm run gateway [-- FILTER …]`: gateways between real clients and servers.
 * `npm run gateway -- --matrix TRANSPORT@REVISION …` runs the whole matrix through a bridge to servers of these kinds.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
/** The servers behind the bridge: each transport with the newest revision, and the revisions that differ most. */
const UPSTREAMS = [
  'exchange@2026-07-28',
  'stdio@2026-07-28',
  'http@2026-07-28',
  'stdio@2025-11-25',
  'http@2025-11-25',
  'sse@2024-11-05',
]

const [first, ...rest] = process.argv.slice(2)
process.exitCode =
  first === '--matrix'
    ? runMatrix(rest.length > 0 ? rest : UPSTREAMS)
    : runTests('gateway', ['--config', join(FOLDER, 'vitest.config.ts'), ...process.argv.slice(2)])

function runMatrix(upstreams) {
  const codes = upstreams.map((upstream) => {
    process.env.MATRIX_UPSTREAM = upstream
    return runTests(`matrix through a bridge to ${upstream}`, ['--dir', 'test/matrix', '--testTimeout', '20000'])
  })
  return codes.find((code) => code !== 0) ?? 0
}
