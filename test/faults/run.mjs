/**
 * `npm run faults [-- FILTER …]`: broken peers, cut connections and floods against real processes.
 * `npm run faults -- --gateway [--all | FILTER …]` puts a gateway in front of the server of each test, and behind its client: in the files of
 * `SAMPLE`, or in all that do not test authorization.
 * `npm run faults -- --workers [FILTER …]` runs the server of each test with two workers, in the files of `WITH_WORKERS`.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTests } from '../../tools/lib/vitest.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
/** The files that test what a gateway does with messages. The others test mostly connections, which take long. */
const SAMPLE = [
  'json-rpc',
  'modern-headers',
  'framing',
  'pollution',
  'input-requests',
  'state',
  'principals',
  'cancellation',
  'client/responses',
  'client/http-responses',
  'client/stdio-messages',
  'client/stdio-exit',
  'client/redirects',
]

/** The files that test a server over HTTP. The others test stdio, clients, or a server in the process of the test. */
const WITH_WORKERS = [
  'json-rpc',
  'modern-headers',
  'framing',
  'pollution',
  'http-requests',
  'sizes',
  'replay',
  'input-requests',
  'state',
  'cancellation',
  'sessions',
  'principals',
  'floods',
  'pressure',
  'pipelining',
  'templates',
  'faulty-handlers',
  'auth/tokens',
  'auth/dpop',
]

const run = (name, args) => runTests(name, ['--config', join(FOLDER, 'vitest.config.ts'), ...args])
const [first, ...rest] = process.argv.slice(2)
const MODES = { '--gateway': runThroughGateway, '--workers': runWithWorkers }
process.exitCode = MODES[first]?.(rest) ?? run('faults', process.argv.slice(2))

function runThroughGateway(args) {
  process.env.FAULTS_UPSTREAM = 'http'
  const files = args[0] === '--all' ? ['--exclude', 'auth/**', '--exclude', 'catalogue.test.ts'] : args.length > 0 ? args : SAMPLE
  return run('faults through a gateway', files)
}

function runWithWorkers(args) {
  process.env.FAULTS_WORKERS = '2'
  return run('faults with workers', args.length > 0 ? args : WITH_WORKERS)
}
