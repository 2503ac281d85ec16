/** `tools/call` of a small tool, over both transports, in each mode. */
import { WAYS } from '../frame/ways.mjs'
import { subjectsFor } from '../subjects.mjs'
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

const group = ({ transport, mode, also = [] }) => ({
  id: `${transport}/${mode}`,
  title: `tools/call, ${MODE_TITLES[transport][mode]}`,
  columns: COLUMNS,
  subjects: [...subjectsFor(transport, mode), ...also],
  cells: CELLS[transport],
  rounds: 4,
  turns: 4,
  peerRounds: 4,
  open: (name) => WAYS[transport](name, { mode, tools: 1 }),
  measure: (handle, { concurrency }, settings) =>
    handle.run({ name: 'add', calls: [ADD], concurrency, warmConcurrency: WARM }, settings),
})

export const CALLS = [
  { transport: 'http', mode: 'modern', also: ['portcall-zod'] },
  { transport: 'http', mode: 'session' },
  { transport: 'http', mode: 'stateless' },
  { transport: 'stdio', mode: 'modern' },
  { transport: 'stdio', mode: 'session' },
].map(group)
