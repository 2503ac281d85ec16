/** Several processes on one port. */
import { WAYS } from '../frame/ways.mjs'
import { ADD } from './messages.mjs'

const COUNTS = [1, 2]
/** So many for each process, so that each has as much to do as one alone. */
const AT_ONCE = 64
const MODE = 'modern'

/** A group has its cells in one server; here each cell has its own. */
async function openEach(name) {
  const ways = new Map()
  for (const workers of COUNTS) ways.set(workers, await WAYS.http(name, { mode: MODE, tools: 1, workers }))
  return { ways, close: () => Promise.all([...ways.values()].map((way) => way.close())) }
}

export const WORKERS = [
  {
    id: 'workers',
    title: `tools/call over HTTP, 2026-07-28, ${AT_ONCE} at once for each of one process and two`,
    columns: ['perSecond', 'cpuPer1000', 'capacity'],
    subjects: ['floor', 'portcall'],
    cells: COUNTS.map((workers) => ({ id: `w${workers}`, title: `${workers} processes`, workers })),
    rounds: 5,
    open: openEach,
    /** The load generator needs a core too: what the processes would do with a core each follows from their CPU for a request. */
    async measure({ ways }, { workers }, settings) {
      const sample = await ways.get(workers).run({ name: 'add', calls: [ADD], concurrency: AT_ONCE * workers }, settings)
      return { ...sample, capacity: (workers * 1000) / sample.cpuPer1000 }
    },
  },
]
