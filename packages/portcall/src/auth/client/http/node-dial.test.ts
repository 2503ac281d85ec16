import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGuard, type GuardOptions } from './fetch.ts'
import { createNodeDial } from './node-dial.ts'

const running: Server[] = []
afterEach(() => {
  for (const server of running.splice(0)) server.close()
})

async function portOf(server: Server): Promise<number> {
  running.push(server)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return (server.address() as AddressInfo).port
}

const serve = (listener: RequestListener) => portOf(createServer(listener))

/** A resolver that gives its answers in turn, and the last one from then on. */
function resolver(...answers: string[][]) {
  const turns = [...answers]
  return vi.fn<LookupFunction>((_name, options, callback) => {
    const addresses = (turns.length > 1 ? turns.shift() : turns[0]) ?? []
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  })
}

const guardAt = (given: string, resolve: LookupFunction, options: Partial<GuardOptions> = {}) =>
  createGuard({ given: new URL(given), ...options }, async (reach) => createNodeDial(reach, resolve)).fetch

const refusal = { fault: 'address_refused' }
const failure = { fault: 'unreachable' }

describe('what Node dials', () => {
  test.each(['127.0.0.1', '10.0.0.5', '169.254.169.254', '::1', '::ffff:10.0.0.5', 'fe80::1%eth0', '64:ff9b::a9fe:a9fe'])(
    'C51 X03 is never what a public name resolves to, when that is %s',
    async (address) => {
      const hits = vi.fn()
      const port = await serve(hits)
      const resolve = resolver([address])
      await expect(guardAt('https://mcp.example.com/', resolve)(`https://evil.example:${port}/`)).rejects.toMatchObject(refusal)
      expect(resolve).toHaveBeenCalledTimes(1)
      expect(hits).not.toHaveBeenCalled()
    },
  )

  test('X03 is nothing when one of several addresses is private', async () => {
    const port = await serve((_, response) => response.end('ok'))
    const fetch = guardAt(`http://mcp.localhost:${port}/`, resolver(['127.0.0.1', '10.0.0.5']))
    await expect(fetch(`http://other.localhost:${port}/`)).rejects.toMatchObject(refusal)
  })

  test('X03 is the address that was checked: a second answer of the resolver is not asked for, and checked when it is', async () => {
    const port = await serve((_, response) => response.end('ok'))
    const resolve = resolver(['127.0.0.1'], ['10.0.0.5'])
    const fetch = guardAt('http://localhost:1/', resolve)
    expect(await (await fetch(`http://login.localhost:${port}/`)).text()).toBe('ok')
    expect(resolve).toHaveBeenCalledTimes(1)
    await expect(fetch(`http://login.localhost:${port}/`)).rejects.toMatchObject(refusal)
  })

  test('X03 is not a public address without https, whatever the name says', async () => {
    await expect(guardAt('http://localhost:1/', resolver(['8.8.8.8']))('http://localhost:2/')).rejects.toMatchObject(refusal)
  })

  test('C54 X03 is checked again after a redirect', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: `http://evil.localhost:${port}/` }).end())
    const fetch = guardAt(`http://mcp.localhost:${port}/`, resolver(['127.0.0.1'], ['192.168.0.1']))
    await expect(fetch(`http://mcp.localhost:${port}/`)).rejects.toMatchObject(refusal)
  })
})

describe('what Node sends and takes', () => {
  const local = (options: Partial<GuardOptions> = {}) => createGuard({ given: new URL('http://127.0.0.1:1/'), ...options }).fetch

  test('is a form with headers, and status, headers and body come back', async () => {
    const port = await serve((request, response) => {
      const { method, headers } = request
      request.setEncoding('utf8').on('data', (body) => {
        response.writeHead(201, { 'content-type': 'application/json', 'dpop-nonce': 'n' })
        response.end(JSON.stringify({ method, body, type: headers['content-type'], agent: headers['user-agent'] }))
      })
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ grant_type: 'x', resource: 'https://a/?b' })
    const response = await local()(`http://localhost:${port}/`, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('dpop-nonce')]).toEqual([201, 'n'])
    const expected = { method: 'POST', body: 'grant_type=x&resource=https%3A%2F%2Fa%2F%3Fb', type: headers['content-type'] }
    expect(await response.json()).toEqual({ ...expected, agent: 'portcall' })
  })

  test('has no body where there can be none', async () => {
    const port = await serve((_, response) => response.writeHead(204).end())
    expect((await local()(`http://127.0.0.1:${port}/`)).body).toBeNull()
  })

  test.each([
    ['a status that is none', 'HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-x\r\n'],
    ['an end before its length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['nothing', ''],
  ])('fails on %s', async (_, answer) => {
    const port = await portOf(createTcpServer((socket) => void socket.on('error', () => {}).end(answer)))
    await expect(local()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(failure)
  })

  test('C68 is cut off beyond the limit, also when it was never to end', async () => {
    let closed: () => void
    const gone = new Promise<void>((resolve) => (closed = resolve))
    const port = await serve((_, response) => {
      const piece = 'x'.repeat(65_536)
      const write = () =>
        void (response.destroyed || (response.write(piece) ? setImmediate(write) : response.once('drain', write)))
      response.on('close', () => closed())
      write()
    })
    await expect(local()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(failure)
    await gone
  })

  test('C68 is not unpacked', async () => {
    const port = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(60_000_000)))
    })
    const response = await local()(`http://127.0.0.1:${port}/`)
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(100_000)
  })

  test.each(['head', 'body'])('fails when the %s does not come in time', async (part) => {
    const port = await serve((_, response) => void (part === 'body' && response.write('{')))
    await expect(local({ withinMs: 50 })(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(failure)
  })

  test('ends with the reason of the signal', async () => {
    const port = await serve(() => {})
    const controller = new AbortController()
    const sent = local()(`http://127.0.0.1:${port}/`, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(sent).rejects.toThrow('enough')
  })
})
