/** How much a server buffers for a client that stops reading in the middle of 200,000 notifications. */
import { CALLERS } from '../harness/callers.mjs'
import { ID } from '../load/request.mjs'
import { MODE_TITLES } from './modes.mjs'

const COUNT = 200_000

/** Enough for a smoke test: more than the kernel buffers. */
const FEW = 60_000

const callOf = (count) => ({
  method: 'tools/call',
  params: { name: 'flood', arguments: { count }, meta: { progressToken: ID } },
})

const group = ({ transport, mode }) => ({
  id: `paused/${transport}/${mode}`,
  title: `200,000 notifications to a reader that pauses, ${MODE_TITLES[transport][mode]}`,
  columns: ['heldKB', 'peakMB'],
  subjects: ['baseline', 'portcall'],
  cells: [{ id: 'held', title: 'kept for it' }],
  rounds: 1,
  open: (name) => CALLERS[transport](name, { mode, tools: 1 }),
  measure: (handle, _cell, { smoke }) => handle.once('paused', callOf(smoke ? FEW : COUNT)),
})

export const PAUSED = [
  { transport: 'http', mode: 'modern' },
  { transport: 'http', mode: 'session' },
  { transport: 'stdio', mode: 'modern' },
].map(group)
