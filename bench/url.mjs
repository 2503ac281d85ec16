/**
 * `node bench/url.mjs http://HOST:PORT/PATH TOOL [ARGUMENTS] [--mode …] [--clients 1,16,64] [--seconds N] [--header 'name: value'] [--pid N]`:
 * runs the benchmark's load generator against a running server. It calls one tool in a closed loop.
 */
import { parseArgs } from 'node:util'
import { runHttp } from './load/http.mjs'
import { METRICS } from './report/metrics.mjs'
import { openingPosts, posted, toolCall } from './workloads/messages.mjs'

const OPTIONS = {
  mode: { type: 'string', default: 'modern' },
  clients: { type: 'string', default: '1,16,64' },
  seconds: { type: 'string', default: '5' },
  header: { type: 'string', multiple: true, default: [] },
  pid: { type: 'string' },
}
const COLUMNS = ['perSecond', 'p50', 'p99']
const WARM_MS = 1000

/** Escapes code points beyond ASCII in JSON, because the load generator counts characters as bytes. */
const ascii = (json) => json.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

const headersOf = (lines) => Object.fromEntries(lines.map((line) => line.split(/:\s*(.*)/, 2)))

const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
const [url, tool, args = '{}'] = positionals
const { protocol, hostname, port, pathname, search } = new URL(url)
if (protocol !== 'http:') throw new Error('only http: measure behind what ends TLS, or before it')

const headers = headersOf(values.header)
const withHeaders = (post) => ({ ...post, body: ascii(post.body), headers: { ...post.headers, ...headers } })
const { method, params } = toolCall(tool, JSON.parse(args))
const job = {
  host: hostname,
  port: Number(port || 80),
  path: pathname + search,
  pid: values.pid && Number(values.pid),
  opening: openingPosts(values.mode).map(withHeaders),
  requests: [{ ...withHeaders(posted(values.mode, method, params)), check: { name: 'any' } }],
}

const columns = values.pid ? [...COLUMNS, 'cpuPer1000'] : COLUMNS
console.log(['clients', ...columns.map((metric) => METRICS[metric].title), 'wrong answers'].join('\t'))
for (const clients of values.clients.split(',').map(Number)) {
  const sample = await runHttp({ ...job, concurrency: clients, warmMs: WARM_MS, ms: Number(values.seconds) * 1000 })
  console.log([clients, ...columns.map((metric) => METRICS[metric].show(sample[metric])), sample.failed].join('\t'))
  for (const fault of sample.faults) console.error(fault)
}
