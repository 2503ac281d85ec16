/** Bytes behind a request that is still running, on the fast path and through `node:http`. */
import { describe, expect, test } from 'vitest'
import type { Connection } from './support/connection.ts'
import { modern, testHttp, write } from './support/http.ts'
import { textOf, tool } from './support/messages.ts'
import { MIB, sleep, until } from './support/time.ts'

const CLIENTS = 200
const slow = (tag: string): string => modern('tools/call', tool('slow', { ms: 60_000, tag }))
const echo = (text: string): string => modern('tools/call', tool('echo', { text }))

/** Behind the call: bytes of one more request, and whole requests. */
const BEHIND: ReadonlyArray<[what: string, bytes: string]> = [
  ['100 KB of an unfinished request', echo('x'.repeat(200 * 1024)).slice(0, 100 * 1024)],
  ['100 KB of requests', echo('x'.repeat(1000)).repeat(80)],
  ['bytes that are not HTTP', `NOT HTTP\r\n\r\n${'x'.repeat(100 * 1024)}`],
]

const LEAVE: ReadonlyArray<[how: string, leave: (connection: Connection) => void]> = [
  ['ends', ({ socket }) => void socket.end()],
  ['resets', ({ socket }) => void socket.resetAndDestroy()],
]

describe.each([
  ['the fast path', true],
  ['node:http', false],
])('through %s', (_, fastPath) => {
  const cases = BEHIND.flatMap(([what, bytes]) => LEAVE.map(([how, leave]) => [CLIENTS, what, how, bytes, leave] as const))

  test.each(cases)(
    'H66: %d clients send a slow call and %s; each %s its connection',
    async (_clients, _what, _how, bytes, leave) => {
      const server = await testHttp({ http: { fastPath } })
      const before = { ...(await server.counts()), ...(await server.health()) }
      const clients = Array.from({ length: CLIENTS }, (_, at) => {
        const connection = server.connect()
        connection.send(slow(`client ${at}`))
        return connection
      })
      await until(async () => (await server.counts()).started === before.started + CLIENTS, 'the start of all calls')
      for (const client of clients) client.send(bytes)
      await sleep(50)
      clients.forEach(leave)
      await until(async () => (await server.counts()).aborted === before.aborted + CLIENTS, 'the end of all calls')
      await until(async () => (await server.health()).sockets <= before.sockets + 1, 'the end of all connections')
      await server.healthy()
    },
  )

  test('H67: responses to requests go out before the 400 for the bytes that follow', async () => {
    const server = await testHttp({ http: { fastPath } })
    const connection = server.connect()
    connection.send(`${echo('one')}${echo('two')}NOT HTTP\r\n\r\n`)
    expect(textOf((await connection.answer()).json)).toBe('one')
    expect(textOf((await connection.answer()).json)).toBe('two')
    expect((await connection.answer()).status).toBe(400)
    await connection.end()
    await server.healthy()
  })

  test('H68: bodies in chunks of one byte take little memory', async () => {
    const server = await testHttp({ http: { fastPath } })
    const clients = Array.from({ length: 4 }, () => server.connect())
    const before = await server.health()
    await Promise.all(clients.map(sendTinyChunks))
    expect(used(await server.health()) - used(before)).toBeLessThan(24 * MIB)
    for (const client of clients) client.destroy()
    await server.healthy()
  })
})

const used = ({ heapUsed, external }: { heapUsed: number; external: number }): number => heapUsed + external

/** Sends almost 512 KiB of an unfinished body, one byte in each chunk. */
async function sendTinyChunks({ socket }: Connection): Promise<void> {
  socket.write(write('POST', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }))
  const chunks = '1\r\n \r\n'.repeat(10_000)
  for (let sent = 0; sent < MIB / 2 - 10_000; sent += 10_000)
    if (!socket.write(chunks)) await new Promise((resolve) => socket.once('drain', resolve))
}
