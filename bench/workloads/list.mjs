/** `tools/list` of 1,000 tools. */
import { openEach } from '../frame/each.mjs'
import { WAYS } from '../frame/ways.mjs'
import { subjectsFor } from '../subjects.mjs'
import { ask } from './ask.mjs'
import { MODE_TITLES } from './modes.mjs'

const CONCURRENCY = 4
/** With those that are no fillers these are 1,000 or a few less: not every server has all of those. */
const TOOLS = 994
const LEAST = 990
const MOST = 1000
const PAGE = 100
const OURS = ['floor', 'portcall']

const WHOLE = [{ method: 'tools/list', params: {}, check: { name: 'tools', least: LEAST, most: MOST } }]

/** The calls that fetch all pages, one after the other. */
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

/** A page more or less is no difference here: the figures of `paged` are of single pages. */
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
  open: (name) => openEach(CELLS, name, ({ page }) => WAYS.http(name, { mode, tools: TOOLS, page })),
  async measure(servers, cell, settings) {
    const server = servers.of(cell)
    return server.run({ name: 'list', calls: await cell.callsOf(server), concurrency: CONCURRENCY }, settings)
  },
})

export const LIST = [{ mode: 'modern' }, { mode: 'session', subjects: OURS }].map(group)
