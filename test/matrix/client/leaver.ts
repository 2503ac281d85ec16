import { setImmediate as turn } from 'node:timers/promises'
import { serveChannel } from 'portcall'
import { type ConnectOptions, connect, type Target } from 'portcall/client'
import { channelPair } from 'portcall/jsonrpc'
import { REVISIONS } from '../../support/places.ts'
import { createMatrixServer } from '../server/index.ts'

/** What one visit has left behind, and how long it took to leave. */
export interface Visit {
  visit: string
  left: string[]
  leavingMs: number
}

const [, , url = '', program = ''] = process.argv

const memory = (): Target => {
  const [near, far] = channelPair()
  serveChannel(createMatrixServer(), far)
  return near
}
const command = { command: process.execPath, args: [program] }
const WAYS: Record<string, () => { target: Target; options?: ConnectOptions }> = {
  memory: () => ({ target: memory() }),
  stdio: () => ({ target: command }),
  http: () => ({ target: url }),
  sse: () => ({ target: url, options: { prior: 'http+sse' } }),
  exchange: () => ({ target: createMatrixServer() }),
}

/** All that keeps a process alive, or has a handle in it. */
const resources = (): string[] =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Immediate')
    .sort()

/** What is there now and was not before. */
function added(before: string[]): string[] {
  const rest = [...before]
  return resources().filter((kind) => {
    const at = rest.indexOf(kind)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

/** Lets handles that were closed go, and handlers in this process end; gives what stays. */
async function settled(before: string[]): Promise<string[]> {
  const end = performance.now() + 500
  while (performance.now() < end && added(before).length > 0) await turn()
  return added(before)
}

async function measure(visit: string, make: () => Promise<{ leave(): Promise<unknown> }>): Promise<Visit> {
  const before = resources()
  const { leave } = await make()
  const startedAt = performance.now()
  await leave()
  return { visit, leavingMs: Math.round(performance.now() - startedAt), left: await settled(before) }
}

/** Uses a server in every way, and leaves in the middle of it. */
async function stay(target: Target, options: ConnectOptions): Promise<{ leave(): Promise<unknown> }> {
  const client = await connect(target, { ...options, elicit: () => new Promise(() => {}) })
  await client.tools().toArray()
  await client.callTool('counts', { to: 2 }, { onProgress: () => {} })
  await client.callTool('echo', { text: 'x' }, { signal: AbortSignal.timeout(60_000) })
  await client.callTool('waits', { name: 'late' }, { deadlines: { requestMs: 5 } }).catch(() => {})
  const calls = [client.callTool('waits', { name: 'open' }), client.callTool('asks'), client.callTool('counts_slowly', { to: 3 })]
  const open = calls.map((call) => call.catch(() => {}))
  const subscription = client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://text'] })
  await subscription.honoured
  const changes = subscription[Symbol.asyncIterator]().next()
  return { leave: () => Promise.all([client.close(), changes, ...open]) }
}

/** Fails to reach a server. */
const fail = async (target: Target, options: ConnectOptions = {}): Promise<{ leave(): Promise<unknown> }> => {
  const failed = await connect(target, options).then(
    () => false,
    () => true,
  )
  if (!failed) throw new Error('There should be no server')
  return { leave: async () => {} }
}

const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
const [mute] = channelPair()
const visits: Visit[] = []
await stay(url, {}).then(({ leave }) => leave())
for (const [way, make] of Object.entries(WAYS))
  for (const revision of REVISIONS) {
    if (way === 'sse' && revision !== '2024-11-05') continue
    if (way === 'exchange' && revision !== '2026-07-28') continue
    const { target, options } = make()
    visits.push(await measure(`${way} ${revision}`, () => stay(target, { ...options, revision })))
  }
visits.push(await measure('nobody listens', () => fail('http://127.0.0.1:9/mcp')))
visits.push(await measure('no such program', () => fail({ command: 'no-such-program-anywhere' })))
visits.push(await measure('a program that ends', () => fail({ command: process.execPath, args: ['-e', ''] })))
visits.push(await measure('a program that says nothing', () => fail(silent, { probeMs: 20, signal: AbortSignal.timeout(100) })))
visits.push(await measure('a channel that says nothing', () => fail(mute, { probeMs: 20, signal: AbortSignal.timeout(50) })))
visits.push(await measure('given up at once', () => fail(url, { signal: AbortSignal.abort() })))
process.stdout.write(JSON.stringify(visits))
