/** Several processes on one port. */

import { CALLERS } from '../harness/callers.mjs'
import { openEach } from '../harness/each.mjs'
import { countPrimes } from '../servers/definitions.mjs'
import { ADD, toolCall } from './messages.mjs'

const COUNTS = [1, 2]
const MODE = 'modern'

/** A request from another core costs more, so there is a load generator on each core, with one process as with two. */
const GENERATORS = 2

/** Enough work that the share of the load generator in the CPU is small. */
const BELOW = 500_000

/** The calls; `atOnce` is per process, so that each has as much to do as a single one. */
const WORK = [
  { id: 'add', title: 'a call that computes nothing', call: ADD, atOnce: 64 },
  {
    id: 'primes',
    title: `a call that counts the primes below ${BELOW.toLocaleString('en')}`,
    call: toolCall('primes', { below: BELOW }, { name: 'text', text: String(countPrimes(BELOW)) }),
    atOnce: 8,
  },
]

const CELLS = WORK.flatMap(({ id, title, ...work }) =>
  COUNTS.map((workers) => ({
    id: `${id}-w${workers}`,
    title: `${title}, ${workers === 1 ? '1 process' : `${workers} processes`}`,
    workers,
    name: id,
    ...work,
  })),
)

export const WORKERS = [
  {
    id: 'workers',
    title: 'tools/call over HTTP, 2026-07-28, one process on one core and two on two, with a load generator on each core',
    columns: ['perSecond', 'cpuPer1000', 'capacity'],
    subjects: ['baseline', 'portcall'],
    cells: CELLS,
    rounds: 5,
    turns: 4,
    open: (name) =>
      openEach(CELLS, name, ({ workers }) => CALLERS.http(name, { mode: MODE, tools: 1, workers, generators: GENERATORS })),
    /**
     * One process shares its core with a load generator, as two do. The throughput of processes with a core each follows from their CPU per
     * request.
     */
    async measure(servers, cell, settings) {
      const { name, call, atOnce, workers } = cell
      const sample = await servers.of(cell).run({ name, calls: [call], concurrency: atOnce * workers }, settings)
      return { ...sample, capacity: (workers * 1000) / sample.cpuPer1000 }
    },
  },
]
