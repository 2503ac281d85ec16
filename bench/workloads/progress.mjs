/** Ten thousand progress notifications on one call. */
import { withBefore } from '../against.mjs'
import { CALLERS } from '../harness/callers.mjs'
import { ID } from '../load/request.mjs'
import { subjectsFor } from '../subjects.mjs'
import { MODE_TITLES } from './modes.mjs'

const COUNT = 10_000
const OURS = withBefore(['baseline', 'portcall'])

const CALL = {
  method: 'tools/call',
  params: { name: 'progress', arguments: { count: COUNT }, meta: { progressToken: ID } },
  check: { name: 'text', text: 'done', notifications: COUNT },
}

const group = ({ transport, mode, subjects = subjectsFor(transport, mode) }) => ({
  id: `progress/${transport}/${mode}`,
  title: `10,000 progress notifications on one call, ${MODE_TITLES[transport][mode]}`,
  columns: ['callMs', 'cpuMs', 'notificationsPerSecond'],
  subjects,
  cells: [{ id: 'call', title: 'one call' }],
  rounds: 3,
  turns: 3,
  peerRounds: 1,
  open: (name) => CALLERS[transport](name, { mode, tools: 1, framing: 'stream' }),
  async measure(handle, _cell, settings) {
    const { perSecond, p50, cpuPer1000 } = await handle.run({ name: 'progress', calls: [CALL], concurrency: 1 }, settings)
    return { callMs: p50, cpuMs: cpuPer1000, notificationsPerSecond: perSecond * COUNT }
  },
})

export const PROGRESS = [
  { transport: 'http', mode: 'modern' },
  { transport: 'http', mode: 'session', subjects: OURS },
  { transport: 'stdio', mode: 'modern' },
  { transport: 'stdio', mode: 'session', subjects: OURS },
].map(group)
