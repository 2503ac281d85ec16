/** A tool that requests input once: call, input request, response, result. */
import { runLoad } from '../harness/load.mjs'
import { startServer } from '../harness/server.mjs'
import { capabilitiesMeta, openingPosts, posted } from './messages.mjs'
import { MODE_TITLES } from './modes.mjs'

const CAPABILITIES = { elicitation: {} }

/** The subjects that can request input in a mode; the others cannot, or use a separate stream. */
const SUBJECTS = {
  modern: ['baseline', 'portcall', 'official-2', 'tmcp', 'rust'],
  session: ['baseline', 'portcall', 'official-1', 'official-2'],
}

const group = (mode) => ({
  id: `elicit/${mode}`,
  title: `elicitation, ${MODE_TITLES.http[mode]}`,
  columns: ['perSecond', 'p50', 'p99', 'cpuPer1000'],
  subjects: SUBJECTS[mode],
  cells: [1, 16].map((concurrency) => ({ id: `c${concurrency}`, title: `${concurrency} at once`, concurrency })),
  rounds: 5,
  open: (name) => startServer(name, { mode, tools: 1, framing: 'stream' }),
  async measure({ pid, port }, { concurrency }, { ms, warmMs }) {
    const request = posted(mode, 'tools/call', {
      name: 'ask',
      arguments: {},
      ...(mode === 'modern' && { meta: capabilitiesMeta(CAPABILITIES) }),
    })
    const opening = openingPosts(mode, CAPABILITIES)
    return runLoad('elicit', { pid, port, mode, request, opening, concurrency, warmMs, ms })
  },
})

export const ELICIT = Object.keys(SUBJECTS).map(group)
