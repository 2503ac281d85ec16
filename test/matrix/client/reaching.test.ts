import { serveChannel } from 'portcall'
import {
  type Channel,
  type Client,
  type ConnectOptions,
  connect,
  HttpStatusError,
  NegotiationError,
  type Target,
} from 'portcall/client'
import { channelPair, type JsonObject, type Message, type Request, type Response } from 'portcall/jsonrpc'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RevisionName } from '../../support/places.ts'
import { createRecorder, type Head, type Recorder } from '../../support/recorder.ts'
import type { Change } from '../../support/recording-proxy.ts'
import { tapChannel } from '../../support/taps.ts'
import { createMatrixServer } from '../server/index.ts'
import { HELPFUL } from './clients.ts'
import { CLIENT_TRANSPORTS, httpStage, openStage, type Stage } from './stages.ts'

const OLD = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const NEWEST = '2026-07-28'

/** A stage that is taken down with the test, when everything that was said there has been judged. */
async function staged(stage: Promise<Stage>): Promise<Stage> {
  const made = await stage
  onTestFinished(async () => {
    await made.close()
    expect(made.recorder.violations).toEqual([])
  })
  return made
}

async function reached(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, { ...HELPFUL, ...options })
  onTestFinished(() => client.close())
  return client
}

const methods = ({ log }: Recorder): unknown[] => log.flatMap(({ from, message }) => (from === 'client' ? [message.method] : []))

const asOf = (message: Request, revision: RevisionName): Request => ({
  ...message,
  params: { ...message.params, protocolVersion: revision },
})

/** How an old server answers what it has never heard of. */
type Ignorance = (id: Request['id']) => Response | undefined
const IGNORANCE: Record<string, Ignorance> = {
  'with -32601': (id) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
  'with -32602': (id) => ({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid request parameters' } }),
  'with -32000': (id) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Server not initialized' } }),
  'with nothing': () => undefined,
}

/** A server that knows nothing newer than a revision, at the other end of a channel. */
function oldChannel(revision: RevisionName, ignorance: Ignorance): Stage {
  const server = createMatrixServer()
  const recorder = createRecorder()
  const [near, far] = channelPair()
  serveChannel(server, far)
  let deliver: (value: unknown) => void = () => {}
  const aged: Channel = {
    ...near,
    send(message: Message | Message[]) {
      const { method } = message as Request
      if (method !== 'server/discover') return near.send(method === 'initialize' ? asOf(message as Request, revision) : message)
      const answer = ignorance((message as Request).id)
      if (answer) queueMicrotask(() => deliver(answer))
    },
    receive(onReceived, onClose) {
      deliver = (value) => onReceived({ value })
      near.receive(onReceived, onClose)
    },
  }
  return { target: tapChannel(aged, recorder), options: {}, recorder, close: async () => server.close() }
}

/** What an old HTTP server makes of what comes: `refusal` is its answer to what it does not know. */
const oldHttp =
  (revision: RevisionName, refusal: Change) =>
  ({ message }: Head): Change | undefined => {
    if (message?.method === 'server/discover') return refusal
    return message?.method === 'initialize'
      ? { message: asOf(message as unknown as Request, revision) as unknown as JsonObject }
      : undefined
  }

/** A server that has only the HTTP transport of the first revision: it takes messages only where it says in its stream. */
const oldestHttp =
  (status: number) =>
  (head: Head): Change | undefined =>
    head.method === 'POST' && !head.url.includes('?') ? { status } : oldHttp('2024-11-05', { status })(head)

describe('client · reaching a server of the newest revision', () => {
  test.each(CLIENT_TRANSPORTS.filter((transport) => transport !== 'sse'))(
    'VER-007 VER-011 over %s it is found by one question',
    async (transport) => {
      const { target, options, recorder } = await staged(openStage(transport))
      const client = await reached(target, options)
      expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
      expect(methods(recorder)).toEqual(transport === 'exchange' ? ['tools/call'] : ['server/discover', 'tools/call'])
      expect([...recorder.spoken]).toEqual([NEWEST])
    },
  )

  test('VER-014 who knows it beforehand does not ask', async () => {
    const { target, recorder } = await staged(openStage('http'))
    const client = await reached(target, { prior: 'modern' })
    expect(methods(recorder)).toEqual([])
    await client.callTool('nothing')
    expect(methods(recorder)).toEqual(['tools/call'])
  })

  test('LIFE-007 who takes it for an old one negotiates the newest of the old', async () => {
    const { target, recorder } = await staged(openStage('http'))
    await reached(target, { prior: 'legacy' })
    expect(methods(recorder)).toEqual(['initialize', 'notifications/initialized'])
    expect([...recorder.spoken]).toEqual(['2025-11-25'])
  })

  test('VER-003 one that speaks other revisions of the era is not taken for an old one', async () => {
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

describe.each(OLD)('client · reaching a server of %s', (revision) => {
  const speaks = async (client: Client, { recorder }: Stage): Promise<void> => {
    expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
    expect((await client.discover()).serverInfo?.name).toBe('matrix')
    if (revision >= '2025-06-18') expect((await client.callTool('asks')).content).toMatchObject([{ text: 'Hello, Ada' }])
    const said = methods(recorder)
    expect(said.slice(said.indexOf('initialize'), said.indexOf('initialize') + 2)).toEqual([
      'initialize',
      'notifications/initialized',
    ])
  }

  test.each(Object.entries(IGNORANCE))('VER-009 VER-010 over a channel, when it answers %s', async (_how, ignorance) => {
    const stage = await staged(Promise.resolve(oldChannel(revision, ignorance)))
    const client = await reached(stage.target, { probeMs: 50 })
    await speaks(client, stage)
    expect(methods(stage.recorder).slice(0, 2)).toEqual(['server/discover', 'initialize'])
  })

  test.each([
    ['400 and a text', { status: 400, body: 'Bad Request: Unsupported protocol version' }],
    [
      '400 and an error',
      { status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session"}}' },
    ],
    ['404', { status: 404 }],
    ['200 and an error', { status: 200, body: '{"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"?"}}' }],
  ])('VER-012 HTTP-096 LIFE-012 over HTTP, when it answers %s', async (_how, refusal) => {
    const stage = await staged(httpStage(oldHttp(revision, refusal)))
    const client = await reached(stage.target)
    await speaks(client, stage)
    const call = stage.recorder.heads.find(({ message }) => message?.method === 'tools/call')
    expect(call?.headers['mcp-protocol-version']).toBe(revision < '2025-06-18' ? undefined : revision)
  })

  test('VER-013 over HTTP it is known from then on', async () => {
    const { target, recorder } = await staged(httpStage(oldHttp(revision, { status: 400 })))
    await reached(target)
    const before = methods(recorder).length
    await reached(target)
    expect(methods(recorder).slice(before)).toEqual(['initialize', 'notifications/initialized'])
  })

  test.each(['channel', 'http'])('LIFE-006 over %s, pinned to it', async (way) => {
    const never: Ignorance = () => undefined
    const stage = await staged(
      way === 'http' ? httpStage(oldHttp(revision, { status: 400 })) : Promise.resolve(oldChannel(revision, never)),
    )
    await speaks(await reached(stage.target, { revision }), stage)
    expect([...stage.recorder.spoken]).toEqual([revision])
  })

  test('LIFE-011 a server that answers with another one is left', async () => {
    const other = OLD.find((one) => one !== revision) as RevisionName
    const stage = await staged(httpStage(oldHttp(other, { status: 400 })))
    await expect(connect(stage.target, { revision })).rejects.toBeInstanceOf(NegotiationError)
    expect(methods(stage.recorder)).toEqual(['initialize'])
  })
})

describe('client · reaching a server of the first HTTP transport', () => {
  test.each([400, 404, 405])('HTTP-096 SSE-003 when it answers a POST with %i', async (status) => {
    const stage = await staged(httpStage(oldestHttp(status)))
    const client = await reached(stage.target)
    expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
    const before = methods(stage.recorder).length
    await reached(stage.target)
    expect(methods(stage.recorder).slice(before)).toEqual(['initialize', 'notifications/initialized'])
  })

  test('HTTP-096 a pinned revision does not pin the transport', async () => {
    const stage = await staged(httpStage(oldestHttp(405)))
    const client = await reached(stage.target, { revision: '2024-11-05' })
    expect((await client.callTool('echo', { text: 'x' })).content).toMatchObject([{ text: 'x' }])
  })
})

describe('client · not reaching a server', () => {
  test.each([401, 403, 429, 500, 503])('VER-012 a refusal with %i says nothing about eras', async (status) => {
    const { target, recorder } = await staged(httpStage(() => ({ status })))
    const error = await connect(target).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(HttpStatusError)
    expect(error).toMatchObject({ status })
    expect(recorder.heads).toHaveLength(1)
  })

  test('there has to be such a revision, and such a target', async () => {
    await expect(connect('http://localhost:1/mcp', { revision: '1999-01-01' })).rejects.toBeInstanceOf(TypeError)
    for (const target of ['no url', 'ftp://example.com/', {} as Channel])
      await expect(connect(target)).rejects.toBeInstanceOf(TypeError)
  })
})
