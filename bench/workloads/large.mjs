/** One MiB of text, as a result and as an argument. */
import { withBefore } from '../against.mjs'
import { CALLERS } from '../harness/callers.mjs'
import { subjectsFor } from '../subjects.mjs'
import { toolCall } from './messages.mjs'
import { MODE_TITLES } from './modes.mjs'

const MIB = 2 ** 20
const CONCURRENCY = 4
const OURS = withBefore(['baseline', 'portcall'])

const RESULT = toolCall('blob', { bytes: MIB }, { name: 'length', bytes: MIB })
const ARGUMENT = toolCall('measure', { text: 'x'.repeat(MIB) }, { name: 'text', text: String(MIB) })

const CELLS = [
  { id: 'result', title: '1 MiB result', call: RESULT },
  { id: 'argument', title: '1 MiB argument', call: ARGUMENT },
]

const group = ({ transport, mode, subjects = subjectsFor(transport, mode) }) => ({
  id: `large/${transport}/${mode}`,
  title: `1 MiB of text, 4 at once, ${MODE_TITLES[transport][mode]}`,
  columns: ['perSecond', 'p50', 'cpuPer1000', 'peakMB'],
  subjects,
  cells: CELLS,
  rounds: 3,
  turns: 3,
  peerRounds: 1,
  open: (name) => CALLERS[transport](name, { mode, tools: 1 }),
  measure: (handle, { id, call }, settings) => handle.run({ name: id, calls: [call], concurrency: CONCURRENCY }, settings),
})

export const LARGE = [
  { transport: 'http', mode: 'modern' },
  { transport: 'http', mode: 'session', subjects: OURS },
  { transport: 'stdio', mode: 'modern' },
  { transport: 'stdio', mode: 'session', subjects: OURS },
].map(group)
