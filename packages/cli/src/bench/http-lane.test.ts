import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpLane } from './http-lane.ts'

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"grüezi"}]}}'
const LENGTH = `Content-Length: ${Buffer.byteLength(ANSWER)}\r\n`
const OK = 'HTTP/1.1 200 OK\r\n'
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Calls a server once for each of the responses, which it sends as they are. Returns how each call failed, and the number of connections. */
async function callsOf(...responses: string[]): Promise<{ failures: unknown[]; connections: number }> {
  const left = [...responses]
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => {
      const text = left.shift() ?? ''
      if (/\r\n(?:Content-Length|Transfer-Encoding):|204/.test(text)) socket.write(text)
      else socket.end(text)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const lane = new HttpLane({ url, hasSession: false, parts: ['POST /mcp HTTP/1.1\r\n\r\n{"id":', '}'] }, 5000)
  onTestFinished(() => {
    lane.close()
    server.close()
  })
  const failures: unknown[] = []
  for (const _ of responses) failures.push(await lane.call())
  return { failures, connections: sockets.size }
}

test('responses of all framings are read on one connection', async () => {
  const { failures, connections } = await callsOf(
    `${OK}${LENGTH}\r\n${ANSWER}`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n${chunk(ANSWER.slice(0, 20))}${chunk(ANSWER.slice(20))}0\r\nX-Trailer: a\r\n\r\n`,
    `${OK}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(`data: {"method":"a"}\n\ndata: ${ANSWER}\n\n`)}0\r\n\r\n`,
    `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}${LENGTH}\r\n${ANSWER}`,
    'HTTP/1.1 204 No Content\r\n\r\n',
    `${OK}${LENGTH}\r\n${ANSWER}`,
  )
  expect(failures).toEqual([undefined, undefined, undefined, undefined, 'HTTP 204', undefined])
  expect(connections).toBe(1)
})

test('the lane connects again after a response that ends its connection', async () => {
  const { failures, connections } = await callsOf(
    `${OK}${LENGTH}Connection: close\r\n\r\n${ANSWER}`,
    `${OK}\r\n${ANSWER}`,
    `${OK}${LENGTH}\r\n${ANSWER}`,
  )
  expect(failures).toEqual([undefined, undefined, undefined])
  expect(connections).toBe(3)
})

test('a failure has its kind, and the next call another connection', async () => {
  const { failures, connections } = await callsOf(
    'SSH-2.0-OpenSSH\r\n\r\n',
    `${OK}${LENGTH}Transfer-Encoding: chunked\r\n\r\n${ANSWER}`,
    `HTTP/1.1 503 Busy\r\n\r\n`,
    '',
    `${OK}${LENGTH}\r\n${ANSWER}`,
  )
  expect(failures).toEqual(['invalid response', 'invalid response', 'HTTP 503', 'connection closed', undefined])
  expect(connections).toBe(5)
})
