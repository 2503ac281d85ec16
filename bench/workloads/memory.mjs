/** The memory cost of a thousand sessions and of a thousand open streams. */
import { memoryOf } from '../harness/accounting.mjs'
import { runLoad } from '../harness/load.mjs'
import { startServer } from '../harness/server.mjs'
import { subjectsFor } from '../subjects.mjs'
import { ADD, openingPosts, posted } from './messages.mjs'

const MANY = 1000
const FEW = 20
const KIB = 1024
const MB = 2 ** 20
/** Enough for a smoke test. */
const SOME = 50
const SETTLE_MS = 300

const LISTEN = posted('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
const VERSION = { 'mcp-protocol-version': '2025-11-25' }

const KINDS = [
  { what: 'session', mode: 'session', title: '1,000 idle sessions' },
  { what: 'standing', mode: 'session', title: '1,000 sessions, each with an open GET' },
  { what: 'listen', mode: 'modern', title: '1,000 open subscriptions/listen' },
]

/** Subjects that need minutes to open a thousand sessions. */
const SLOW = new Set(['fastmcp', 'python'])

/** Subjects with subscription streams of 2026-07-28 on the same server. */
const LISTENERS = ['baseline', 'portcall', 'official-2', 'tmcp']

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the memory in use in bytes, after a garbage collection where possible. */
async function use(server) {
  await wait(SETTLE_MS)
  const heap = await server.heap()
  return { heap, resident: memoryOf(server.pid).resident }
}

async function warm(server, mode, ms) {
  const { method, params, check } = ADD
  const requests = [{ ...posted(mode, method, params), check }]
  await runLoad('http', { ...server, opening: openingPosts(mode), requests, concurrency: 16, warmMs: 0, ms })
}

export const MEMORY = KINDS.map(({ what, mode, title }) => ({
  id: `memory/${what}`,
  title,
  columns: ['heapKB', 'residentKB', 'baseMB'],
  subjects: what === 'listen' ? LISTENERS : subjectsFor('http', mode).filter((name) => !SLOW.has(name)),
  cells: [{ id: 'each', title: 'each' }],
  rounds: 3,
  open: (name) => startServer(name, { mode, tools: 1 }, { heap: true }),
  async measure(server, _cell, { warmMs, smoke }) {
    const many = smoke ? SOME : MANY
    const { pid, port } = server
    const job = { what, target: { port }, opening: openingPosts(mode), request: LISTEN, version: VERSION }
    await warm({ pid, port }, mode, warmMs)
    await runLoad('hold', { ...job, count: FEW })
    const before = await use(server)
    await runLoad('hold', { ...job, count: many })
    const after = await use(server)
    await runLoad('letGo', {})
    const each = (name) => (after[name] - before[name]) / many / KIB
    return { heapKB: each('heap'), residentKB: each('resident'), baseMB: before.resident / MB }
  },
}))
