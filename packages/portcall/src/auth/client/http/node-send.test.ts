import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createNodeSend } from './node-send.ts'
import { createSafeFetch, type SafeFetchOptions } from './safe-fetch.ts'

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

/** A resolver that returns its results in turn, and then repeats the last one. */
function resolver(...results: string[][]) {
  const remaining = [...results]
  return vi.fn<LookupFunction>((_name, options, callback) => {
    const addresses = (remaining.length > 1 ? remaining.shift() : remaining[0]) ?? []
    const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, entries)
    else callback(null, entries[0]!.address, entries[0]!.family)
  })
}

const fetchFrom = (trustedUrl: string, resolve: LookupFunction, options: Partial<SafeFetchOptions> = {}) =>
  createSafeFetch({ trustedUrl: new URL(trustedUrl), ...options }, async (policy) => createNodeSend(policy, { resolve })).fetch

const addressRefused = { reason: 'address_refused' }
const unreachable = { reason: 'unreachable' }

describe('DNS resolution', () => {
  test.each(['127.0.0.1', '10.0.0.5', '169.254.169.254', '::1', '::ffff:10.0.0.5', 'fe80::1%eth0', '64:ff9b::a9fe:a9fe'])(
    'C51 X03 never connects to %s when a public name resolves to it',
    async (address) => {
      const hits = vi.fn()
      const port = await serve(hits)
      const resolve = resolver([address])
      await expect(fetchFrom('https://mcp.example.com/', resolve)(`https://evil.example:${port}/`)).rejects.toMatchObject(
        addressRefused,
      )
      expect(resolve).toHaveBeenCalledTimes(1)
      expect(hits).not.toHaveBeenCalled()
    },
  )

  test('X03 does not connect when one of several addresses is private', async () => {
    const port = await serve((_, response) => response.end('ok'))
    const fetch = fetchFrom(`http://mcp.localhost:${port}/`, resolver(['127.0.0.1', '10.0.0.5']))
    await expect(fetch(`http://other.localhost:${port}/`)).rejects.toMatchObject(addressRefused)
  })

  test('X03 resolves a name once for each request and connects to the address that was checked', async () => {
    const port = await serve((_, response) => response.end('ok'))
    const resolve = resolver(['127.0.0.1'], ['10.0.0.5'])
    const fetch = fetchFrom('http://localhost:1/', resolve)
    expect(await (await fetch(`http://login.localhost:${port}/`)).text()).toBe('ok')
    expect(resolve).toHaveBeenCalledTimes(1)
    await expect(fetch(`http://login.localhost:${port}/`)).rejects.toMatchObject(addressRefused)
  })

  test('X03 a public address requires https even if the name is a loopback name', async () => {
    await expect(fetchFrom('http://localhost:1/', resolver(['8.8.8.8']))('http://localhost:2/')).rejects.toMatchObject(
      addressRefused,
    )
  })

  test('C54 X03 checks the address again after a redirect', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: `http://evil.localhost:${port}/` }).end())
    const fetch = fetchFrom(`http://mcp.localhost:${port}/`, resolver(['127.0.0.1'], ['192.168.0.1']))
    await expect(fetch(`http://mcp.localhost:${port}/`)).rejects.toMatchObject(addressRefused)
  })
})

describe('requests and responses', () => {
  const local = (options: Partial<SafeFetchOptions> = {}) =>
    createSafeFetch({ trustedUrl: new URL('http://127.0.0.1:1/'), ...options }).fetch

  test('sends a form with headers, and returns status, headers and body', async () => {
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

  test('returns no body for a status without one', async () => {
    const port = await serve((_, response) => response.writeHead(204).end())
    expect((await local()(`http://127.0.0.1:${port}/`)).body).toBeNull()
  })

  test.each([
    ['an invalid status', 'HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['text that is not HTTP', 'SSH-2.0-x\r\n'],
    ['a truncated body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['an empty response', ''],
  ])('fails on %s', async (_, reply) => {
    const port = await portOf(createTcpServer((socket) => void socket.on('error', () => {}).end(reply)))
    await expect(local()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(unreachable)
  })

  test('C68 cuts off an endless response at the limit', async () => {
    let closed: () => void
    const disconnected = new Promise<void>((resolve) => (closed = resolve))
    const port = await serve((_, response) => {
      const chunk = 'x'.repeat(65_536)
      const write = () =>
        void (response.destroyed || (response.write(chunk) ? setImmediate(write) : response.once('drain', write)))
      response.on('close', () => closed())
      write()
    })
    await expect(local()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(unreachable)
    await disconnected
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('C68 decodes %s', async (coding, compress) => {
    const port = await serve((request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(compress(`asked for ${request.headers['accept-encoding']}`))
    })
    const response = await local()(`http://127.0.0.1:${port}/`)
    expect(await response.text()).toBe('asked for gzip, deflate, br')
  })

  test('C68 limits the decoded bytes', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(60_000_000)))
    })
    await expect(local()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      ...unreachable,
      message: expect.stringContaining('is larger than'),
    })
  })

  test.each(['gzip', 'foo'])('names the coding %s of a response that cannot be decoded', async (coding) => {
    const port = await serve((_, response) => void response.writeHead(200, { 'content-encoding': coding }).end('{}'))
    const message = expect.stringContaining(coding)
    await expect(local()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ ...unreachable, message })
  })

  test.each(['head', 'body'])('fails when the %s does not arrive in time', async (part) => {
    const port = await serve((_, response) => void (part === 'body' && response.write('{')))
    await expect(local({ timeoutMs: 50 })(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(unreachable)
  })

  test('rejects with the reason of the signal', async () => {
    const port = await serve(() => {})
    const controller = new AbortController()
    const sent = local()(`http://127.0.0.1:${port}/`, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(sent).rejects.toThrow('enough')
  })
})
