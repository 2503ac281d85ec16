/** What abandoned sessions, closing and a crash leave behind: nothing. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { createGreeter } from './support/create-greeter.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** `npm run gateway -- --leaks` sets it to 10,000. */
const SESSIONS = Number(process.env.LEAK_SESSIONS ?? 1000)
const WARM_SESSIONS = 100
const MB = 1_000_000
const VERSION = '2025-11-25'
const CAPABILITIES = [{ elicitation: {} }, { elicitation: {}, sampling: {} }, { elicitation: {}, roots: {} }]

interface State {
  readonly heap: number
  readonly sockets: number
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

async function startObserved(): Promise<Observed> {
  const mark = `mark-${randomUUID()}`
  // Abandoned calls wait in the few sessions that the gateway shares, until those of their callers expire.
  const options = { port: 0, handleProcessSignals: false, drainTimeoutMs: 0, maxSessionRequests: SESSIONS }
  const server = await serve(createGreeter(), options)
  onTestFinished(() => server.close())
  const args = [await compileProgram(at('./support/greeter.ts')), mark, server.url]
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

/** Sends a message. `cut` destroys the socket when the server asks for input. */
function post(url: string, message: object, { session, agent, cut }: { session?: string; agent?: Agent; cut?: boolean } = {}) {
  return new Promise<{ status: number | undefined; session: string; text: string }>((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': VERSION }),
    }
    const sent = request(url, { method: 'POST', headers, ...(agent && { agent }) }, (response) => {
      let text = ''
      const done = (): void =>
        resolve({ status: response.statusCode, session: String(response.headers['mcp-session-id'] ?? ''), text })
      response.on('data', (chunk) => {
        text += chunk
        if (cut && text.includes('elicitation/create')) {
          sent.destroy()
          done()
        }
      })
      response.on('end', done).on('error', done)
    })
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  })
}

/** Opens a session and lists the tools. Every second one is left in the middle of a question, by cutting its socket. */
async function abandon(url: string, nth: number, agent: Agent): Promise<string> {
  const capabilities = CAPABILITIES[nth % CAPABILITIES.length]
  const params = { protocolVersion: VERSION, capabilities, clientInfo: { name: 'abandoned', version: '1' } }
  const { session } = await post(url, { id: 0, method: 'initialize', params }, { agent })
  await post(url, { method: 'notifications/initialized' }, { session, agent })
  const { text } = await post(url, { id: 1, method: 'tools/list' }, { session, agent })
  expect(text).toContain('remote__greet')
  if (nth % 2 === 1) {
    const call = { id: 2, method: 'tools/call', params: { name: 'remote__greet', arguments: { id: nth } } }
    expect((await post(url, call, { session, cut: true })).text).toContain('First name')
  }
  return session
}

async function abandonMany(url: string, count: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const sessions: string[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) sessions.push(await abandon(url, next++, agent))
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  agent.destroy()
  return sessions
}

/** Returns the state when everything that clients abandoned is gone. */
function whenIdle(gateway: Observed, before: State): Promise<State> {
  return eventually(
    async () => {
      expect(gateway.children()).toBe(0)
      const state = await gateway.state()
      expect(state).toMatchObject({ connections: 0, subscriptions: 0 })
      expect(state.sockets).toBeLessThanOrEqual(before.sockets)
      return state
    },
    { intervalMs: 500 },
  )
}

test.runIf(process.platform === 'linux')(
  `${SESSIONS} abandoned sessions leave no session, process, socket or memory`,
  async () => {
    const gateway = await startObserved()
    const fresh = await gateway.state()
    await abandonMany(gateway.url, WARM_SESSIONS)
    const before = await whenIdle(gateway, fresh)

    const sessions = await abandonMany(gateway.url, SESSIONS)
    expect(gateway.children()).toBeGreaterThan(0)
    const after = await whenIdle(gateway, fresh)
    console.error(`heap: ${(before.heap / MB).toFixed(1)} MB before, ${(after.heap / MB).toFixed(1)} MB after`)
    expect(new Set(sessions).size).toBe(SESSIONS)
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const list = { id: 3, method: 'tools/list' }
    const answers = await Promise.all(sessions.map((session) => post(gateway.url, list, { session, agent })))
    agent.destroy()
    expect(answers.filter(({ status }) => status !== 404)).toEqual([])
    expect(after.heap - before.heap).toBeLessThan(5 * MB)
  },
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
