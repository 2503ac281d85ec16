import { setImmediate as turn } from 'node:timers/promises'
import { serveChannel } from 'portcall'
import { type ConnectOptions, type ConnectTarget, connect } from 'portcall/client'
import { channelPair } from 'portcall/jsonrpc'
import { REVISIONS } from '../../support/setups.ts'
import { createMatrixServer } from '../server/index.ts'

/** The resources that one connection leaked open, and the time it took to close. */
export interface Measurement {
  name: string
  leaked: string[]
  closeMs: number
}

const [, , url = '', program = ''] = process.argv

const memory = (): ConnectTarget => {
  const [near, far] = channelPair()
  serveChannel(createMatrixServer(), far)
  return near
}
const command = { command: process.execPath, args: [program] }
const TARGETS: Record<string, () => { target: ConnectTarget; options?: ConnectOptions }> = {
  memory: () => ({ target: memory() }),
  stdio: () => ({ target: command }),
  http: () => ({ target: url }),
  sse: () => ({ target: url, options: { era: 'http+sse' } }),
  exchange: () => ({ target: createMatrixServer() }),
}

/** Returns the active resources of this process. */
const resources = (): string[] =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Immediate')
    .sort()

/** Returns the active resources that were not active before. */
function added(before: string[]): string[] {
  const remaining = [...before]
  return resources().filter((kind) => {
    const at = remaining.indexOf(kind)
    if (at >= 0) remaining.splice(at, 1)
    return at < 0
  })
}

/** Waits until closed handles are released and in-process handlers have ended, and returns the remaining resources. */
async function waitForRelease(before: string[]): Promise<string[]> {
  const end = performance.now() + 500
  while (performance.now() < end && added(before).length > 0) await turn()
  return added(before)
}

async function measure(name: string, make: () => Promise<{ close(): Promise<unknown> }>): Promise<Measurement> {
  const before = resources()
  const { close } = await make()
  const startedAt = performance.now()
  await close()
  return { name, closeMs: Math.round(performance.now() - startedAt), leaked: await waitForRelease(before) }
}

/** Uses every feature of a server; `close` closes the client in the middle of it. */
async function useServer(target: ConnectTarget, options: ConnectOptions): Promise<{ close(): Promise<unknown> }> {
  const client = await connect(target, { ...options, elicit: () => new Promise(() => {}) })
  await client.tools().toArray()
  await client.callTool('counts', { to: 2 }, { onProgress: () => {} })
  await client.callTool('echo', { text: 'x' }, { signal: AbortSignal.timeout(60_000) })
  await client.callTool('waits', { name: 'late' }, { timeouts: { requestTimeoutMs: 5 } }).catch(() => {})
  const calls = [client.callTool('waits', { name: 'open' }), client.callTool('asks'), client.callTool('counts_slowly', { to: 3 })]
  const open = calls.map((call) => call.catch(() => {}))
  const subscription = client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://text'] })
  await subscription.acknowledged
  const changes = subscription[Symbol.asyncIterator]().next()
  return { close: () => Promise.all([client.close(), changes, ...open]) }
}

/** Fails to connect to a server. */
const failToConnect = async (target: ConnectTarget, options: ConnectOptions = {}): Promise<{ close(): Promise<unknown> }> => {
  const failed = await connect(target, options).then(
    () => false,
    () => true,
  )
  if (!failed) throw new Error('Expected the connection to failToConnect')
  return { close: async () => {} }
}

const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
const [mute] = channelPair()
const measurements: Measurement[] = []
await useServer(url, {}).then(({ close }) => close())
for (const [transport, make] of Object.entries(TARGETS))
  for (const protocolVersion of REVISIONS) {
    if (transport === 'sse' && protocolVersion !== '2024-11-05') continue
    if (transport === 'exchange' && protocolVersion !== '2026-07-28') continue
    const { target, options } = make()
    measurements.push(await measure(`${transport} ${protocolVersion}`, () => useServer(target, { ...options, protocolVersion })))
  }
measurements.push(await measure('no listener on the port', () => failToConnect('http://127.0.0.1:9/mcp')))
measurements.push(await measure('no such program', () => failToConnect({ command: 'no-such-program-anywhere' })))
measurements.push(await measure('a program that ends', () => failToConnect({ command: process.execPath, args: ['-e', ''] })))
measurements.push(
  await measure('a silent program', () => failToConnect(silent, { probeTimeoutMs: 20, signal: AbortSignal.timeout(100) })),
)
measurements.push(
  await measure('a silent channel', () => failToConnect(mute, { probeTimeoutMs: 20, signal: AbortSignal.timeout(50) })),
)
measurements.push(await measure('aborted signal', () => failToConnect(url, { signal: AbortSignal.abort() })))
process.stdout.write(JSON.stringify(measurements))
