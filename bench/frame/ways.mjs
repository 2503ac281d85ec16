import { programOf } from '../subjects.mjs'
import { openingLines, openingPosts, posted, requestText } from '../workloads/messages.mjs'
import { familyOf, memoryOf } from './accounting.mjs'
import { onServerCore, spreadOut } from './cores.mjs'
import { runLoad, runLoads } from './load.mjs'
import { startServer } from './server.mjs'

/** Part of the time for warming up, before each measured time. */
const AGAIN = 0.1

const MB = 2 ** 20

/** What load generators saw that called one server side by side: each has a part of its answers, and has seen all of its CPU. */
function together(samples) {
  const sum = (of) => samples.reduce((total, sample) => total + of(sample), 0)
  const count = sum((sample) => sample.count)
  const cpu = sum((sample) => sample.cpuPer1000 * sample.count) / samples.length
  return { count, perSecond: sum(({ perSecond }) => perSecond), cpuPer1000: cpu / Math.max(1, count) }
}

/** Has so many load generators do a job, which share its clients. */
async function share(generators, kind, job) {
  if (generators === 1) return runLoad(kind, job)
  return together(await runLoads(generators, kind, { ...job, concurrency: job.concurrency / generators }))
}

/**
 * The two ways to call a server that was opened: `base` is what all jobs of the load generator have, `render` makes the request of a
 * call for it.
 */
function createCalling(transport, { generators = 1, ...base }, render) {
  const warm = new Set()
  const withPeak = (sample) => ({ ...sample, peakMB: memoryOf(base.pid).peak / MB })
  const jobOf = ({ calls, concurrency }) => ({ ...base, requests: calls.map(render), concurrency })
  async function warmUp({ warmConcurrency, ...work }, { warmMs }) {
    const concurrency = warmConcurrency ?? work.concurrency
    if (!warm.has(work.name)) await share(generators, transport, { ...jobOf(work), concurrency, warmMs: 0, ms: warmMs })
    warm.add(work.name)
  }
  return {
    transport,
    jobOf,
    warmUp,
    withPeak,
    async run(work, { ms, warmMs }) {
      await warmUp(work, { warmMs })
      return withPeak(await share(generators, transport, { ...jobOf(work), warmMs: warmMs * AGAIN, ms }))
    },
    once: async (job, call) => withPeak(await runLoad(job, { ...base, requests: [render(call)] })),
  }
}

async function openHttp(name, { generators, ...options }) {
  const { mode, workers } = options
  const { pid, port, close } = await startServer(name, options)
  if (workers) spreadOut(workers > 1 ? familyOf(pid).slice(1) : [pid])
  const base = { pid, port, workers: workers > 1, generators, opening: openingPosts(mode) }
  const calling = createCalling('http', base, ({ method, params, check }) => ({ ...posted(mode, method, params), check }))
  return { pid, port, mode, ...calling, close }
}

async function openStdio(name, options) {
  const { mode } = options
  const { command, args } = onServerCore(programOf(name, 'stdio', options))
  const { pid } = await runLoad('open', { command, args, opening: openingLines(mode) })
  const render = ({ method, params, check }) => ({ line: requestText(mode, method, params), check })
  return { pid, mode, ...createCalling('stdio', { pid }, render), close: () => runLoad('close', { pid }) }
}

/**
 * Starts a server of a subject and gives what calls it, the same over both transports.
 *
 * `run(work, settings)` takes `{ name, calls, concurrency, warmConcurrency }`: the calls, as `{ method, params, check }`, are sent in turn
 * by each of so many clients (over stdio, with so many under way); `check` is one of load/verify.mjs. It gives the sample `{ count,
 * perSecond, p50, p99, cpuPer1000, peakMB }`, the last of the server since it started; without latencies where several load
 * generators called it. The first run of each `name` warms the server up, as `warmUp(work, settings)` does.
 *
 * `once(job, call)` has another job of the load generator make one call, and gives its sample.
 */
export const WAYS = { http: openHttp, stdio: openStdio }

/**
 * Calls several servers that were opened over one transport, as `run` does; gives their samples. Each is called for a moment at a time and
 * the next after it, until each has been for the measured time: what differs between them by a few in a hundred is less than what a shared
 * machine changes from one measured time to the next.
 */
export async function runAlternately(servers, work, settings) {
  for (const server of servers) await server.warmUp(work, settings)
  const [{ transport }] = servers
  const samples = await runLoad('alternate', { transport, jobs: servers.map(({ jobOf }) => jobOf(work)), ms: settings.ms })
  return samples.map((sample, nth) => servers[nth].withPeak(sample))
}
