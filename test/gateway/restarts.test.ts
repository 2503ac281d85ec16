import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, type ConnectTarget, connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { freePort } from '../support/free-port.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('./support/recording-upstream.ts', import.meta.url))
const CALLS = 1000
/** The calls to a server that run at the same time, half of them of clients of each era. */
const WORKERS = 4

/** A server in a process of its own, which records the calls that it executes. */
interface Upstream {
  readonly target: ConnectTarget
  /** Kills the process. Resolves when the server can be called again. */
  restart(): Promise<void>
  executed(): Promise<string[]>
}

async function startHttp(folder: string, name: string): Promise<Upstream> {
  const file = join(folder, name)
  const port = await freePort()
  const program = await compileProgram(PROGRAM)
  const start = async () => {
    const child = fork(program, [file, String(port)])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    return child
  }
  let child = await start()
  return {
    target: `http://127.0.0.1:${port}/mcp`,
    async restart() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = await start()
    },
    executed: () => linesOf(file),
  }
}

/** The gateway starts the process, and starts it again after it was killed. */
async function describeProgram(folder: string, name: string): Promise<Upstream> {
  const file = join(folder, name)
  return {
    target: { command: process.execPath, args: [await compileProgram(PROGRAM), file] },
    async restart() {
      const pids = (await linesOf(file)).filter((line) => line.startsWith('pid '))
      process.kill(Number(pids.at(-1)?.slice('pid '.length)), 'SIGKILL')
    },
    executed: async () => (await linesOf(file)).filter((line) => !line.startsWith('pid ')),
  }
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).trimEnd().split('\n')
}

/** The calls of several workers to one server. */
interface Load {
  readonly succeeded: string[]
  /** The errors of the calls that failed, by id. */
  readonly failed: Map<string, string>
  readonly running: Set<string>
  /** Makes a call of each client that the server does not answer. */
  hold(): Promise<void>[]
  /** Makes no call until `resume`. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

function startLoad(server: string, clients: readonly Client[]): Load {
  const succeeded: string[] = []
  const failed = new Map<string, string>()
  const running = new Set<string>()
  let resume = (): void => {}
  let paused = Promise.resolve()
  let isStopped = false
  let calls = 0
  const call = async (client: Client, hold: boolean): Promise<void> => {
    const id = `${server}-${++calls}`
    running.add(id)
    try {
      const { content } = await client.callTool(`${server}__work`, { id, hold })
      expect(content).toEqual([{ type: 'text', text: id }])
      succeeded.push(id)
    } catch (error) {
      failed.set(id, (error as Error).message)
    }
    running.delete(id)
  }
  const work = async (client: Client): Promise<void> => {
    while (!isStopped) {
      await paused
      await call(client, false)
    }
  }
  const workers = Promise.all(Array.from({ length: WORKERS }, (_, index) => work(clients[index % clients.length] as Client)))
  return {
    succeeded,
    failed,
    running,
    hold: () => clients.map((client) => call(client, true)),
    pause() {
      paused = new Promise((resolve) => {
        resume = resolve
      })
    },
    resume: () => resume(),
    async stop() {
      isStopped = true
      await workers
    },
  }
}

test('while three servers restart one after another, only calls in flight there fail, and no call is executed twice', async () => {
  const folder = temporaryFolder()
  const upstreams: { readonly [name: string]: Upstream } = {
    legacy: await startHttp(folder, 'legacy'),
    modern: await startHttp(folder, 'modern'),
    program: await describeProgram(folder, 'program'),
  }
  const gateway = createGateway({
    servers: Object.fromEntries(
      Object.entries(upstreams).map(([name, { target }]) => [
        name,
        { target, ...(name === 'legacy' && { protocolVersion: '2025-11-25' }) },
      ]),
    ),
  })
  const { url, close } = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await close()
    await gateway.close()
  })
  const reconnects: string[] = []
  const clients = await Promise.all(
    ['2025-11-25', '2026-07-28'].map((protocolVersion) =>
      connect(url, {
        protocolVersion,
        cache: false,
        onEvent: ({ type }) => void (/connected/.test(type) && reconnects.push(type)),
      }),
    ),
  )
  for (const client of clients) onTestFinished(() => client.close())
  const list = async (): Promise<void> => {
    for (const client of clients)
      expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(
        Object.keys(upstreams).map((name) => `${name}__work`),
      )
  }
  await list()
  const loads = Object.fromEntries(Object.keys(upstreams).map((name) => [name, startLoad(name, clients)]))
  const inFlight = new Map<string, string[]>()
  for (const [name, upstream] of Object.entries(upstreams)) {
    const load = loads[name] as Load
    await eventually(() => expect(load.succeeded.length).toBeGreaterThan(CALLS / 20))
    const held = load.hold()
    const ids = [...load.running].slice(-held.length)
    await eventually(async () => expect(await upstream.executed()).toEqual(expect.arrayContaining(ids)))
    load.pause()
    inFlight.set(name, [...load.running])
    await Promise.all([upstream.restart(), list()])
    await Promise.all(held)
    await eventually(() => expect(load.running.size).toBe(0))
    await list()
    await eventually(() => expect(gateway.status().servers[name]?.state).toBe('ready'))
    load.resume()
  }
  const all = Object.values(loads)
  await eventually(() => expect(all.reduce((sum, { succeeded }) => sum + succeeded.length, 0)).toBeGreaterThan(CALLS))
  await Promise.all(all.map((load) => load.stop()))
  expect(reconnects).toEqual([])
  for (const [name, upstream] of Object.entries(upstreams)) {
    const { succeeded, failed } = loads[name] as Load
    expect(inFlight.get(name)).toEqual(expect.arrayContaining([...failed.keys()]))
    expect(failed.size).toBeGreaterThanOrEqual(clients.length)
    for (const message of failed.values()) expect(message).not.toMatch(/unknown tool/i)
    const executed = await upstream.executed()
    expect(new Set(executed).size).toBe(executed.length)
    expect(executed).toEqual(expect.arrayContaining(succeeded))
  }
})
