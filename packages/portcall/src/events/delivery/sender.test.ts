import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNodeSend } from '../../auth/client/http/node-send.ts'
import { MAX_DELIVERY_BYTES } from '../../protocol/events.ts'
import { checkSignature } from '../signature.ts'
import { createEventSender, type EventMessage, type EventSenderOptions } from './sender.ts'

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const OTHER = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const BODY = '{"eventId":"ord-7731","name":"order.created","timestamp":"2026-11-27T09:15:04Z","data":{"orderId":"ü"}}'

async function portOf(server: Server): Promise<number> {
  onTestFinished(() => void server.close())
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return (server.address() as AddressInfo).port
}

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  onTestFinished(() => server.closeAllConnections())
  return `http://127.0.0.1:${await portOf(server)}/hook`
}

const messageFor = (url: string, change: Partial<EventMessage> = {}): EventMessage => ({
  url,
  secrets: SECRET,
  messageId: 'ord-7731',
  subscriptionId: 'sub_1',
  body: BODY,
  ...change,
})

const local = (options: EventSenderOptions = {}) => createEventSender({ allow: ['127.0.0.1'], ...options })

/** A sender whose names resolve to the given addresses. */
const resolving = (addresses: readonly string[], options: EventSenderOptions = {}) => {
  const resolve = vi.fn<LookupFunction>((_name, lookupOptions, callback) => {
    const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (lookupOptions.all) callback(null, entries)
    else callback(null, entries[0]!.address, entries[0]!.family)
  })
  return { resolve, ...createEventSender(options, async (policy) => createNodeSend(policy, { resolve })) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

describe('deliver', () => {
  test('EVT-071 EVT-073 EVT-114 posts the body with the four headers and a signature for each secret', async () => {
    const received: Array<{ request: IncomingMessage; body: string }> = []
    const url = await serve(async (request, response) => {
      received.push({ request, body: await textOf(request) })
      response.writeHead(204).end()
    })
    expect(await local().deliver(messageFor(url, { secrets: [SECRET, OTHER] }))).toEqual({ type: 'delivered' })
    const [{ request, body }] = received as [(typeof received)[0]]
    expect([request.method, request.url, body]).toEqual(['POST', '/hook', BODY])
    const { headers } = request
    expect(headers['content-type']).toBe('application/json')
    expect(headers['x-mcp-subscription-id']).toBe('sub_1')
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('authorization')
    const sent = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
    }
    expect(sent.id).toBe('ord-7731')
    for (const secret of [SECRET, OTHER])
      expect(await checkSignature(sent, body, { secrets: secret })).toEqual({ type: 'valid', secret })
  })

  test('EVT-076 a further attempt has another timestamp and signature, and the same id', async () => {
    const seen: unknown[][] = []
    const url = await serve((request, response) => {
      seen.push([request.headers['webhook-id'], request.headers['webhook-timestamp'], request.headers['webhook-signature']])
      response.writeHead(500).end()
    })
    let now = 1_795_770_904_000
    const sender = local({ now: () => now })
    await sender.deliver(messageFor(url))
    now += 30_000
    await sender.deliver(messageFor(url))
    expect(seen.map(([id]) => id)).toEqual(['ord-7731', 'ord-7731'])
    expect(seen.map(([, timestamp]) => timestamp)).toEqual(['1795770904', '1795770934'])
    expect(seen[0]![2]).not.toBe(seen[1]![2])
  })

  test.each([
    [200, {}, { type: 'delivered' }],
    [202, {}, { type: 'delivered' }],
    [410, {}, { type: 'gone' }],
    [413, {}, { type: 'too_large' }],
    [400, {}, { type: 'retry', reason: 'http_4xx' }],
    [401, {}, { type: 'retry', reason: 'http_4xx' }],
    [425, {}, { type: 'retry', reason: 'http_4xx' }],
    [429, { 'retry-after': '7' }, { type: 'retry', reason: 'http_4xx', retryAfterMs: 7000 }],
    [503, { 'retry-after': '99999999' }, { type: 'retry', reason: 'http_5xx', retryAfterMs: 3_600_000 }],
    [503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, { type: 'retry', reason: 'http_5xx', retryAfterMs: 0 }],
    [500, { 'retry-after': 'soon' }, { type: 'retry', reason: 'http_5xx' }],
    [500, { 'retry-after': 'soon 5' }, { type: 'retry', reason: 'http_5xx' }],
    [500, { 'retry-after': '-99999' }, { type: 'retry', reason: 'http_5xx' }],
    [500, { 'retry-after': '1.5' }, { type: 'retry', reason: 'http_5xx' }],
    [304, {}, { type: 'retry', reason: 'http_4xx' }],
  ])('EVT-080 EVT-081 status %i with %o', async (status, headers, outcome) => {
    const url = await serve((_, response) => response.writeHead(status, headers).end())
    expect(await local().deliver(messageFor(url))).toEqual(outcome)
  })

  test.each([301, 302, 303, 307, 308])('EVT-082 does not follow a redirect with status %i', async (status) => {
    const paths: unknown[] = []
    const url = await serve((request, response) => {
      paths.push(request.url)
      response.writeHead(status, { location: '/other' }).end()
    })
    expect(await local().deliver(messageFor(url))).toEqual({ type: 'retry', reason: 'http_4xx' })
    expect(paths).toEqual(['/hook'])
  })

  test('EVT-078 sends no body of more than 256 KiB', async () => {
    const hits = vi.fn<RequestListener>((_, response) => response.writeHead(204).end())
    const url = await serve(hits)
    const text = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2))
    expect(await local().deliver(messageFor(url, { body: text(MAX_DELIVERY_BYTES + 1) }))).toEqual({ type: 'too_large' })
    expect(hits).not.toHaveBeenCalled()
    expect(await local().deliver(messageFor(url, { body: text(MAX_DELIVERY_BYTES) }))).toEqual({ type: 'delivered' })
  })

  test('an endpoint may take any time', async () => {
    const url = await serve((_, response) => response.end())
    expect(await local({ timeoutMs: Infinity }).deliver(messageFor(url))).toEqual({ type: 'delivered' })
  })

  test('an endpoint that does not answer in time', async () => {
    const url = await serve(() => {})
    expect(await local({ timeoutMs: 50 }).deliver(messageFor(url))).toEqual({ type: 'retry', reason: 'timeout' })
  })

  test('an endless answer is not read, and its connection is closed', async () => {
    let onClose!: () => void
    const closed = new Promise<void>((resolve) => {
      onClose = resolve
    })
    const url = await serve((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1)
      response.on('close', () => {
        clearInterval(timer)
        onClose()
      })
    })
    expect(await local().deliver(messageFor(url))).toEqual({ type: 'delivered' })
    await closed
  })

  test('a port that nobody listens on', async () => {
    const server = createTcpServer()
    const port = await portOf(server)
    await new Promise((done) => server.close(done))
    expect(await local().deliver(messageFor(`http://127.0.0.1:${port}/`))).toEqual({
      type: 'retry',
      reason: 'connection_refused',
    })
  })

  test('an endpoint that closes the connection', async () => {
    const port = await portOf(createTcpServer((socket) => socket.destroy()))
    expect(await local().deliver(messageFor(`http://127.0.0.1:${port}/`))).toEqual({
      type: 'retry',
      reason: 'connection_refused',
    })
  })

  test('an endpoint that speaks http where https is expected', async () => {
    const url = (await serve((_, response) => response.end())).replace('http:', 'https:')
    expect(await local().deliver(messageFor(url))).toEqual({ type: 'retry', reason: 'tls_error' })
  })

  test('an endpoint that answers with garbage', async () => {
    const port = await portOf(createTcpServer((socket) => socket.end('\0\0\0 no http\r\n\r\n')))
    expect(await local().deliver(messageFor(`http://127.0.0.1:${port}/`))).toMatchObject({ type: 'retry' })
  })

  test('a caller may abort', async () => {
    const controller = new AbortController()
    const url = await serve(() => controller.abort(new Error('stopped')))
    await expect(local().deliver(messageFor(url, { signal: controller.signal }))).rejects.toThrow('stopped')
  })

  test.each(['', 'a b', 'a\r\nx: y', 'ü', 'x'.repeat(257)])(
    'refuses the message id %j, which no header can carry',
    async (messageId) => {
      await expect(local().deliver(messageFor('https://example.com/', { messageId }))).rejects.toThrow(TypeError)
    },
  )
})

describe('addresses', () => {
  test.each([
    'http://hooks.example.net/',
    'https://user:secret@hooks.example.net/',
    'https://hooks.example.net/#part',
    'https:hooks.example.net',
    'ftp://hooks.example.net/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest',
    'https://localhost/',
    'https://metadata.google.internal/',
    'hooks.example.net',
    '',
    `https://hooks.example.net/${'x'.repeat(3000)}`,
  ])('EVT-096 EVT-097 EVT-099 refuses %s, and sends nothing', async (url) => {
    const fetch = vi.fn<typeof globalThis.fetch>()
    const sender = createEventSender({ fetch })
    expect(sender.problemOf(url)).toEqual(expect.any(String))
    expect(sender.problemOf(url)).not.toContain('secret')
    expect(await sender.deliver(messageFor(url))).toMatchObject({ type: 'refused' })
    expect(await sender.verify(messageFor(url))).toMatchObject({ type: 'refused' })
    expect(fetch).not.toHaveBeenCalled()
  })

  test('accepts https URLs of names on the internet, and nothing that is no text', () => {
    const sender = createEventSender()
    expect(sender.problemOf('https://hooks.example.net:8443/mcp?key=1')).toBeUndefined()
    for (const value of [undefined, null, 42, {}]) expect(sender.problemOf(value)).toEqual(expect.any(String))
  })

  test.each([
    ['127.0.0.1'],
    ['10.0.0.5'],
    ['100.64.0.1'],
    ['169.254.169.254'],
    ['192.0.0.8'],
    ['192.0.2.1'],
    ['198.18.0.1'],
    ['240.0.0.1'],
    ['255.255.255.255'],
    ['::1'],
    ['::ffff:10.0.0.5'],
    ['64:ff9b::a9fe:a9fe'],
    ['64:ff9b:1::1'],
    ['100::1'],
    ['2001:2::1'],
    ['2001:db8::1'],
    ['2002:a9fe:a9fe::'],
    ['3fff::1'],
    ['5f00::1'],
    ['fd00::1'],
    ['fe80::1'],
    ['93.184.215.14', '10.0.0.5'],
  ])('EVT-097 EVT-098 does not connect to a name that resolves to %s %s', async (...addresses) => {
    const { deliver, verify, resolve } = resolving(addresses)
    expect(await deliver(messageFor('https://hooks.example.net/'))).toMatchObject({ type: 'refused' })
    expect(await verify(messageFor('https://hooks.example.net/'))).toMatchObject({ type: 'refused' })
    expect(resolve).toHaveBeenCalledTimes(2)
  })

  test('EVT-098 connects to the address that was checked, with the name of the URL as Host', async () => {
    const hosts: unknown[] = []
    const { port } = new URL(
      await serve((request, response) => {
        hosts.push(request.headers.host)
        response.writeHead(204).end()
      }),
    )
    const { deliver, resolve } = resolving(['127.0.0.1'], { allow: ['hooks.localhost'] })
    expect(await deliver(messageFor(`http://hooks.localhost:${port}/`))).toEqual({ type: 'delivered' })
    expect(hosts).toEqual([`hooks.localhost:${port}`])
    expect(resolve).toHaveBeenCalledTimes(1)
  })

  test('says whether it checks the addresses that names resolve to', () => {
    expect(createEventSender().checksAddresses).toBe(true)
    expect(createEventSender({ fetch }).checksAddresses).toBe(false)
  })
})

describe('verify', () => {
  const verifying = async (answer: (challenge: string) => readonly [number, string]) => {
    const bodies: string[] = []
    const url = await serve(async (request, response) => {
      const body = await textOf(request)
      bodies.push(body)
      const [status, text] = answer((JSON.parse(body) as { challenge: string }).challenge)
      response.writeHead(status, { 'content-type': 'application/json', location: '/' }).end(text)
    })
    return { bodies, outcome: await local({ timeoutMs: 5000 }).verify(messageFor(url)) }
  }

  test('EVT-087 EVT-089 accepts the echo of a random challenge', async () => {
    const { bodies, outcome } = await verifying((challenge) => [200, JSON.stringify({ challenge, more: 1 })])
    expect(outcome).toEqual({ type: 'verified' })
    expect(JSON.parse(bodies[0]!)).toEqual({ type: 'verification', challenge: expect.stringMatching(/^[\w-]{32}$/) })
  })

  test.each<[string, (challenge: string) => readonly [number, string]]>([
    ['another challenge', () => [200, '{"challenge":"x"}']],
    ['no challenge', () => [200, '{}']],
    ['the text alone', (challenge) => [200, challenge]],
    ['no JSON', () => [200, '<html>']],
    ['an array', (challenge) => [200, JSON.stringify([challenge])]],
    ['the echo in an error', (challenge) => [400, JSON.stringify({ challenge })]],
    ['the echo in a redirect', (challenge) => [302, JSON.stringify({ challenge })]],
    ['the echo in too much text', (challenge) => [200, JSON.stringify({ pad: 'x'.repeat(20_000), challenge })]],
  ])('EVT-092 refuses %s', async (_, answer) => {
    expect((await verifying(answer)).outcome).toEqual({ type: 'failed', reason: 'challenge_failed' })
  })

  test('an endpoint that sends its answer forever fails after the timeout', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    })
    expect(await local({ timeoutMs: 80 }).verify(messageFor(url))).toEqual({ type: 'failed', reason: 'timeout' })
  })

  test('an endpoint that does not exist', async () => {
    expect(await local().verify(messageFor('http://127.0.0.1:1/'))).toEqual({ type: 'failed', reason: 'connection_refused' })
  })
})
