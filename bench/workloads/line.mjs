/** One line of 50 MB over stdio, and one of 5 MB. */
import { CALLERS } from '../harness/callers.mjs'
import { subjectsFor } from '../subjects.mjs'
import { toolCall } from './messages.mjs'

const MB = 1_000_000
const OURS = ['baseline', 'portcall']
const MAX_LINE = 64 * MB

const cell = (megabytes, subjects) => ({
  id: `mb${megabytes}`,
  title: `${megabytes} MB`,
  megabytes,
  ...(subjects && { subjects }),
})

const callOf = (bytes) => toolCall('measure', { text: 'x'.repeat(bytes) }, { name: 'text', text: String(bytes) })

const group = (mode) => ({
  id: 'line',
  title: 'one line in pieces of 16 KB, stdio, 2026-07-28',
  columns: ['callMs', 'cpuMs', 'cpuMsPerMB', 'peakMB'],
  subjects: subjectsFor('stdio', mode),
  cells: [cell(5), cell(50, OURS)],
  rounds: 8,
  turns: 5,
  peerRounds: 1,
  async open(name) {
    const handle = await CALLERS.stdio(name, { mode, tools: 1, 'max-line': MAX_LINE })
    await handle.once('line', callOf(MB))
    return handle
  },
  async measure(handle, { megabytes }, { smoke }) {
    const sample = await handle.once('line', callOf(smoke ? MB : megabytes * MB))
    return { ...sample, cpuMsPerMB: sample.cpuMs / megabytes }
  },
})

export const LINE = [group('modern')]
