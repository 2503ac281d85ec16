/**
 * `npm run faults [-- FILTER …]`: broken peers, cut connections and floods against real processes.
 * `npm run faults -- --gateway [--all | FILTER …]` puts a gateway in front of the server of each test, and behind its client: in the files of
 * `SAMPLE`, or in all that do not test authorization.
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

const run = (name, args) => runTests(name, ['--config', join(FOLDER, 'vitest.config.ts'), ...args])
const [first, ...rest] = process.argv.slice(2)
process.exitCode = first === '--gateway' ? runThroughGateway(rest) : run('faults', process.argv.slice(2))

function runThroughGateway(args) {
  process.env.FAULTS_UPSTREAM = 'http'
  const files = args[0] === '--all' ? ['--exclude', 'auth/**', '--exclude', 'catalogue.test.ts'] : args.length > 0 ? args : SAMPLE
  return run('faults through a gateway', files)
}
