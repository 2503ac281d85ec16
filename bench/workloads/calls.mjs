/** `tools/call` of a small tool, over both transports, in each mode. */
import { CALLERS, runAlternately } from '../harness/callers.mjs'
import { SUBJECTS, subjectsFor } from '../subjects.mjs'
import { ADD } from './messages.mjs'
import { MODE_TITLES } from './modes.mjs'

const COLUMNS = ['perSecond', 'p50', 'p99', 'cpuPer1000', 'peakMB']
const WARM = 16

const http = (concurrency) => ({ id: `c${concurrency}`, title: `${concurrency} at once`, concurrency })
const stdio = (concurrency, title) => ({ id: `c${concurrency}`, title, concurrency })

const CELLS = {
  http: [http(1), http(16), http(64)],
  stdio: [stdio(1, 'one after the other'), stdio(64, '64 in flight')],
}

const workOf = ({ concurrency }) => ({ name: 'add', calls: [ADD], concurrency, warmConcurrency: WARM })

/** Calls over pipes are so cheap that Portcall and the baseline are close to each other, and so are two builds of Portcall. */
const NEAR = { stdio: ['baseline', 'portcall', 'before'], http: SUBJECTS.before ? ['portcall', 'before'] : [] }

/** How groups of calls are measured. `workOf` returns the work of a cell. */
export const measureCalls = (workOf) => ({
  measure: (handle, at, settings) => handle.run(workOf(at), settings),
  measureAlternately: (places, settings) =>
    runAlternately(
      places.map(({ handle }) => handle),
      workOf(places[0].cell),
      settings,
    ),
})

const group = ({ transport, mode, also = [], ...rest }) => ({
  id: `${transport}/${mode}`,
  title: `tools/call, ${MODE_TITLES[transport][mode]}`,
  columns: COLUMNS,
  subjects: [...subjectsFor(transport, mode), ...also],
  cells: CELLS[transport],
  rounds: 4,
  turns: 4,
  peerRounds: 4,
  open: (name) => CALLERS[transport](name, { mode, tools: 1 }),
  together: ({ id }, subject) => (NEAR[transport].includes(subject) ? id : undefined),
  ...measureCalls(workOf),
  ...rest,
})

/** Traced calls alternate with calls that are not traced, because they are close to each other. */
const TRACED = {
  id: 'telemetry/http/modern',
  title: 'tools/call with and without OpenTelemetry, HTTP, 2026-07-28',
  subjects: ['portcall', 'portcall-traced', 'bare-traced'],
  together: ({ id }) => id,
}

export const CALLS = [
  { transport: 'http', mode: 'modern', also: ['portcall-zod'] },
  { transport: 'http', mode: 'session' },
  { transport: 'http', mode: 'stateless' },
  { transport: 'stdio', mode: 'modern' },
  { transport: 'stdio', mode: 'session' },
  { transport: 'http', mode: 'modern', ...TRACED },
].map(group)
