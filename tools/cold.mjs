/** `npm run check:cold`: what a stdio server with one tool costs before it does anything: time, heap, bytes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ensure } from './ensure.mjs'
import { firstAnswerMs, heapBytes } from './lib/first-answer.mjs'
import { DIST, ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const LIMITS = { ms: 30, heapMB: 4, gzipKB: 30 }
const RUNS = 11
const ATTEMPTS = 5

const BARE = join(ROOT, 'tools', 'cold', 'bare.mjs')
const SERVER = join(ROOT, 'tools', 'cold', 'server.mjs')
const PRELOAD = pathToFileURL(join(ROOT, 'tools', 'cold', 'heap.mjs')).href

/** The chunks that are loaded when a schema is first compiled. */
const LAZY = /[\\/]chunks[\\/](validator|foreign|typebox|re2js)\.js$/

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

/** Both programs in turn, so that a busy machine slows both. */
async function extraMs() {
  const bare = []
  const server = []
  for (let run = 0; run < RUNS; run += 1) {
    bare.push(await firstAnswerMs(BARE))
    server.push(await firstAnswerMs(SERVER))
  }
  return median(server) - median(bare)
}

/** The least of several attempts: noise only adds. */
async function leastExtraMs() {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > LIMITS.ms; attempt += 1) least = Math.min(least, await extraMs())
  return least
}

/** The server in one minified bundle, without the chunks that are loaded late. */
async function gzipKB() {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({ input: SERVER, platform: 'node', external: LAZY, logLevel: 'warn' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return gzipSync(output.map(({ code }) => code).join('\n')).length / 1024
}

await ensure()
const report = createReport('cold start of a stdio server with one tool')
const limit = (title, value, most) =>
  report.check(`${title}: ${value.toFixed(1)}, at most ${most}`, value > most ? ['over budget'] : [])
if (existsSync(join(DIST, 'stdio.js'))) {
  limit('ms over bare Node to the first answer', await leastExtraMs(), LIMITS.ms)
  limit(
    'MB of heap over bare Node',
    ((await heapBytes(SERVER, PRELOAD)) - (await heapBytes(BARE, PRELOAD))) / 2 ** 20,
    LIMITS.heapMB,
  )
  limit('KB of bundle, gzip', await gzipKB(), LIMITS.gzipKB)
} else report.fail('there is no door portcall/stdio')
report.end()
