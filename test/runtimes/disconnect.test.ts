/** A client that goes away: on which runtimes its call ends, by how its request arrived and what it has received. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { legacy, modern, send } from './support/raw.ts'
import { HOSTS, type Host } from './support/runtimes.ts'

/** Opens a connection and sends a request on it, with its body in the first packet or in packets of its own. */
async function open(url: string, init: RequestInit, splits: boolean): Promise<Socket> {
  const { host, hostname, port, pathname } = new URL(url)
  const body = String(init.body)
  const headers = { ...(init.headers as Record<string, string>), host, 'content-length': String(Buffer.byteLength(body)) }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).resume()
  const write = (text: string): Promise<void> => new Promise((resolve) => socket.write(text, () => resolve()))
  const parts = splits ? [body.slice(0, 200), body.slice(200)] : []
  await write(`POST ${pathname} HTTP/1.1\r\n${head.join('')}\r\n${splits ? '' : body}`)
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await write(part)
  }
  return socket
}

interface Counts {
  started: number
  aborted: number
}

async function countsOf(url: string): Promise<Counts> {
  const { messages } = await send(url, modern('tools/call', { name: 'hanging', arguments: {} }))
  return JSON.parse(messages[0]?.result.content[0].text)
}

/** Reports whether a call that hangs is aborted within a time after its client goes away. */
async function endsWithClient(url: string, [init, splits]: [RequestInit, boolean], timeoutMs: number): Promise<boolean> {
  const before = await countsOf(url)
  const socket = await open(url, init, splits)
  await eventually(async () => expect((await countsOf(url)).started).toBe(before.started + 1))
  // The runtime needs a moment to send what has been written.
  await new Promise((resolve) => setTimeout(resolve, 500))
  socket.destroy()
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if ((await countsOf(url)).aborted > before.aborted) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

const FILLER = 'x'.repeat(50_000)
const PROGRESS = { progressToken: 'p' }
const REQUESTS: Record<string, { readonly args?: object; readonly meta?: object; readonly splits: boolean }> = {
  'a small request': { splits: false },
  'a body in packets of its own': { splits: true },
  'a large body': { args: { filler: FILLER }, splits: true },
  'an open stream': { args: { reports: true }, meta: PROGRESS, splits: true },
}

async function openSession(url: string): Promise<string> {
  const clientInfo = { name: 'raw', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const { session } = await send(url, legacy(null, { method: 'initialize', params }))
  await send(url, legacy(session, { method: 'notifications/initialized' }))
  return session ?? ''
}

/** Starts the call of each request in a session, each on a connection of its own. */
async function openAll(url: string, session: string): Promise<{ ids: number[]; sockets: Socket[] }> {
  const { started } = await countsOf(url)
  const [ids, sockets]: [number[], Socket[]] = [[], []]
  for (const [at, { args = {}, meta = {}, splits }] of Object.values(REQUESTS).entries()) {
    const params = { name: 'hang', arguments: args, _meta: meta }
    sockets.push(await open(url, legacy(session, { id: 1000 + at, method: 'tools/call', params }), splits))
    await eventually(async () => expect((await countsOf(url)).started).toBe(started + at + 1))
    ids.push(1000 + at)
  }
  return { ids, sockets }
}

describe.each(Object.entries(HOSTS))('%s', (_name, { start, gaps = {} }) => {
  let host: Host
  beforeAll(async () => void (host = await start()))
  afterAll(() => host?.stop())

  const ends = !gaps.cancelling
  test.each(Object.entries(REQUESTS))(
    `%s: the call ${ends ? 'ends' : 'goes on'}`,
    async (_request, { args = {}, meta, splits }) => {
      const sent = modern('tools/call', { name: 'hang', arguments: args }, meta)
      expect(await endsWithClient(host.url, [sent, splits], ends ? 6000 : 1500)).toBe(ends)
    },
  )

  // In older revisions, a client that disconnects has not cancelled its calls.
  test.skipIf(gaps.sessions)('in a session, all these calls go on, and end when they are cancelled', async () => {
    const session = await openSession(host.url)
    const { aborted } = await countsOf(host.url)
    const { ids, sockets } = await openAll(host.url, session)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await countsOf(host.url)).aborted).toBe(aborted)
    for (const requestId of ids)
      await send(host.url, legacy(session, { method: 'notifications/cancelled', params: { requestId } }))
    await eventually(async () => expect((await countsOf(host.url)).aborted).toBe(aborted + ids.length))
  })
})
