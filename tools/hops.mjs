/**
 * `npm run check:hops [-- --list]`: counts the functions and files of the library that one warm `tools/call` over HTTP runs through on
 * the server. It measures the unbundled sources.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ensure } from './ensure.mjs'
import { functionsThatRun } from './lib/coverage.mjs'
import { entryPoints } from './lib/entrypoints.mjs'
import { ROOT, SRC } from './lib/paths.mjs'
import { legacyCaller, modernCaller } from './lib/raw-calls.mjs'
import { createReport } from './lib/report.mjs'

const BUDGETS = {
  modern: { caller: modernCaller, functions: 46, files: 18 },
  legacy: { caller: legacyCaller, functions: 70, files: 27 },
}

const FOLDER = join(ROOT, 'results', 'unbundled')

/** Transpiles each source file to a file of its own. */
async function transpile() {
  const { rolldown } = await import('rolldown')
  const input = Object.fromEntries(entryPoints().map(({ entry, source }) => [entry, source]))
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: /^node:/,
    tsconfig: false,
    logLevel: 'warn',
    treeshake: false,
  })
  await bundle.write({ dir: FOLDER, format: 'esm', preserveModules: true, preserveModulesRoot: SRC, entryFileNames: '[name].js' })
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

/** Returns the functions that one call runs after a few warm-up calls, including work that follows the response. */
async function measure(port, { caller }) {
  const call = await caller(port, 'echo', { text: 'hops' }, 'again: hops')
  for (let turn = 0; turn < 5; turn += 1) await call()
  await wait(50)
  return functionsThatRun(`${pathToFileURL(FOLDER).href}/`, async () => {
    await call()
    await wait(50)
  })
}

await ensure()
const report = createReport('hops of one warm tools/call over HTTP, server side')
await transpile()
const http = await listen()
for (const [era, budget] of Object.entries(BUDGETS)) {
  const found = await measure(http.port, budget).catch((error) => report.fail(`${era}: ${error.message}`))
  if (!found) continue
  const ran = found.filter(({ file }) => !file.includes('node_modules'))
  const files = new Set(ran.map(({ file }) => file))
  const fits = ran.length > 0 && ran.length <= budget.functions && files.size <= budget.files
  const list = ran.map(({ file, name, at }) => `${file}:${at} ${name}`)
  const title = `${era}: ${ran.length} functions in ${files.size} files, at most ${budget.functions} in ${budget.files}`
  report.check(title, fits ? [] : list)
  if (fits && process.argv.includes('--list')) for (const line of list) report.note(line)
}
await http.close()
report.end()
process.exit()
