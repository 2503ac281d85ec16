/**
 * `tools/call` of a small tool inside a framework. The baseline is `node:http` without a framework; the subject `framework` has the answers of the
 * baseline, and shows what the framework itself costs.
 */
import { withBefore } from '../against.mjs'
import { CALLERS } from '../harness/callers.mjs'
import { installPeers } from '../prepare.mjs'
import { measureCalls } from './calls.mjs'
import { ADD } from './messages.mjs'

const PLAIN = withBefore(['baseline', 'portcall'])
const OURS = [...PLAIN, 'framework']
const BOTH = [...OURS, 'official-2']
const CELLS = [1, 16, 64].map((concurrency) => ({ id: `c${concurrency}`, title: `${concurrency} at once`, concurrency }))

const workOf = ({ concurrency }) => ({ name: 'add', calls: [ADD], concurrency })

const group = ({ framework, title, subjects = BOTH, prepare }) => ({
  id: `frameworks/${framework}`,
  title: `tools/call inside ${title}, HTTP, 2026-07-28`,
  columns: ['perSecond', 'p50', 'cpuPer1000'],
  subjects,
  prepare,
  cells: CELLS,
  rounds: 3,
  turns: 4,
  peerRounds: 2,
  open: (name) => CALLERS.http(name, { mode: 'modern', tools: 1, ...(name !== 'baseline' && { framework }) }),
  together: ({ id }, subject) => (OURS.includes(subject) ? id : undefined),
  ...measureCalls(workOf),
})

export const FRAMEWORKS = [
  { framework: 'node', title: '`node:http`', subjects: [...PLAIN, 'official-2'] },
  { framework: 'express', title: 'Express', prepare: installPeers },
  { framework: 'fastify', title: 'Fastify', prepare: installPeers },
  { framework: 'hono', title: 'Hono on Node.js', prepare: installPeers },
  { framework: 'koa', title: 'Koa', subjects: OURS, prepare: installPeers },
].map(group)
