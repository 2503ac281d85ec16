import { runLoad } from '../frame/load.mjs'
import { startServer } from '../frame/server.mjs'
import { subjectsFor } from '../subjects.mjs'
import { ADD_CALL, ADD_CHECK, openingPosts, posted } from './messages.mjs'

const MODES = { modern: '2026-07-28', session: '2025-11-25 with sessions', stateless: '2025-11-25 without sessions' }

const CALLS = [1, 16, 64].map((concurrency) => ({ id: `c${concurrency}`, title: `${concurrency} at once`, concurrency }))

/** `tools/call` of a mode by so many connections at once. */
const calls = (mode) => ({
  id: `http/${mode}`,
  title: `HTTP tools/call, ${MODES[mode]}`,
  columns: ['perSecond', 'p50', 'p99', 'cpuPer1000'],
  subjects: subjectsFor('http', mode),
  cells: CALLS,
  rounds: 5,
  async open(name) {
    const server = await startServer(name, { mode, tools: 1 })
    return { ...server, warm: false }
  },
  async measure(handle, { concurrency }, { ms, warmMs }) {
    const requests = [{ ...posted(mode, 'tools/call', ADD_CALL), check: ADD_CHECK }]
    const job = { kind: 'http', port: handle.port, pid: handle.pid, opening: openingPosts(mode), requests }
    if (!handle.warm) await runLoad({ ...job, concurrency: 16, warmMs: 0, ms: warmMs })
    handle.warm = true
    return runLoad({ ...job, concurrency, warmMs: warmMs / 10, ms })
  },
})

export const HTTP = Object.keys(MODES).map(calls)
