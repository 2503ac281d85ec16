/** `serve(server, { workers })`: several processes on one port, their failures, and how they end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect as openSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { idempotencyKey, verifyAuditLog } from 'portcall/middleware'
import { tasks } from 'portcall/tasks/client'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { isRunning } from '../../packages/util/src/is-running.ts'
import { openWorkers, runCalls, violationsOf, whenBusy } from '../scale/support/work.ts'
import { freePort } from '../support/free-port.mjs'
import { callOnce, callSteadily } from './support/calls.ts'
import { killServers, startServer } from './support/program.ts'

const COUNT = 3
const LONG_MS = 120_000

afterEach(killServers)

/** Returns the process ids of the workers, found by calls on new connections. */
async function pidsOf(url: string): Promise<number[]> {
  const pids = new Set<number>()
  return eventually(async () => {
    for (let call = 0; call < COUNT; call++) pids.add(Number(await callOnce(url, 'pid')))
    expect(pids.size).toBe(COUNT)
    return [...pids]
  })
}

function newTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

/** Runs a function with a client on connections of its own. */
async function withClient<T>(url: string, run: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url)
  return run(client).finally(() => client.close())
}

describe.skipIf(process.platform === 'win32')('workers', () => {
  test('connections go to each worker in turn, and each knows its number', { timeout: LONG_MS }, async () => {
    const { url } = await startServer()
    const numbers: string[] = []
    for (let call = 0; call < 3 * COUNT; call++) numbers.push(await callOnce(url, 'number'))
    expect(numbers.sort()).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3'])
  })

  test('metrics are those of all workers, whichever of them responds, and stay when a worker ends', {
    timeout: LONG_MS,
  }, async () => {
    const { url } = await startServer()
    const read = async (): Promise<string> => {
      const response = await fetch(new URL('/metrics', url), { headers: { connection: 'close' } })
      return response.text()
    }
    /** Returns how often the tool was called, in the order of the scrapes. */
    const scrape = async (): Promise<number[]> => {
      const counts: number[] = []
      for (let at = 0; at < 2 * COUNT; at++)
        counts.push(
          Number(/^mcp_server_operation_duration_seconds_count\{.*"tools\/call".*"add".* (\d+)$/m.exec(await read())?.[1]),
        )
      return counts
    }
    for (let call = 0; call < 4 * COUNT; call++) await callOnce(url, 'add', { a: 1, b: 2 })
    expect(await scrape()).toEqual(new Array(2 * COUNT).fill(4 * COUNT))
    expect(await read()).toContain('process_cpu_seconds_total')
    const [pid = 0] = await pidsOf(url)
    process.kill(pid, 'SIGKILL')
    await eventually(async () => expect(await pidsOf(url)).not.toContain(pid), { intervalMs: 100 })
    await callOnce(url, 'add', { a: 1, b: 2 })
    expect(await scrape()).toEqual(new Array(2 * COUNT).fill(4 * COUNT + 1))
  })

  test('any worker answers any session: calls, streams, input requests, resumptions, notifications', {
    timeout: LONG_MS,
  }, async () => {
    const { url } = await startServer()
    const clients = await openWorkers(url, 'w', 6)
    await Promise.all(clients.map((client) => runCalls(client, 8)))
    expect(clients.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, false)))).toEqual([])
    expect(clients.flatMap(({ failed, client }) => [...failed, ...client.misrouted])).toEqual([])
    for (const { client } of clients) {
      const uri = `note://${client.name}`
      await client.call('update', { mark: 'u', uri })
      await eventually(() => expect(client.received).toContain(uri))
      await client.close()
    }
  })

  test('a question of one worker is answered through another, on both eras', { timeout: LONG_MS }, async () => {
    const { url } = await startServer()
    for (const protocolVersion of ['2026-07-28', '2025-11-25'] as const) {
      // Several calls at a time use several connections, so that the answers reach other workers.
      const elicit = ({ message }: { readonly message: string }) => ({ name: `for ${message}` })
      const client = await connect(url, { protocolVersion, elicit })
      const marks = Array.from({ length: 4 * COUNT }, (_, index) => `q${index}`)
      const results = await Promise.all(marks.map((mark) => client.callTool('elicit', { mark })))
      expect(results.map(({ content }) => content[0])).toEqual(
        marks.map((mark) => ({ type: 'text', text: `${mark} for ${mark}` })),
      )
      await client.close()
    }
  })

  test('a task is started at one worker, and its result is read at others', { timeout: LONG_MS }, async () => {
    const { url } = await startServer()
    const start = async () => {
      const client = await connect(url, { extensions: [tasks()] })
      const started = await client.tasks.start('render', { ms: 50 })
      await client.close()
      return 'taskId' in started ? started.taskId : ''
    }
    const ids = await Promise.all(Array.from({ length: COUNT }, start))
    for (const id of ids) {
      const client = await connect(url, { extensions: [tasks()] })
      const { content } = await client.tasks.open(id).result()
      expect(content[0]).toMatchObject({ text: expect.stringMatching(/^rendered by \d+$/) })
      await client.close()
    }
  })

  test('limits, receipts and links of middleware without a store are those of all workers, which write one audit log', {
    timeout: LONG_MS,
  }, async () => {
    const file = join(newTemporaryFolder(), 'audit.jsonl')
    const { url } = await startServer({}, { AUDIT_LOG: file })
    const limited = await Promise.all(Array.from({ length: 4 * COUNT }, () => callOnce(url, 'limited')))
    expect(limited.filter((text) => text === 'allowed')).toHaveLength(4)

    const meta = idempotencyKey('invoice-7')
    const payments = await Promise.all(
      Array.from({ length: COUNT }, () => withClient(url, (client) => client.callTool('pay', {}, { meta }))),
    )
    expect(new Set(payments.map(({ content }) => JSON.stringify(content))).size).toBe(1)

    const { content } = await withClient(url, (client) => client.callTool('long', {}))
    const link = content.find(({ type }) => type === 'resource_link')
    const uri = link && 'uri' in link ? link.uri : ''
    for (let at = 0; at < COUNT; at++)
      expect(JSON.stringify(await withClient(url, (client) => client.readResource(uri)))).toContain('x'.repeat(2000))

    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(await verifyAuditLog(lines)).toMatchObject({ intact: true, records: 4 * COUNT + COUNT + 1 + COUNT })
  })

  test('a worker that is killed under load loses no call that it did not have, and is started again', {
    timeout: LONG_MS,
  }, async () => {
    const { url } = await startServer()
    const [victim = 0, ...others] = await pidsOf(url)
    const clients = await openWorkers(url, 'k', 6)
    const running = Promise.all(clients.map((client) => runCalls(client, 15)))
    await whenBusy(clients)
    const stop = new AbortController()
    const steady = callSteadily(url, 10, stop.signal)
    const before = performance.now()
    process.kill(victim, 'SIGKILL')
    await eventually(async () => {
      const pids = await pidsOf(url)
      expect(pids).not.toContain(victim)
      expect(pids).toEqual(expect.arrayContaining(others))
    })
    await running
    stop.abort()
    const calls = await steady
    expect(calls.filter(({ startedAt, failure }) => failure !== undefined && startedAt > before)).toEqual([])
    expect(clients.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, true)))).toEqual([])
    expect(clients.flatMap(({ client }) => client.misrouted)).toEqual([])
    expect(clients.flatMap(({ failed }) => failed).filter((text) => /timed out/.test(text))).toEqual([])
  })

  test('connections that arrive while all workers are dead are served when one has started', { timeout: LONG_MS }, async () => {
    const { url } = await startServer()
    const pids = await pidsOf(url)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await eventually(() => expect(pids.filter(isRunning)).toEqual([]))
    expect(pids).not.toContain(Number(await callOnce(url, 'pid')))
  })

  test('SIGTERM makes all workers unready, then they finish their calls and exit together', { timeout: LONG_MS }, async () => {
    const folder = newTemporaryFolder()
    const program = await startServer({ shutdownDelayMs: 5000 }, { TMPDIR: folder })
    const { url } = program
    const pids = await pidsOf(url)
    const status = (path: string) => fetch(new URL(path, url), { headers: { connection: 'close' } }).then(({ status }) => status)
    program.process.kill('SIGTERM')
    await eventually(async () => {
      const ready = await Promise.all(pids.map(() => status('/readyz')))
      expect(ready).toEqual([503, 503, 503])
    })
    expect(await status('/livez')).toBe(200)
    const results = await Promise.all(pids.map(() => callOnce(url, 'wait', { ms: 6000 })))
    expect(results).toEqual(['done', 'done', 'done'])
    expect(await program.exited).toBe(0)
    expect(pids.filter(isRunning)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  test('a signal to the whole process group, as of Ctrl-C, drains too', { timeout: LONG_MS }, async () => {
    const program = await startServer()
    const pids = await pidsOf(program.url)
    const call = callOnce(program.url, 'wait', { ms: 1000 })
    // It prints a line when it starts.
    await once(program.process.stdout!, 'data')
    for (const pid of [...pids, program.process.pid ?? 0]) process.kill(pid, 'SIGINT')
    expect(await call).toBe('done')
    expect(await program.exited).toBe(0)
  })

  test('a signal while the last worker starts lets the others finish their calls', { timeout: LONG_MS }, async () => {
    const folder = newTemporaryFolder()
    const port = await freePort()
    const env = { ...process.env, TMPDIR: folder, OPTIONS: JSON.stringify({ port }), LAST_WORKER_STARTS_AFTER_MS: '2000' }
    const child = spawn(process.execPath, [fileURLToPath(new URL('support/workers.mjs', import.meta.url))], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += chunk))
    const url = `http://127.0.0.1:${port}/mcp`
    await eventually(() => callOnce(url, 'number'))
    const call = callOnce(url, 'wait', { ms: 1000 })
    expect(String((await once(child.stdout, 'data'))[0])).toBe('waiting\n')
    child.kill('SIGTERM')
    expect(await call).toBe('done')
    expect([await once(child, 'close'), errors]).toEqual([[0, null], ''])
    expect(readdirSync(folder)).toEqual([])
  })

  test('workers exit when their supervisor is killed, and leave no file', { timeout: LONG_MS }, async () => {
    const folder = newTemporaryFolder()
    const program = await startServer({}, { TMPDIR: folder })
    const pids = await pidsOf(program.url)
    const [client] = await openWorkers(program.url, 'x', 1)
    await runCalls(client!, 1)
    program.process.kill('SIGKILL')
    await eventually(() => expect(pids.filter(isRunning)).toEqual([]))
    expect(readdirSync(folder)).toEqual([])
  })

  test('files of a program whose processes were all killed are removed when it starts again', { timeout: LONG_MS }, async () => {
    const folder = newTemporaryFolder()
    const killed = await startServer({}, { TMPDIR: folder })
    const running = await startServer({}, { TMPDIR: folder })
    const pids = await pidsOf(killed.url)
    for (const pid of [...pids, killed.process.pid!]) process.kill(pid, 'SIGKILL')
    await killed.exited
    await eventually(() => expect(pids.filter(isRunning)).toEqual([]))
    const left = readdirSync(folder)
    expect(left.length).toBe(2)
    const restarted = await startServer({}, { TMPDIR: folder })
    expect(readdirSync(folder).filter((name) => left.includes(name)).length).toBe(1)
    for (const { url } of [running, restarted]) {
      const [client] = await openWorkers(url, 'y', 1)
      await runCalls(client!, 1)
      expect(client!.failed).toEqual([])
    }
  })

  test('an incomplete request times out, as without workers', { timeout: LONG_MS }, async () => {
    const { url } = await startServer({ headersTimeoutMs: 500 })
    const socket = openSocket(Number(new URL(url).port), '127.0.0.1')
    socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\n')
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1\.1 408 /)
    socket.destroy()
  })

  test('a program that cannot start its workers fails, and says why', { timeout: LONG_MS }, async () => {
    const failing = `
      import { createServer } from 'portcall'
      import { serve, workerNumber } from 'portcall/node'
      if (workerNumber) throw new Error('this worker does not start')
      await serve(createServer({ name: 'failing', version: '1' }), { port: 0, workers: 2 })`
    const cwd = fileURLToPath(new URL('../..', import.meta.url))
    const run = async (args: string[]): Promise<string> => {
      const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
      let text = ''
      for await (const chunk of child.stderr) text += chunk
      return text
    }
    const { mkdir, mkdtemp, rm, writeFile } = await import('node:fs/promises')
    await mkdir(`${cwd}node_modules/.cache`, { recursive: true })
    const folder = await mkdtemp(`${cwd}node_modules/.cache/workers-`)
    await writeFile(`${folder}/program.mjs`, failing)
    const text = await run([`${folder}/program.mjs`])
    await rm(folder, { recursive: true })
    expect(text).toContain('this worker does not start')
    expect(text).toMatch(/Worker [12] ended with 1 before it served/)
    expect(await run(['--input-type=module', '--eval', failing])).toContain('workers require a program in a file')
    expect(existsSync(folder)).toBe(false)
  })
})
