import { programOf } from '../subjects.mjs'
import { openingLines, openingPosts, posted, requestText } from '../workloads/messages.mjs'
import { onServerCore } from './cores.mjs'
import { runLoad } from './load.mjs'
import { startServer } from './server.mjs'

/** Part of the time for warming up, before each measured time. */
const AGAIN = 0.1

/** Runs the job that `kind` and `base` begin; the first time that `work` comes, warms the server up for it. */
function createRun(kind, base, renderRequest) {
  const warm = new Set()
  return async ({ name, calls, concurrency, warmConcurrency = concurrency }, { ms, warmMs }) => {
    const job = { ...base, requests: calls.map(renderRequest) }
    if (!warm.has(name)) await runLoad(kind, { ...job, concurrency: warmConcurrency, warmMs: 0, ms: warmMs })
    warm.add(name)
    return runLoad(kind, { ...job, concurrency, warmMs: warmMs * AGAIN, ms })
  }
}

async function openHttp(name, options) {
  const { mode } = options
  const { pid, port, close } = await startServer(name, options)
  const base = { pid, port, workers: options.workers > 1, opening: openingPosts(mode) }
  const run = createRun('http', base, ({ method, params, check }) => ({ ...posted(mode, method, params), check }))
  return { pid, port, mode, run, close }
}

async function openStdio(name, options) {
  const { mode } = options
  const { command, args } = onServerCore(programOf(name, 'stdio', options))
  const { pid } = await runLoad('open', { command, args, opening: openingLines(mode) })
  const run = createRun('stdio', { pid }, ({ method, params, check }) => ({ line: requestText(mode, method, params), check }))
  return { pid, mode, run, close: () => runLoad('close', { pid }) }
}

/**
 * Starts a server of a subject and gives a function that calls it, the same over both transports.
 *
 * `run(work, settings)` takes `{ name, calls, concurrency, warmConcurrency }`: the calls, as `{ method, params, check }`, are sent in turn
 * by each of so many clients (over stdio, with so many under way); `check` is one of load/verify.mjs. It gives the sample `{ count,
 * perSecond, p50, p99, cpuPer1000 }`. The first run of each `name` warms the server up.
 */
export const WAYS = { http: openHttp, stdio: openStdio }
