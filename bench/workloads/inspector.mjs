/** Inspectors: from the start to the page, and their memory, idle and with many messages. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { cpuSeconds, familyOf, memoryOf } from '../harness/accounting.mjs'
import { onServerCore } from '../harness/cores.mjs'
import { programOf } from '../subjects.mjs'
import { INSPECTOR, NODE, PORTCALL } from './command-lines.mjs'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const MB = 2 ** 20
const SETTLE_MS = 1000
/** Two messages each. */
const CALLS = 25_000
const MOST_CALLS = 10_000
const SOME_CALLS = 100

const LINES = {
  baseline: [at('baseline/page.mjs')],
  portcall: [PORTCALL, 'inspect', '--no-open'],
  inspector: INSPECTOR,
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Starts an inspector, and waits for its address. */
async function start(args) {
  const home = mkdtempSync(join(tmpdir(), 'portcall-bench-'))
  const env = { ...process.env, HOME: home, PORTCALL_HOME: home, MCP_AUTO_OPEN_ENABLED: 'false' }
  const { command, args: all } = onServerCore({ command: NODE, args })
  const child = spawn(command, all, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const close = async () => {
    for (const pid of familyOf(child.pid).toReversed()) process.kill(pid, 'SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(home, { recursive: true, force: true })
  }
  const url = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(line) ?? []
        if (found) resolve(found)
      })
    child.once('exit', (code) => reject(new Error(`the inspector ended with ${code}`)))
  })
  return { pid: child.pid, url, close }
}

const residentMB = (pid) => familyOf(pid).reduce((sum, one) => sum + memoryOf(one).resident, 0) / MB

async function measureReady({ args }, _cell, { smoke }) {
  const startedAt = performance.now()
  const { pid, url, close } = await start(args)
  try {
    const response = await fetch(url, { redirect: 'manual' })
    await response.text()
    if (response.status !== 200 && response.status !== 303) throw new Error(`the page is HTTP ${response.status}`)
    const [readyMs, startCpuMs] = [performance.now() - startedAt, 1000 * cpuSeconds(pid, true)]
    await wait(smoke ? 0 : SETTLE_MS)
    return { readyMs, startCpuMs, idleMB: residentMB(pid) }
  } finally {
    await close()
  }
}

/** A page of `portcall inspect`: sends commands, and reads all events. */
async function openPage(link) {
  const { origin } = new URL(link)
  const opened = await fetch(link, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie').split(';')[0]
  const { hash } = new URL(opened.headers.get('location'), link)
  const headers = { cookie, 'x-inspector-key': new URLSearchParams(hash.slice(1)).get('key') }
  const abort = new AbortController()
  const stream = await fetch(`${origin}/api/events`, { headers, signal: abort.signal })
  if (stream.status !== 200) throw new Error(`the event stream is HTTP ${stream.status}`)
  const lines = createInterface({ input: Readable.fromWeb(stream.body) })
  const waiting = new Set()
  lines.on('line', (line) => {
    if (line.startsWith('data:')) for (const look of waiting) look(JSON.parse(line.slice(5)))
  })
  lines.on('error', () => {})
  return {
    close: () => abort.abort(),
    async send(name, params) {
      const response = await fetch(`${origin}/api/command`, {
        method: 'POST',
        headers: { ...headers, origin, 'content-type': 'application/json' },
        body: JSON.stringify({ name, params }),
      })
      const answer = await response.json()
      if (!answer.ok) throw new Error(answer.error.message)
      return answer.result
    },
    /** Resolves to what `find` returns for an event, once that is not undefined. */
    event: (find) =>
      new Promise((resolve) => {
        const look = (event) => {
          const found = find(event)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
      }),
  }
}

const connected = ({ type, server, state }) =>
  (type === 'server' ? [server] : type === 'snapshot' ? state.servers : []).find(({ status }) => status === 'connected')?.id

async function measureMessages(_handle, _cell, { smoke }) {
  const { command, args } = programOf('portcall', 'stdio', { mode: 'modern', tools: 1 })
  const { pid, url, close } = await start([PORTCALL, 'inspect', '--no-open', '--', command, ...args])
  try {
    const page = await openPage(url)
    const serverId = await page.event(connected)
    const before = memoryOf(pid).resident
    const cpuBefore = cpuSeconds(pid)
    for (let left = smoke ? SOME_CALLS : CALLS; left > 0; left -= MOST_CALLS) {
      const repeat = { count: Math.min(left, MOST_CALLS), concurrency: 16 }
      const request = { type: 'call-tool', name: 'add', arguments: { a: 1, b: 2 } }
      const done = page.event(
        ({ type, operation }) => (type === 'operation' && operation.repeated?.succeeded === repeat.count) || undefined,
      )
      await page.send('operate', { serverId, request, options: { repeat } })
      await done
    }
    const cpuMs = (1000 * (cpuSeconds(pid) - cpuBefore)) / (smoke ? SOME_CALLS : CALLS)
    await wait(smoke ? 0 : SETTLE_MS)
    page.close()
    return { baseMB: before / MB, residentMB: memoryOf(pid).resident / MB, cpuMs }
  } finally {
    await close()
  }
}

export const INSPECTORS = [
  {
    id: 'inspector/ready',
    title: 'Inspectors, from start to the page',
    columns: ['readyMs', 'startCpuMs', 'idleMB'],
    subjects: Object.keys(LINES),
    cells: [{ id: 'ready', title: 'no server' }],
    rounds: 11,
    peerRounds: 5,
    open: (name) => ({ args: LINES[name], close() {} }),
    measure: measureReady,
  },
  {
    id: 'inspector/messages',
    title: 'The inspector with 50,000 messages of a program',
    columns: ['cpuMs', 'baseMB', 'residentMB'],
    subjects: ['portcall'],
    cells: [{ id: 'messages', title: '25,000 calls' }],
    rounds: 3,
    open: () => ({ close() {} }),
    measure: measureMessages,
  },
]
