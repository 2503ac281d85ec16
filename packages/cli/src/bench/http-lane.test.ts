import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpLane } from './http-lane.ts'

/** Replaced by the id of the request, which has as many digits. */
const ID = '000000000'
const ANSWER = `{"jsonrpc":"2.0","id":${ID},"result":{"content":[{"type":"text","text":"grüezi"}]}}`
const LENGTH = `Content-Length: ${Buffer.byteLength(ANSWER)}\r\n`
const TIMEOUT_MS = 1000
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const STREAM = `${OK.replace('application/json', 'text/event-stream')}Transfer-Encoding: chunked\r\n\r\n`
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Calls a server once for each of the responses, which it sends as they are. Returns how each call failed, and the number of connections. */
async function callsOf(...responses: string[]): Promise<{ failures: unknown[]; connections: number }> {
  const left = [...responses]
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (request) => {
      const id = /\d{9}/.exec(request.toString())?.[0] ?? ''
      const text = (left.shift() ?? '').replaceAll(ID, id)
      if (/\r\n(?:Content-Length|Transfer-Encoding):|204/.test(text)) socket.write(text)
      else socket.end(text)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const lane = new HttpLane({ url, hasSession: false, parts: ['POST /mcp HTTP/1.1\r\n\r\n{"id":', '}'] }, TIMEOUT_MS)
  onTestFinished(() => {
    lane.close()
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const failures: unknown[] = []
  for (const _ of responses) failures.push(await lane.call())
  return { failures, connections: sockets.size }
}

test('responses of all framings are read on one connection', async () => {
  const { failures, connections } = await callsOf(
    `${OK}${LENGTH}\r\n${ANSWER}`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n${chunk(ANSWER.slice(0, 20))}${chunk(ANSWER.slice(20))}0\r\nX-Trailer: a\r\n\r\n`,
    `${STREAM}${chunk(`data: {"method":"a"}\n\ndata: ${ANSWER}\n\n`)}0\r\n\r\n`,
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

test('the response is the event with the id of the request, however its lines are split', async () => {
  const { failures, connections } = await callsOf(
    `${STREAM}${chunk(`id: 1\ndata:\n\nevent: message\ndata: ${ANSWER.slice(0, 60)}\ndata: ${ANSWER.slice(60)}\n\n`)}0\r\n\r\n`,
    `${STREAM}${chunk(`data: ${ANSWER}\r\rdata: {"method":"late"}\r\r`)}0\r\n\r\n`,
    `${STREAM}${chunk(`data: {"id":7,"method":"sampling/createMessage"}\n\ndata: ${ANSWER}\n\n`)}0\r\n\r\n`,
    `${STREAM}${chunk(`data: [{"method":"a"},${ANSWER}]\n\n`)}0\r\n\r\n`,
    `${STREAM}${chunk(`data: {"method":"a"}\n\n`)}0\r\n\r\n`,
  )
  expect(failures).toEqual([undefined, undefined, undefined, undefined, 'no response'])
  expect(connections).toBe(1)
})

test('a response with another id, or without one, is a failure', async () => {
  const { failures } = await callsOf(
    ...['7', `"${ID}"`, 'null'].map((id) => `${STREAM}${chunk(`data: ${ANSWER.replace(ID, id)}\n\n`)}0\r\n\r\n`),
    `${OK}Content-Length: 45\r\n\r\n{"jsonrpc":"2.0","id":123456789,"result":{}} `,
    `${OK}Content-Length: 51\r\n\r\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`,
    ...[`{"jsonrpc":"2.0","id":${ID}}`, ANSWER.replace('"jsonrpc":"2.0",', '')].map(
      (body) => `${OK}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
    `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${ANSWER}`,
  )
  expect(failures.slice(0, 5)).toEqual(['wrong id', 'wrong id', 'wrong id', 'wrong id', 'error -32700'])
  expect(failures.slice(5)).toEqual(['invalid response', 'invalid response', 'invalid response'])
})

test('the id of a large response is checked too', async () => {
  const large = ANSWER.replace('grüezi', 'x'.repeat(100_000))
  const of = (body: string): string => `${OK}Content-Length: ${body.length}\r\n\r\n${body}`
  const { failures } = await callsOf(of(large), of(large), of(large.replace(ID, '123456789')), of(large))
  expect(failures).toEqual([undefined, undefined, 'wrong id', undefined])
})

test('a call ends with its response, even if the stream stays open; a connection is used again when its stream has ended', async () => {
  const open = `${STREAM}${chunk(`data: ${ANSWER}\n\n`)}`
  const { failures, connections } = await callsOf(open, open, open, `${OK}${LENGTH}\r\n${ANSWER}`, `${OK}${LENGTH}\r\n${ANSWER}`)
  expect(failures).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(connections).toBe(4)
})

test('a call that gets no response times out, even if the stream has heartbeats', async () => {
  const { failures, connections } = await callsOf(`${STREAM}${chunk(': a\n\n')}`, `${OK}${LENGTH}\r\n${ANSWER}`)
  expect(failures).toEqual(['timeout', undefined])
  expect(connections).toBe(2)
})
