/** A client that goes away: on which runtimes its call ends, by how its request arrived and what it has received. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { modern, send } from './support/raw.ts'
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
const call = (args: object, meta: object = {}): RequestInit => modern('tools/call', { name: 'hang', arguments: args }, meta)
const REQUESTS: Record<string, [RequestInit, splits: boolean]> = {
  'a small request': [call({}), false],
  'a body in packets of its own': [call({}), true],
  'a large body': [call({ filler: FILLER }), true],
  'an open stream': [call({ reports: true }, { progressToken: 'p' }), true],
}

describe.each(Object.entries(HOSTS))('%s', (_name, { start, gaps = {} }) => {
  let host: Host
  beforeAll(async () => void (host = await start()))
  afterAll(() => host?.stop())

  const ends = !gaps.cancelling
  test.each(Object.entries(REQUESTS))(`%s: the call ${ends ? 'ends' : 'goes on'}`, async (_request, sent) => {
    expect(await endsWithClient(host.url, sent, ends ? 6000 : 1500)).toBe(ends)
  })
})
