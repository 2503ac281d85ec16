/** From the start of a program to its first response. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpuSeconds, memoryOf } from '../harness/accounting.mjs'
import { onServerCore } from '../harness/cores.mjs'
import { startServer } from '../harness/server.mjs'
import { ID } from '../load/request.mjs'
import { programOf, subjectsFor } from '../subjects.mjs'
import { ADD, openingLines, openingPosts, posted, requestText } from './messages.mjs'

const MB = 2 ** 20

/** The first request of a mode. */
const FIRST = {
  modern: { line: requestText('modern', ADD.method, ADD.params), post: posted('modern', ADD.method, ADD.params) },
  session: { line: openingLines('session')[0], post: openingPosts('session')[0] },
}
const withId = (text) => text.replaceAll(ID, '1')

const sampleOf = (pid, startedAt) => ({
  firstMs: performance.now() - startedAt,
  startCpuMs: 1000 * cpuSeconds(pid),
  peakMB: memoryOf(pid).peak / MB,
})

async function startStdio(name, mode) {
  const { command, args } = onServerCore(programOf(name, 'stdio', { mode, tools: 1 }))
  const startedAt = performance.now()
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(`${withId(FIRST[mode].line)}\n`)
  await once(child.stdout, 'data')
  const sample = sampleOf(child.pid, startedAt)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return sample
}

async function startHttp(name, mode) {
  const startedAt = performance.now()
  const server = await startServer(name, { mode, tools: 1 })
  const { headers, body } = FIRST[mode].post
  const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: withId(body),
  })
  if (!response.ok) throw new Error(`${name} answered with HTTP ${response.status}`)
  await response.body.getReader().read()
  const sample = sampleOf(server.pid, startedAt)
  await server.close()
  return sample
}

const START = { stdio: startStdio, http: startHttp }
const MODES = [
  { id: 'modern', title: '2026-07-28' },
  { id: 'session', title: '2025-11-25' },
]

const namesFor = (transport) => [...new Set(MODES.flatMap(({ id }) => subjectsFor(transport, id)))]

export const COLD = ['stdio', 'http'].map((transport) => ({
  id: `cold/${transport}`,
  title: `From spawn to the first answer, ${transport === 'http' ? 'HTTP' : 'stdio'}`,
  columns: ['firstMs', 'startCpuMs', 'peakMB'],
  subjects: namesFor(transport),
  cells: MODES.map((mode) => ({ ...mode, subjects: subjectsFor(transport, mode.id) })),
  rounds: 21,
  open: (name) => ({ name, close() {} }),
  measure: ({ name }, { id }) => START[transport](name, id),
}))
