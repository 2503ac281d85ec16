/** `tools/call` of a small tool among many: the cost of a call must not depend on the number of registered tools. */

import { CALLERS, runAlternately } from '../harness/callers.mjs'
import { openEach } from '../harness/each.mjs'
import { subjectsFor } from '../subjects.mjs'
import { ADD } from './messages.mjs'
import { MODE_TITLES } from './modes.mjs'

const OURS = ['baseline', 'portcall']
const WORK = { name: 'add', calls: [ADD], concurrency: 16 }

const cell = (tools, subjects) => ({
  id: `t${tools}`,
  title: tools === 1 ? '1 tool' : `${tools.toLocaleString('en')} tools`,
  tools,
  ...(subjects && { subjects }),
})

const LEAST = cell(1, OURS)
const MOST = cell(1000)

const group = ({ mode, cells }) => ({
  id: `tools/${mode}`,
  title: `tools/call among many tools, 16 at once, ${MODE_TITLES.http[mode]}`,
  columns: ['perSecond', 'p50', 'cpuPer1000'],
  subjects: subjectsFor('http', mode),
  cells,
  rounds: 8,
  turns: 3,
  peerRounds: 1,
  open: (name) => openEach(cells, name, ({ tools }) => CALLERS.http(name, { mode, tools })),
  together: (_, subject) => subject,
  measure: (servers, at, settings) => servers.of(at).run(WORK, settings),
  measureAlternately: (places, settings) =>
    runAlternately(
      places.map(({ handle, cell: at }) => handle.of(at)),
      WORK,
      settings,
    ),
})

export const COUNTS = [
  { mode: 'modern', cells: [LEAST, cell(100, OURS), cell(500, OURS), MOST] },
  { mode: 'session', cells: [LEAST, MOST] },
  { mode: 'stateless', cells: [LEAST, MOST] },
].map(group)
