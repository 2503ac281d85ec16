import { serveChannel } from 'portcall'
import {
  type Channel,
  type Client,
  type ConnectOptions,
  type ConnectTarget,
  connect,
  HttpStatusError,
  NegotiationError,
} from 'portcall/client'
import { channelPair, type JsonObject, type Message, type Request, type Response } from 'portcall/jsonrpc'
import { describe, expect, onTestFinished, test } from 'vitest'
import { observeChannel } from '../../support/observers.ts'
import { createRecorder, type Head, type Recorder } from '../../support/recorder.ts'
import type { Change } from '../../support/recording-proxy.ts'
import type { RevisionName } from '../../support/setups.ts'
import { createMatrixServer } from '../server/index.ts'
import { INPUT_HANDLERS } from './client-matrix.ts'
import { CLIENT_TRANSPORTS, createFixture, createHttpFixture, type Fixture } from './fixtures.ts'

const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const NEWEST = '2026-07-28'

/** Closes a fixture after the test and expects no schema violations. */
async function useFixture(fixture: Promise<Fixture>): Promise<Fixture> {
  const opened = await fixture
  onTestFinished(async () => {
    await opened.close()
    expect(opened.recorder.violations).toEqual([])
  })
  return opened
}

async function connectTo(target: ConnectTarget, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, { ...INPUT_HANDLERS, ...options })
  onTestFinished(() => client.close())
  return client
}

const methods = ({ log }: Recorder): unknown[] => log.flatMap(({ from, message }) => (from === 'client' ? [message.method] : []))

const withVersion = (message: Request, revision: RevisionName): Request => ({
  ...message,
  params: { ...message.params, protocolVersion: revision },
})

/** The response of an old server to an unknown method. */
type UnknownMethodResponse = (id: Request['id']) => Response | undefined
const UNKNOWN_METHOD_RESPONSES: Record<string, UnknownMethodResponse> = {
  'with -32601': (id) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
  'with -32602': (id) => ({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid request parameters' } }),
  'with -32000': (id) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Server not initialized' } }),
  'with nothing': () => undefined,
}

/** Creates a server on a channel that supports no revision newer than the given one. */
function oldChannel(revision: RevisionName, respond: UnknownMethodResponse): Fixture {
  const server = createMatrixServer()
  const recorder = createRecorder()
  const [near, far] = channelPair()
  serveChannel(server, far)
  let deliver: (value: unknown) => void = () => {}
  const oldEnd: Channel = {
    ...near,
    send(message: Message | Message[]) {
      const { method } = message as Request
      if (method !== 'server/discover')
        return near.send(method === 'initialize' ? withVersion(message as Request, revision) : message)
      const answer = respond((message as Request).id)
      if (answer) queueMicrotask(() => deliver(answer))
    },
    receive(onReceived, onClose) {
      deliver = (value) => onReceived({ value })
      near.receive(onReceived, onClose)
    },
  }
  return { target: observeChannel(oldEnd, recorder), options: {}, recorder, close: async () => server.close() }
}

/** Turns a server into an old HTTP server: `refusal` is its response to an unknown method. */
const oldHttpServer =
  (revision: RevisionName, refusal: Change) =>
  ({ message }: Head): Change | undefined => {
    if (message?.method === 'server/discover') return refusal
    return message?.method === 'initialize'
      ? { message: withVersion(message as unknown as Request, revision) as unknown as JsonObject }
      : undefined
  }

/** Turns a server into one that supports only HTTP+SSE: it accepts messages only at the URL sent in its stream. */
const sseOnlyServer =
  (status: number) =>
  (head: Head): Change | undefined =>
    head.method === 'POST' && !head.url.includes('?') ? { status } : oldHttpServer('2024-11-05', { status })(head)

describe('client · connecting to a server of the newest revision', () => {
  test.each(CLIENT_TRANSPORTS.filter((transport) => transport !== 'sse'))(
    'VER-007 VER-011 over %s it is detected by one request',
    async (transport) => {
      const { target, options, recorder } = await useFixture(createFixture(transport))
      const client = await connectTo(target, options)
      expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
      expect(methods(recorder)).toEqual(transport === 'exchange' ? ['tools/call'] : ['server/discover', 'tools/call'])
      expect([...recorder.revisions]).toEqual([NEWEST])
    },
  )

  test('VER-014 a client with era "modern" sends no probe', async () => {
    const { target, recorder } = await useFixture(createFixture('http'))
    const client = await connectTo(target, { era: 'modern' })
    expect(methods(recorder)).toEqual([])
    await client.callTool('nothing')
    expect(methods(recorder)).toEqual(['tools/call'])
  })

  test('LIFE-007 a client with era "legacy" negotiates the newest legacy revision', async () => {
    const { target, recorder } = await useFixture(createFixture('http'))
    await connectTo(target, { era: 'legacy' })
    expect(methods(recorder)).toEqual(['initialize', 'notifications/initialized'])
    expect([...recorder.revisions]).toEqual(['2025-11-25'])
  })

  test('VER-003 a modern server with other revisions is not treated as a legacy server', async () => {
    const error = {
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: ['2031-01-01'], requested: NEWEST },
    }
    const [near, far] = channelPair()
    far.receive(
      (received) => {
        if ('value' in received) far.send({ jsonrpc: '2.0', id: (received.value as Request).id, error })
      },
      () => {},
    )
    await expect(connect(near)).rejects.toBeInstanceOf(NegotiationError)
  })
})

describe.each(LEGACY_REVISIONS)('client · connecting to a server of %s', (protocolVersion) => {
  const expectLegacy = async (client: Client, { recorder }: Fixture): Promise<void> => {
    expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
    expect((await client.discover()).serverInfo?.name).toBe('matrix')
    if (protocolVersion >= '2025-06-18') expect((await client.callTool('asks')).content).toMatchObject([{ text: 'Hello, Ada' }])
    const sent = methods(recorder)
    expect(sent.slice(sent.indexOf('initialize'), sent.indexOf('initialize') + 2)).toEqual([
      'initialize',
      'notifications/initialized',
    ])
  }

  test.each(Object.entries(UNKNOWN_METHOD_RESPONSES))(
    'VER-009 VER-010 over a channel, when it answers %s',
    async (_how, respond) => {
      const fixture = await useFixture(Promise.resolve(oldChannel(protocolVersion, respond)))
      const client = await connectTo(fixture.target, { probeTimeoutMs: 50 })
      await expectLegacy(client, fixture)
      expect(methods(fixture.recorder).slice(0, 2)).toEqual(['server/discover', 'initialize'])
    },
  )

  test.each([
    ['400 and a text', { status: 400, body: 'Bad Request: Unsupported protocol version' }],
    [
      '400 and an error',
      { status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session"}}' },
    ],
    ['404', { status: 404 }],
    ['200 and an error', { status: 200, body: '{"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"?"}}' }],
  ])('VER-012 HTTP-096 LIFE-012 over HTTP, when it answers %s', async (_how, refusal) => {
    const fixture = await useFixture(createHttpFixture(oldHttpServer(protocolVersion, refusal)))
    const client = await connectTo(fixture.target)
    await expectLegacy(client, fixture)
    const call = fixture.recorder.heads.find(({ message }) => message?.method === 'tools/call')
    expect(call?.headers['mcp-protocol-version']).toBe(protocolVersion < '2025-06-18' ? undefined : protocolVersion)
  })

  test('VER-013 over HTTP the era is cached', async () => {
    const { target, recorder } = await useFixture(createHttpFixture(oldHttpServer(protocolVersion, { status: 400 })))
    await connectTo(target)
    const before = methods(recorder).length
    await connectTo(target)
    expect(methods(recorder).slice(before)).toEqual(['initialize', 'notifications/initialized'])
  })

  test.each(['channel', 'http'])('LIFE-006 over %s, pinned to it', async (transport) => {
    const never: UnknownMethodResponse = () => undefined
    const fixture = await useFixture(
      transport === 'http'
        ? createHttpFixture(oldHttpServer(protocolVersion, { status: 400 }))
        : Promise.resolve(oldChannel(protocolVersion, never)),
    )
    await expectLegacy(await connectTo(fixture.target, { protocolVersion }), fixture)
    expect([...fixture.recorder.revisions]).toEqual([protocolVersion])
  })

  test('LIFE-011 a server that answers with another revision is rejected', async () => {
    const other = LEGACY_REVISIONS.find((one) => one !== protocolVersion) as RevisionName
    const fixture = await useFixture(createHttpFixture(oldHttpServer(other, { status: 400 })))
    await expect(connect(fixture.target, { protocolVersion })).rejects.toBeInstanceOf(NegotiationError)
    expect(methods(fixture.recorder)).toEqual(['initialize'])
  })
})

describe('client · connecting to an HTTP+SSE server', () => {
  test.each([400, 404, 405])('HTTP-096 SSE-003 when it answers a POST with %i', async (status) => {
    const fixture = await useFixture(createHttpFixture(sseOnlyServer(status)))
    const client = await connectTo(fixture.target)
    expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
    const before = methods(fixture.recorder).length
    await connectTo(fixture.target)
    expect(methods(fixture.recorder).slice(before)).toEqual(['initialize', 'notifications/initialized'])
  })

  test('HTTP-096 a pinned revision does not pin the transport', async () => {
    const fixture = await useFixture(createHttpFixture(sseOnlyServer(405)))
    const client = await connectTo(fixture.target, { protocolVersion: '2024-11-05' })
    expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
  })
})

describe('client · failing to connect', () => {
  test.each([401, 403, 429, 502, 503, 504])('VER-012 a response with %i does not trigger the legacy fallback', async (status) => {
    const { target, recorder } = await useFixture(createHttpFixture(() => ({ status })))
    const error = await connect(target).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(HttpStatusError)
    expect(error).toMatchObject({ status })
    expect(recorder.heads).toHaveLength(1)
  })

  test.each([500, 501])(
    'VER-012 after a response with %i, which may be a crash of an older server, the handshake is tried',
    async (status) => {
      const { target, recorder } = await useFixture(createHttpFixture(() => ({ status })))
      const error = await connect(target).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(HttpStatusError)
      expect(error).toMatchObject({ status })
      expect(recorder.heads.map(({ message }) => message?.method)).toEqual(
        expect.arrayContaining(['server/discover', 'initialize']),
      )
    },
  )

  test('an unknown revision or an invalid target is rejected', async () => {
    await expect(connect('http://localhost:1/mcp', { protocolVersion: '1999-01-01' })).rejects.toBeInstanceOf(TypeError)
    for (const target of ['no url', 'ftp://example.com/', {} as Channel])
      await expect(connect(target)).rejects.toBeInstanceOf(TypeError)
  })
})
