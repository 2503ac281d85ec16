/** `npm run check:cold`: the start-up cost of a stdio server with one tool and of a client: time, heap and bytes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ensure } from './ensure.mjs'
import { programs } from './lib/entrypoints.mjs'
import { firstResponseMs, heapBytes, wholeRunMs } from './lib/first-response.mjs'
import { DIST, ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

/** Times are ratios to bare Node, because machines differ. Where Node starts in 45 ms, they allow about 30 ms more for a response and 40 ms for the help. Of the bundles, 3 KB explain mistakes, 1 KB says which requests may be sent again, 4 KB publish the schemas of libraries as they are enforced, and 1 KB serves views; of that of a client, 3 KB send plain HTTP without `node:http`, and 3 KB use proxies; 0.2 KB let a gateway pass large results on as they arrived. */
const LIMITS = { answer: 1.7, help: 2, heapMB: 4, serverKB: 46.5, clientKB: 51.2 }
const RUNS = 11
const ATTEMPTS = 5

const BARE = join(ROOT, 'tools', 'cold', 'bare.mjs')
const SERVER = join(ROOT, 'tools', 'cold', 'server.mjs')
const CLIENT = join(ROOT, 'tools', 'cold', 'client.mjs')
const PRELOAD = pathToFileURL(join(ROOT, 'tools', 'cold', 'heap.mjs')).href

/** Chunks that are loaded on demand: for the first schema, input request, task, step of a resumed call or failed connection, an address without a path, a server of the first revision over HTTP, a `fetch` option, a child process or a configuration file, or a logger. */
const LAZY =
  /[\\/]chunks[\\/](validator|untrusted|input-requests|sealed-state|explain-error|by-domain|check-fetch|decode-body|deep-items|http-sse|re2js|spawn|jsonc|jsonc-parser|read-servers|toml|toml-patch|yaml\d?|text-file|suspended-calls|tasks2?|logging)\.js$/

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

/** Runs both programs alternately, so that a busy machine slows both. */
async function ratio({ bare, program }) {
  const [before, after] = [[], []]
  for (let run = 0; run < RUNS; run += 1) {
    before.push(await bare())
    after.push(await program())
  }
  return median(after) / median(before)
}

/** Returns the smallest of several ratios, because noise only adds time. */
async function leastRatio(pair, most) {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > most; attempt += 1) least = Math.min(least, await ratio(pair))
  return least
}

const ANSWER = { bare: () => firstResponseMs(BARE), program: () => firstResponseMs(SERVER) }
const HELP = { bare: () => wholeRunMs(['-e', '0']), program: () => wholeRunMs([programs()[0].script, 'help']) }

/** Returns the size of a program as one minified bundle, without the chunks that are loaded on demand. */
async function gzipKB(program) {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({ input: program, platform: 'node', external: LAZY, logLevel: 'warn' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return gzipSync(output.map(({ code }) => code).join('\n')).length / 1024
}

await ensure()
const report = createReport('cold start of a stdio server with one tool')
const limit = (title, value, most) =>
  report.check(`${title}: ${value.toPrecision(3)}, at most ${most}`, value > most ? ['over budget'] : [])
if (existsSync(join(DIST, 'stdio.js'))) {
  limit('time to the first response, relative to bare Node', await leastRatio(ANSWER, LIMITS.answer), LIMITS.answer)
  limit('time to print the help of the CLI, relative to bare Node', await leastRatio(HELP, LIMITS.help), LIMITS.help)
  limit(
    'MB of heap over bare Node',
    ((await heapBytes(SERVER, PRELOAD)) - (await heapBytes(BARE, PRELOAD))) / 2 ** 20,
    LIMITS.heapMB,
  )
  limit('KB of the bundle of a server, gzip', await gzipKB(SERVER), LIMITS.serverKB)
  limit('KB of the bundle of a client, gzip', await gzipKB(CLIENT), LIMITS.clientKB)
} else report.fail('dist/stdio.js is missing')
report.end()
