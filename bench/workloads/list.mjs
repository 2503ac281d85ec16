/** `tools/list` of 1,000 tools. */

import { withBefore } from '../against.mjs'
import { CALLERS } from '../harness/callers.mjs'
import { openEach } from '../harness/each.mjs'
import { subjectsFor } from '../subjects.mjs'
import { ask } from './ask.mjs'
import { MODE_TITLES } from './modes.mjs'

const CONCURRENCY = 4
/** Together with the other tools about 1,000: not every server has all of those. */
const TOOLS = 994
const LEAST = 990
const MOST = 1000
const PAGE = 100
const OURS = withBefore(['baseline', 'portcall'])

const WHOLE = [{ method: 'tools/list', params: {}, check: { name: 'tools', least: LEAST, most: MOST } }]

/** Fetches all pages, one after the other. */
async function pagesOf(server) {
  const calls = []
  let cursor
  do {
    const call = { method: 'tools/list', params: cursor ? { cursor } : {}, check: { name: 'tools', least: PAGE, most: PAGE } }
    calls.push(call)
    cursor = (await ask(server, call)).nextCursor
  } while (cursor)
  return calls
}

/** One page more or less does not matter here: the figures of `paged` are per page. */
const CELLS = [
  { id: 'whole', title: 'whole', page: MOST, callsOf: () => WHOLE },
  { id: 'paged', title: 'one page of 100', page: PAGE, callsOf: pagesOf, subjects: OURS },
]

const group = ({ mode, subjects = subjectsFor('http', mode) }) => ({
  id: `list/${mode}`,
  title: `tools/list of 1,000 tools, 4 at once, ${MODE_TITLES.http[mode]}`,
  columns: ['perSecond', 'p50', 'cpuPer1000'],
  subjects,
  cells: CELLS,
  rounds: 3,
  turns: 3,
  peerRounds: 1,
  open: (name) => openEach(CELLS, name, ({ page }) => CALLERS.http(name, { mode, tools: TOOLS, page })),
  async measure(servers, cell, settings) {
    const server = servers.of(cell)
    return server.run({ name: 'list', calls: await cell.callsOf(server), concurrency: CONCURRENCY }, settings)
  },
})

export const LIST = [{ mode: 'modern' }, { mode: 'session', subjects: OURS }].map(group)
