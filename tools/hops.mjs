/**
 * `npm run check:hops [-- --list]`: counts the functions and files of the library that one warm `tools/call` runs through: over HTTP on the server,
 * and in a gateway before the transport of its client. It measures the unbundled sources.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ensure } from './ensure.mjs'
import { functionsThatRun } from './lib/coverage.mjs'
import { entryPoints } from './lib/entrypoints.mjs'
import { ROOT } from './lib/paths.mjs'
import { legacyCaller, MODERN, metaOf, modernCaller } from './lib/raw-calls.mjs'
import { createReport } from './lib/report.mjs'

const BUDGETS = {
  modern: { caller: modernCaller, functions: 53, files: 20 },
  legacy: { caller: legacyCaller, functions: 75, files: 29 },
}

const GATEWAY_BUDGET = { functions: 56, files: 24 }

const FOLDER = join(ROOT, 'results', 'unbundled')

/** Transpiles each source file to a file of its own. */
async function transpile() {
  const { rolldown } = await import('rolldown')
  const input = Object.fromEntries(entryPoints().map(({ entry, source }) => [entry, source]))
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: [/^node:/, /^portcall\//],
    tsconfig: false,
    logLevel: 'warn',
    treeshake: false,
  })
  await bundle.write({ dir: FOLDER, format: 'esm', preserveModules: true, preserveModulesRoot: join(ROOT, 'packages') })
  await bundle.close()
}

const load = (name) => import(pathToFileURL(join(FOLDER, name)).href)

/** Starts a server with one tool on a free port. */
async function listen() {
  const { createServer } = await load('index.js')
  const { serve } = await load('node.js')
  const server = createServer({ name: 'hops', version: '1.0.0' })
  const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  server.tool('echo', { description: 'Repeats the text', input }, ({ text }) => `again: ${text}`)
  return serve(server, { port: 0, handleProcessSignals: false })
}

/**
 * Returns the functions that one call runs after a few warm-up calls, including work that follows the response. Of several calls, the one with the
 * fewest functions counts: timers of the server, such as that of idle connections, run during others.
 */
async function measure(port, { caller }) {
  const call = await caller(port, 'echo', { text: 'hops' }, 'again: hops')
  for (let turn = 0; turn < 5; turn += 1) await call()
  const measured = []
  for (let turn = 0; turn < 5; turn += 1) {
    await wait(50)
    const ran = await functionsThatRun(`${pathToFileURL(FOLDER).href}/`, async () => {
      await call()
      await wait(50)
    })
    measured.push(ran)
  }
  return measured.sort((one, other) => one.length - other.length)[0]
}

/** Starts a server that answers like one with the tool `echo`, whose argument `region` is repeated in a header. It runs no code of the library. */
async function listenRaw() {
  const properties = { text: { type: 'string' }, region: { type: 'string', 'x-mcp-header': 'Region' } }
  const results = {
    'server/discover': { supportedVersions: [MODERN], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object', properties } }] },
    'tools/call': { content: [{ type: 'text', text: 'again: hops' }] },
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method } = JSON.parse(text)
    const result = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public', ...results[method] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Returns the functions of a warm call of a gateway of two servers, up to the one that passes the request to the transport. */
async function measureGateway() {
  const { createGateway } = await load('gateway.js')
  const server = await listenRaw()
  const target = `http://127.0.0.1:${server.address().port}/mcp`
  const gateway = createGateway({ servers: { one: target, other: target }, onEvent() {} })
  const _meta = metaOf(MODERN)
  const send = async (method, params, onStarted) => {
    const handling = {
      set state(state) {
        if (state === 'started') onStarted?.()
      },
    }
    const readParamHeader = (name) => (name === 'Mcp-Param-Region' ? 'eu' : undefined)
    const context = { signal: new AbortController().signal, notify() {}, readParamHeader, handling }
    const { result, error } = await gateway.exchange({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, context)
    if (!result) throw new Error(error.message)
  }
  const call = (onStarted) => send('tools/call', { name: 'one__echo', arguments: { text: 'hops', region: 'eu' } }, onStarted)
  await send('tools/list')
  for (let turn = 0; turn < 5; turn += 1) await call()
  const ran = await functionsThatRun(`${pathToFileURL(FOLDER).href}/`, call)
  await gateway.close()
  server.close()
  return ran
}

/** Compares the functions that ran with a budget. */
function check(title, found, budget) {
  const ran = found.filter(({ file }) => !file.includes('node_modules'))
  const files = new Set(ran.map(({ file }) => file))
  const fits = ran.length > 0 && ran.length <= budget.functions && files.size <= budget.files
  const list = ran.map(({ file, name, at }) => `${file}:${at} ${name}`)
  const text = `${title}: ${ran.length} functions in ${files.size} files, at most ${budget.functions} in ${budget.files}`
  report.check(text, fits ? [] : list)
  if (fits && process.argv.includes('--list')) for (const line of list) report.note(line)
}

await ensure()
const report = createReport('hops of one warm tools/call')
await transpile()
const http = await listen()
for (const [era, budget] of Object.entries(BUDGETS)) {
  const found = await measure(http.port, budget).catch((error) => report.fail(`${era}: ${error.message}`))
  if (found) check(`${era} over HTTP, server side`, found, budget)
}
await http.close()
const found = await measureGateway().catch((error) => report.fail(`gateway: ${error.message}`))
if (found) check('gateway, before the transport', found, GATEWAY_BUDGET)
report.end()
process.exit()
