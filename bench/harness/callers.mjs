import { programOf } from '../subjects.mjs'
import { openingLines, openingPosts, posted, requestText } from '../workloads/messages.mjs'
import { familyOf, memoryOf } from './accounting.mjs'
import { onServerCore, spreadOut } from './cores.mjs'
import { runLoad, runLoads } from './load.mjs'
import { startServer } from './server.mjs'

/** The share of the measured time that is used to warm up before each measurement. */
const AGAIN = 0.1

const MB = 2 ** 20

/** Merges the results of load generators that called one server in parallel: each received a part of the responses and measured all of its CPU. */
function together(samples) {
  const sum = (of) => samples.reduce((total, sample) => total + of(sample), 0)
  const count = sum((sample) => sample.count)
  const cpu = sum((sample) => sample.cpuPer1000 * sample.count) / samples.length
  return { count, perSecond: sum(({ perSecond }) => perSecond), cpuPer1000: cpu / Math.max(1, count) }
}

/** Runs a job on several load generators, which share its clients. */
async function share(generators, kind, job) {
  if (generators === 1) return runLoad(kind, job)
  return together(await runLoads(generators, kind, { ...job, concurrency: job.concurrency / generators }))
}

/**
 * Returns the two ways to call an open server. `base` is the part that all jobs of the load generator share; `render` makes the request of a
 * call.
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
 * Starts a server of a subject and returns its caller, which is the same for both transports.
 *
 * `run(work, settings)` takes `{ name, calls, concurrency, warmConcurrency }`. Each client sends the calls, `{ method, params, check }`, one
 * after the other (over stdio, `concurrency` are in flight); `check` is one of load/verify.mjs. It returns the sample `{ count,
 * perSecond, p50, p99, cpuPer1000, peakMB }`, the last for the server since its start; there are no latencies with several load
 * generators. The first run of each `name` warms the server up, as `warmUp(work, settings)` does.
 *
 * `once(job, call)` makes one call with another job of the load generator and returns its sample.
 */
export const CALLERS = { http: openHttp, stdio: openStdio }

/**
 * Calls several open servers over one transport, as `run` does, and returns their samples. It alternates between the servers in short
 * slices until each has run for the measured time, because a shared machine changes more between two measurements than the servers differ:
 * a few percent.
 */
export async function runAlternately(servers, work, settings) {
  for (const server of servers) await server.warmUp(work, settings)
  const [{ transport }] = servers
  const samples = await runLoad('alternate', { transport, jobs: servers.map(({ jobOf }) => jobOf(work)), ms: settings.ms })
  return samples.map((sample, nth) => servers[nth].withPeak(sample))
}
