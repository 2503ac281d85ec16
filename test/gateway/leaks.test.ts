/** Abandoned sessions, closing and a crash leave nothing behind. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { abandonMany, post } from './support/abandon.ts'
import { createGreeter } from './support/create-greeter.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** `npm run gateway -- --leaks` sets it to 10,000. */
const SESSIONS = Number(process.env.LEAK_SESSIONS ?? 1000)
const WARM_SESSIONS = 100
const TIMEOUT_MS = 900_000
const MAX_GROWTH = SESSIONS < 10_000 ? 5_000_000 : 20_000_000
/** Sessions of each client process. */
const CLIENT_SESSIONS = 250
/** Resources that may be there in addition: after the first sessions what they have loaded and started, later nothing but what starts by chance. */
const STARTED = { descriptors: 4, timers: 8, keys: 8 }
const CHANCE = { descriptors: 2, timers: 2, keys: 0 }

interface State {
  readonly heap: number
  readonly descriptors: number
  readonly timers: number
  readonly keys: number
  readonly connections: number
  readonly subscriptions: number
}

/** A gateway in a process of its own. `children` counts the processes of its server over stdio. */
interface Observed {
  readonly url: string
  readonly process: ChildProcess
  state(): Promise<State>
  children(): number
}

async function startObserved(sessionsIn: 'memory' | 'stores' = 'memory'): Promise<Observed> {
  const mark = `mark-${randomUUID()}`
  const server = await serve(createGreeter(), { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(() => server.close())
  const args = [await compileProgram(at('./support/greeter.ts')), mark, server.url, sessionsIn]
  const program = await compileProgram(at('./support/observed-gateway.ts'))
  const child = fork(program, args, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  child.stderr?.resume()
  onTestFinished(() => void child.kill('SIGKILL'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const ask = async (): Promise<State> => {
    child.send('state')
    return ((await once(child, 'message')) as [State])[0]
  }
  const children = (): number => {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 24 }).split('\n')
    return lines.filter((line) => line.includes(mark) && !line.includes(program)).length
  }
  return { url, process: child, state: ask, children }
}

/** Abandons sessions by killing the processes of their clients, and returns the ids of the sessions. */
async function killClients(url: string, count: number): Promise<string[]> {
  const program = await compileProgram(at('./support/abandoning-client.ts'))
  const sessions: string[] = []
  while (sessions.length < count) {
    const client = fork(program, [url, String(Math.min(CLIENT_SESSIONS, count - sessions.length))])
    const exited = once(client, 'exit')
    const failed = exited.then(([code, signal]) => {
      if (signal !== 'SIGKILL') throw new Error(`A client exited with ${code}`)
      return []
    })
    const [opened] = (await Promise.race([once(client, 'message'), failed])) as [string[]]
    sessions.push(...opened)
    client.kill('SIGKILL')
    await exited
  }
  return sessions
}

/** Abandons sessions: one half cuts its sockets, the clients of the other half are killed. */
async function abandonHalves(url: string, count: number): Promise<string[]> {
  const halves = await Promise.all([abandonMany(url, Math.ceil(count / 2)), killClients(url, Math.floor(count / 2))])
  return halves.flat()
}

/** Returns the state when everything that clients abandoned is gone. */
function whenIdle(gateway: Observed, before: State, more: typeof STARTED): Promise<State> {
  return eventually(
    async () => {
      expect(gateway.children()).toBe(0)
      const state = await gateway.state()
      expect(state).toMatchObject({ connections: 0, subscriptions: 0 })
      for (const resource of ['descriptors', 'timers', 'keys'] as const)
        expect(state[resource], resource).toBeLessThanOrEqual(before[resource] + more[resource])
      return state
    },
    { intervalMs: 500 },
  )
}

test.runIf(process.platform === 'linux').each(['memory', 'stores'] as const)(
  `${SESSIONS} abandoned sessions leave no session, process, descriptor, timer, key or memory: sessions in %s`,
  async (sessionsIn) => {
    const gateway = await startObserved(sessionsIn)
    const fresh = await gateway.state()
    await abandonHalves(gateway.url, WARM_SESSIONS)
    const before = await whenIdle(gateway, fresh, STARTED)

    const sessions = await abandonHalves(gateway.url, SESSIONS)
    expect(gateway.children()).toBeGreaterThan(0)
    const after = await whenIdle(gateway, before, CHANCE)
    console.error(`before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`)
    expect(new Set(sessions).size).toBe(SESSIONS)
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const list = { id: 3, method: 'tools/list' }
    const answers = await Promise.all(sessions.map((session) => post(gateway.url, list, { session, agent })))
    agent.destroy()
    expect(answers.filter(({ status }) => status !== 404)).toEqual([])
    expect(after.heap - before.heap).toBeLessThan(MAX_GROWTH)
  },
  TIMEOUT_MS,
)

test.runIf(process.platform === 'linux').each(['SIGTERM', 'crash'])('no child process is left after %s', async (how) => {
  const gateway = await startObserved()
  await abandonMany(gateway.url, 6)
  expect(gateway.children()).toBeGreaterThan(0)
  const exited = once(gateway.process, 'exit')
  if (how === 'crash') gateway.process.send('crash')
  else gateway.process.kill('SIGTERM')
  await exited
  await eventually(() => expect(gateway.children()).toBe(0))
})
