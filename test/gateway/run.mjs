/**
 * `npm run gateway [-- FILTER …]`: gateways between real clients and servers.
 * `npm run gateway -- --matrix TRANSPORT@REVISION …` runs the whole matrix through a bridge to servers of these kinds; `sample` means every pair
 * of revisions with transports in turn, `all` every pair of setups.
 * `npm run gateway -- --leaks` abandons 10,000 sessions instead of 1,000.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const MATRIX = fileURLToPath(new URL('../matrix/vitest.config.ts', import.meta.url))
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
process.exitCode = run()

function run() {
  if (first === '--matrix') return runMatrix(rest.length > 0 ? rest : UPSTREAMS)
  if (first === '--leaks') process.env.LEAK_SESSIONS = '10000'
  const args = first === '--leaks' ? ['leaks'] : process.argv.slice(2)
  return runTests('gateway', ['--config', join(FOLDER, 'vitest.config.ts'), ...args])
}

function runMatrix(upstreams) {
  const codes = upstreams.map((upstream) => {
    process.env.MATRIX_UPSTREAM = upstream
    return runTests(`matrix through a bridge to ${upstream}`, ['--config', MATRIX, '--testTimeout', '20000'])
  })
  return codes.find((code) => code !== 0) ?? 0
}
