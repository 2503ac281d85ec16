/** Gateways: calls through them, the latency that they add, and what they cost when idle. */

import { withBefore } from '../against.mjs'
import { memoryOf } from '../harness/accounting.mjs'
import { onServerCore } from '../harness/cores.mjs'
import { openEach } from '../harness/each.mjs'
import { STDIO_FRONTS, startCopy, startGateway, startProxy, startUpstream, stdioUpstream } from '../harness/gateway.mjs'
import { runLoad } from '../harness/load.mjs'
import { startServer } from '../harness/server.mjs'
import { ID } from '../load/request.mjs'
import { installPeers } from '../prepare.mjs'
import { openingLines, openingPosts, posted, REVISIONS, requestText, toolCall } from './messages.mjs'
import { PROGRAMS_GROUP } from './programs.mjs'

const MB = 2 ** 20
const EVERY_MS = 5
const WARM = 3
/** These start the names of tools with the name of the server. */
const OURS = ['portcall', 'before']
const RENAMING = [...OURS, 'proxy']
const nameOf = (subject, tool) => (RENAMING.includes(subject) ? `s0__${tool}` : tool)
const addOf = (subject) => toolCall(nameOf(subject, 'add'), { a: ID, b: 2 }, { name: 'sum' })

const PAIRS = ['modern', 'session'].flatMap((front) => ['modern', 'session'].map((back) => ({ front, back })))
const http = ({ front, back }) => ({
  id: `${front}-${back}`,
  title: `${REVISIONS[front]} → HTTP, ${REVISIONS[back]}`,
  front,
  back,
  // A copy can change neither the revision nor the transport.
  subjects: withBefore(['direct', 'proxy', ...(front === back ? ['copy'] : []), 'portcall']),
})
const stdio = ({ front, back }) => ({
  id: `${front}-stdio-${back}`,
  title: `${REVISIONS[front]} → stdio, ${REVISIONS[back]}`,
  front,
  back,
  program: true,
  subjects: withBefore([
    'direct',
    'proxy',
    'portcall',
    ...(front === 'session' && back === 'session' ? ['mcp-proxy', 'supergateway'] : []),
  ]),
})
const CELLS = [...PAIRS.map(http), ...PAIRS.filter(({ front, back }) => front === back).map(stdio)]
/** The same in front of a server of the official SDK, which takes many times longer to answer. */
const OFFICIAL_CELLS = PAIRS.map((pair) => ({ ...http(pair), behind: 'official-2' }))

/** Pins the revision behind the gateway. */
const server = (target, back) => ({ target, protocolVersion: REVISIONS[back] })

/** Starts a gateway and its servers, or for `direct` only the server. Everything behind the gateway is closed with it. */
async function open(subject, { front, back, program, behind = 'portcall', tools = 1, upstreams = 1 }) {
  if (subject === 'direct') return { ...(await startServer(behind, { mode: back, tools })), mode: back }
  const upstream = program ? undefined : await startUpstream({ mode: back, tools }, behind)
  const target = program ? stdioUpstream({ mode: back, tools }) : `http://127.0.0.1:${upstream.port}/mcp`
  const withUpstream = ({ close, ...started }) => ({
    ...started,
    mode: front,
    close: () => Promise.all([close(), upstream?.close()]),
  })
  if (subject === 'copy') return withUpstream(await startCopy(upstream))
  if (subject === 'proxy') {
    const to = program ? { program: JSON.stringify(target) } : { port: `${upstream.port}` }
    return withUpstream(await startProxy({ front, back, ...to }))
  }
  const names = Array.from({ length: upstreams }, (_, index) => `s${index}`)
  const servers = OURS.includes(subject) ? Object.fromEntries(names.map((name) => [name, server(target, back)])) : { s0: target }
  return withUpstream(await startGateway(subject, servers))
}

const jobOf = ({ pid, port, mode }, subject, callOf = addOf) => {
  const { method, params, check } = callOf(subject)
  return { pid, port, opening: openingPosts(mode), requests: [{ ...posted(mode, method, params), check }] }
}

const openAll = async (cells, subject) => ({ ...(await openEach(cells, subject, (cell) => open(subject, cell))), subject })

const warm = new WeakSet()

/**
 * Returns the job of a call. The first time, the gateway is warmed up in a closed loop, because 200 calls/s would take minutes, and for longer than
 * a server: a call runs through twice as much code, which takes V8 seconds to optimize.
 */
async function warmJobOf(handle, subject, { warmMs, callOf }) {
  const job = { ...jobOf(handle, subject, callOf), concurrency: 16 }
  if (!warm.has(handle)) await runLoad('http', { ...job, warmMs: 0, ms: WARM * warmMs })
  warm.add(handle)
  return job
}

/** Calls in a closed loop. */
async function callsOf(handle, subject, settings) {
  const { ms, warmMs } = settings
  return runLoad('http', { ...(await warmJobOf(handle, subject, settings)), warmMs: warmMs / 10, ms })
}

const CALLS = {
  id: 'gateway/calls',
  title: 'tools/call through a gateway, HTTP, 16 at once',
  columns: ['perSecond', 'p50', 'p99', 'cpuPer1000'],
  subjects: withBefore(['direct', 'proxy', 'copy', 'portcall', 'mcp-proxy', 'supergateway']),
  cells: CELLS,
  rounds: 3,
  turns: 3,
  open: (subject) => openAll(CELLS, subject),
  measure: (handle, cell, settings) => callsOf(handle.of(cell), handle.subject, settings),
}

const ADDED = {
  id: 'gateway/added',
  title: 'tools/call through a gateway, 200 calls/s',
  columns: ['p50', 'p99'],
  subjects: withBefore(['direct', 'proxy', 'portcall', 'mcp-proxy', 'supergateway']),
  cells: CELLS,
  rounds: 2,
  turns: 2,
  open: (subject) => openAll(CELLS, subject),
  async measure(handle, cell, settings) {
    const { ms, warmMs } = settings
    const job = await warmJobOf(handle.of(cell), handle.subject, settings)
    return runLoad('paced', { ...job, everyMs: EVERY_MS, warmMs: warmMs / 10, ms: 2 * ms })
  },
}

const LARGE_BYTES = 50_000
const LARGE_CELLS = CELLS.filter(({ id }) => ['modern-modern', 'session-session', 'modern-stdio-modern'].includes(id))

const LARGE = {
  id: 'gateway/large',
  title: 'tools/call with a result of 50 KB through a gateway, HTTP, 16 at once',
  columns: ['perSecond', 'p50', 'cpuPer1000', 'peakMB'],
  subjects: withBefore(['direct', 'proxy', 'portcall']),
  cells: LARGE_CELLS,
  rounds: 3,
  turns: 3,
  open: (subject) => openAll(LARGE_CELLS, subject),
  async measure(handle, cell, settings) {
    const callOf = (subject) => toolCall(nameOf(subject, 'blob'), { bytes: LARGE_BYTES }, { name: 'length', bytes: LARGE_BYTES })
    const open = handle.of(cell)
    const sample = await callsOf(open, handle.subject, { ...settings, callOf })
    return { ...sample, peakMB: memoryOf(open.pid).peak / MB }
  },
}

const inFrontOfOfficial = (group, title) => ({
  ...group,
  id: `${group.id}-official`,
  title,
  subjects: ['direct', 'portcall'],
  cells: OFFICIAL_CELLS,
  prepare: installPeers,
  open: (subject) => openAll(OFFICIAL_CELLS, subject),
})

/** `mcp-remote` serves one program over stdio. */
const FRONT = {
  id: 'gateway/stdio',
  title: 'tools/call through a bridge, stdio → HTTP, 2025-11-25, 16 in flight',
  columns: ['perSecond', 'p50', 'p99', 'cpuPer1000'],
  subjects: ['portcall', 'mcp-remote'],
  cells: [{ id: 'session', title: '2025-11-25' }],
  rounds: 3,
  turns: 2,
  async open(subject) {
    const upstream = await startUpstream({ mode: 'session', tools: 1 })
    const args = STDIO_FRONTS[subject](`http://127.0.0.1:${upstream.port}/mcp`)
    const program = onServerCore({ command: process.execPath, args })
    const { pid } = await runLoad('open', { ...program, opening: openingLines('session') })
    return { pid, subject, close: () => Promise.all([runLoad('close', { pid }), upstream.close()]) }
  },
  measure({ pid, subject }, _cell, { ms, warmMs }) {
    const { method, params, check } = addOf(subject)
    const requests = [{ line: requestText('session', method, params), check }]
    return runLoad('stdio', { pid, requests, concurrency: 16, warmMs, ms })
  },
}

const sized = (id, title, size) => ({ id, title, front: 'modern', back: 'modern', ...size })
const SIZES = [
  sized('u1', '1 server', { upstreams: 1 }),
  sized('u50', '50 servers', { upstreams: 50 }),
  sized('t10', '10 tools', { tools: 10 }),
  sized('t2000', '2,000 tools', { tools: 2000 }),
]

const MANY = {
  id: 'gateway/many',
  title: 'tools/call through a gateway to many servers and tools, 16 at once, 2026-07-28',
  columns: ['perSecond', 'p50', 'cpuPer1000'],
  subjects: ['portcall'],
  cells: SIZES,
  rounds: 3,
  turns: 3,
  open: (subject) => openAll(SIZES, subject),
  measure: (handle, cell, settings) => callsOf(handle.of(cell), handle.subject, settings),
}

const IDLE = {
  id: 'gateway/idle',
  title: 'a gateway with ten HTTP servers, from spawn',
  columns: ['readyMs', 'idleMB'],
  subjects: ['portcall'],
  cells: [sized('u10', '10 servers', { upstreams: 10, tools: 10 })],
  rounds: 5,
  async open() {
    const upstream = await startUpstream({ mode: 'modern', tools: 10 })
    return { url: `http://127.0.0.1:${upstream.port}/mcp`, close: () => upstream.close() }
  },
  async measure({ url }, { upstreams, front }) {
    const startedAt = performance.now()
    const servers = Array.from({ length: upstreams }, (_, index) => [`s${index}`, url])
    const gateway = await startGateway('portcall', Object.fromEntries(servers))
    const readyMs = performance.now() - startedAt
    const { headers, body } = posted(front, 'tools/list')
    const response = await fetch(`http://127.0.0.1:${gateway.port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: body.replaceAll(ID, '1'),
    })
    const listed = (await response.text()).split('"name":"s').length - 1
    if (listed < upstreams) throw new Error(`only ${listed} tools were listed`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const idleMB = memoryOf(gateway.pid).resident / MB
    await gateway.close()
    return { readyMs, idleMB }
  },
}

export const GATEWAY = [
  CALLS,
  LARGE,
  ADDED,
  inFrontOfOfficial(CALLS, 'tools/call through a gateway to a server of the official SDK 2.4, HTTP, 16 at once'),
  inFrontOfOfficial(ADDED, 'tools/call through a gateway to a server of the official SDK 2.4, 200 calls/s'),
  FRONT,
  MANY,
  IDLE,
  PROGRAMS_GROUP,
]
