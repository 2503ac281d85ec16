/** A gateway of many programs, as the hosts of one person use it: processes, the first list, and the memory of the gateway itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { familyOf, memoryOf } from '../harness/accounting.mjs'
import { onServerCore } from '../harness/cores.mjs'
import { programOf } from '../subjects.mjs'
import { PORTCALL } from './command-lines.mjs'
import { REVISIONS } from './messages.mjs'

const MB = 2 ** 20
const PROGRAMS = 14
const FEW = 3
const TOOLS = 11
const START_MS = 60_000
const SETTLE_MS = 10_000
const HEAP = fileURLToPath(new URL('../harness/heap.mjs', import.meta.url))

const elicit = () => ({ action: 'accept', content: { name: 'Ada' } })
const sample = () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } })
const roots = [{ uri: 'file:///work' }]
/** The capabilities that five hosts declare. */
const CLIENTS = [{ elicit }, {}, { sample }, { roots }, { elicit, roots }]

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Writes the configuration of a person with some programs. */
function writeConfiguration(directory, count) {
  const program = programOf('portcall', 'stdio', { mode: 'session', tools: TOOLS })
  const names = Array.from({ length: count }, (_, index) => `s${index}`)
  const file = join(directory, 'gateway.json')
  const settings = { protocolVersion: REVISIONS.session }
  const gateway = { servers: Object.fromEntries(names.map((name) => [name, settings])) }
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, program])), gateway }))
  return file
}

/** Starts the command `portcall gateway`. */
async function startCommand(directory, file) {
  const node = ['--expose-gc', '--import', HEAP]
  const args = [...node, PORTCALL, 'gateway', '--config', file, '--port', '0', '--json', '--no-watch']
  const program = onServerCore({ command: process.execPath, args })
  const env = { ...process.env, PORTCALL_HOME: directory }
  const child = spawn(program.command, program.args, { env, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] })
  const ended = once(child, 'exit')
  const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(START_MS) })
  return {
    pid: child.pid,
    url: JSON.parse(line).url,
    async heap() {
      child.send('heap')
      return (await once(child, 'message'))[0]
    },
    async close() {
      child.kill()
      await ended
    },
  }
}

/** Counts the programs below a process. */
function countPrograms(pid) {
  const isProgram = (one) => readFileSync(`/proc/${one}/cmdline`, 'latin1').includes('servers/portcall.mjs')
  return familyOf(pid).filter((one) => one !== pid && isProgram(one)).length
}

/** Lists and calls as the hosts do, one after another. Returns the milliseconds until the first list, which must be complete. */
async function use({ url }, count, startedAt) {
  let firstMs
  for (const options of CLIENTS) {
    const client = await connect(url, { ...options, protocolVersion: REVISIONS.session })
    const tools = await client.tools().toArray()
    firstMs ??= performance.now() - startedAt
    const servers = new Set(tools.map(({ name }) => name.split('__', 1)[0]))
    if (servers.size < count) throw new Error(`the list has the tools of ${servers.size} servers, not of ${count}`)
    for (const server of servers) await client.callTool(`${server}__add`, { a: 1, b: 2 })
    if (options.elicit) await client.callTool('s0__ask')
    await client.close()
  }
  return firstMs
}

export const PROGRAMS_GROUP = {
  id: 'gateway/programs',
  title: '`portcall gateway` with 14 programs of 2025-11-25, for five clients with different capabilities, from spawn',
  columns: ['firstMs', 'processes', 'peakMB', 'residentMB', 'heapMB'],
  subjects: process.platform === 'linux' ? ['portcall'] : [],
  cells: [{ id: 'clients', title: 'five clients' }],
  rounds: 3,
  open() {
    const directory = mkdtempSync(join(tmpdir(), 'portcall-programs-'))
    return { directory, close: () => rmSync(directory, { recursive: true, force: true }) }
  },
  async measure({ directory }, _cell, { smoke }) {
    const count = smoke ? FEW : PROGRAMS
    const file = writeConfiguration(directory, count)
    const startedAt = performance.now()
    const gateway = await startCommand(directory, file)
    try {
      const firstMs = await use(gateway, count, startedAt)
      const processes = countPrograms(gateway.pid)
      const peakMB = memoryOf(gateway.pid).peak / MB
      // What is left after garbage collections belongs to the gateway. V8 makes its young generation smaller only when little is allocated.
      await gateway.heap()
      await wait(smoke ? 0 : SETTLE_MS)
      const heapMB = (await gateway.heap()) / MB
      return { firstMs, processes, peakMB, residentMB: memoryOf(gateway.pid).resident / MB, heapMB }
    } finally {
      await gateway.close()
    }
  },
}
