import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { HttpFetch, HttpTransfer } from '../types.ts'
import { createFastFetch } from './fast-fetch.ts'

const cleanups: Array<() => void> = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** A server whose responses the test writes, and a client that posts to it. */
async function setUp(): Promise<{ sockets: Socket[]; received: string[]; post: (body: string) => HttpTransfer; server: Server }> {
  const sockets: Socket[] = []
  const received: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('data', (bytes) => received.push(bytes.toString())).on('error', () => {}))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?a=b`)
  const fetch: HttpFetch = createFastFetch(1000, 'test')
  cleanups.push(() => {
    fetch.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const post = (body: string): HttpTransfer => fetch(url, { method: 'POST', headers: {}, body, connectTimeoutMs: 1000 })
  return { sockets, received, post, server }
}

async function readBody(transfer: HttpTransfer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of (await transfer.response).body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

test('responses that arrive in turns on several connections keep their bytes', async () => {
  const { sockets, post, server } = await setUp()
  const names = ['a', 'b', 'c']
  const transfers: HttpTransfer[] = []
  for (const name of names) {
    transfers.push(post(name))
    if (sockets.length < transfers.length) await once(server, 'connection')
  }
  const parts = (name: string): string[] => ['HTTP/1.1 200 OK\r\nContent-Le', 'ngth: 12\r\n\r\n', name.repeat(6), name.repeat(6)]
  for (let part = 0; part < 4; part++) {
    for (const [index, socket] of sockets.entries()) socket.write(parts(names[index] ?? '')[part] ?? '')
    await turn()
  }
  expect(await Promise.all(transfers.map(readBody))).toEqual(names.map((name) => name.repeat(12)))
})

test('a request that is cancelled in the turn in which it was sent does not reach the server', async () => {
  const { received, post } = await setUp()
  const transfer = post('cancelled')
  transfer.cancel()
  await expect(transfer.response).rejects.toThrow('The connection was closed')
  await turn()
  expect(received).toEqual([])
})

test('a connection whose server responds before the request was written carries no other request', async () => {
  const { sockets, received, post, server } = await setUp()
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  const first = post('first')
  await once(server, 'connection')
  await turn()
  sockets[0]?.write(ok)
  expect(await readBody(first)).toBe('ok')
  await turn()
  // Both happen in the timers phase: the response is read before the request is written.
  sockets[0]?.write(ok)
  expect(await readBody(post('second'))).toBe('ok')
  const third = post('third')
  await turn()
  expect(sockets.length).toBe(2)
  sockets[1]?.write(ok)
  expect(await readBody(third)).toBe('ok')
  expect(received.map((text) => text.split('\r\n\r\n')[1])).toEqual(['first', 'third'])
})

test('a connection that has failed while it was idle carries no other request, even before its socket is closed', async () => {
  const { sockets, post, server } = await setUp()
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  const first = post('first')
  await once(server, 'connection')
  sockets[0]?.write(`${ok}what no request has asked for`)
  expect(await readBody(first)).toBe('ok')
  const second = post('second')
  await once(server, 'connection')
  sockets[1]?.write(ok)
  expect(await readBody(second)).toBe('ok')
})

test('an idle connection is closed in time', async () => {
  const { sockets, post, server } = await setUp()
  const first = post('first')
  await once(server, 'connection')
  const closed = once(sockets[0] as Socket, 'close')
  sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  expect(await readBody(first)).toBe('ok')
  await closed
})

test('a header that would change the request is refused', async () => {
  const { server } = await setUp()
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const fetch = createFastFetch(1000, 'test')
  const names: Record<string, string>[] = [{ 'a: b': 'c' }, { a: 'b\r\nc: d' }, { 'a\r\nb': 'c' }, { '': 'a' }, { a: '\u0100' }]
  for (const headers of names)
    expect(() => fetch(url, { method: 'GET', headers, connectTimeoutMs: 1000 })).toThrow('cannot be sent')
  fetch.close()
})
