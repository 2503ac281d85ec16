/**
 * Load generators that call the same server: the one of these benchmarks, `portcall bench` and autocannon. They should agree. The tool waits, so
 * that what a call takes does not depend on how busy the machine is.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CALLERS } from '../harness/callers.mjs'
import { onLoadCore } from '../harness/cores.mjs'
import { ID } from '../load/request.mjs'
import { NODE, PORTCALL } from './command-lines.mjs'
import { posted, toolCall } from './messages.mjs'

const AUTOCANNON = fileURLToPath(new URL('../commands/node_modules/autocannon/autocannon.js', import.meta.url))
const MODE = 'modern'
const CONNECTIONS = 8
const WAIT_MS = 5
const CALL = toolCall('wait', { ms: WAIT_MS }, { name: 'text', text: 'done' })
/** Commands count whole seconds. */
const SECONDS = 2
const WARM_SECONDS = 1

async function run(args) {
  const child = spawn(...Object.values(onLoadCore({ command: NODE, args })), { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`ended with ${code}: ${errors.slice(-200)}`)
  return JSON.parse(output.split('\n').findLast((line) => line.startsWith('{')))
}

async function runPortcall({ port }) {
  const call = [`http://127.0.0.1:${port}/mcp`, 'wait', `ms=${WAIT_MS}`]
  const settings = ['--connections', CONNECTIONS, '--duration', SECONDS, '--warm-up', WARM_SECONDS]
  const { callsPerSecond, errors } = await run([PORTCALL, 'bench', '--json', ...call, ...settings.map(String)])
  if (Object.keys(errors).length > 0) throw new Error(JSON.stringify(errors))
  return { perSecond: callsPerSecond }
}

async function runAutocannon({ port }) {
  const { headers, body } = posted(MODE, CALL.method, CALL.params)
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  const fields = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const warmUp = ['-W', '[', '-c', CONNECTIONS, '-d', WARM_SECONDS, ']'].map(String)
  const settings = ['-j', '-n', '-c', CONNECTIONS, '-d', SECONDS, ...warmUp, '-m', 'POST'].map(String)
  const sent = [...fields, '-b', body.replaceAll(ID, '1'), `http://127.0.0.1:${port}/mcp`]
  const { requests, duration, non2xx, errors } = await run([AUTOCANNON, ...settings, ...sent])
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} calls failed`)
  return { perSecond: requests.total / duration }
}

const runOwn = (server, settings) => server.run({ name: 'wait', calls: [CALL], concurrency: CONNECTIONS }, settings)

const RUNS = { baseline: runOwn, portcall: runPortcall, autocannon: runAutocannon }

export const LOAD_GENERATORS = [
  {
    id: 'load-generators',
    title: '`portcall bench`, autocannon and the load generator of these benchmarks (the baseline) call one server',
    columns: ['perSecond'],
    subjects: Object.keys(RUNS),
    cells: [{ id: 'wait', title: `a call that waits for ${WAIT_MS} ms, ${CONNECTIONS} connections` }],
    rounds: 3,
    peerRounds: 3,
    turns: 3,
    async open(name) {
      const server = await CALLERS.http('portcall', { mode: MODE, tools: 1 })
      return { name, server, close: () => server.close() }
    },
    measure: ({ name, server }, _cell, settings) => RUNS[name](server, { ...settings, ms: Math.max(settings.ms, 1000) }),
  },
]
