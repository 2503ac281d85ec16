/** HTTP responses that are missing, truncated or endless. */
import { type Client, ConnectionLostError, connect } from 'portcall/client'
import { describe, expect, test } from 'vitest'
import { sleep, timed, until, within } from '../support/time.ts'
import { call, collect, expectLosses, failureOf, healthy, open } from './support/connection.ts'
import { legacy, type Methods, modern, textResult } from './support/eras.ts'
import { type Handler, type RawAnswer, type RawRequest, type RawServer, testRaw } from './support/raw-server.ts'

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]

/** Returns handlers that misbehave for the first calls and respond correctly afterwards. */
function firstCalls(count: number, bad: Handler): Methods {
  let calls = 0
  return { 'tools/call': (request, answer) => (calls++ < count ? bad(request, answer) : answer.result(textResult('fine'))) }
}

const isSubscription = ({ message }: RawRequest): boolean => message.method === 'subscriptions/listen'

/** Expects that closing the client closes all its connections to a server. */
async function closesAll(client: Client, server: RawServer): Promise<void> {
  expect(await timed(() => client.close())).toBeLessThan(5000)
  await until(() => server.open.size === 0, 'the end of all connections')
}

describe.each(ERAS)('a server of %s', (_revision, serve) => {
  const isLegacy = serve === legacy
  const cuts: ReadonlyArray<readonly [id: string, what: string, bad: Handler]> = [
    ['C25', 'resets the connection before it answers', (_, { reset }) => reset()],
    ['C25', 'closes the connection before it answers', (_, { close }) => close()],
    [
      'C25',
      'resets the connection in the head',
      (_, answer) => {
        answer.write('HTTP/1.1 200 OK\r\nContent-Ty')
        setTimeout(answer.reset, 20)
      },
    ],
    [
      'C25',
      'resets the connection after the head',
      (_, answer) => {
        answer.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n')
        setTimeout(answer.reset, 20)
      },
    ],
    [
      'C25',
      'closes the connection in the middle of a JSON body',
      (_, answer) => {
        answer.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"')
        setTimeout(answer.close, 20)
      },
    ],
    [
      'C26',
      'ends a stream without a response',
      (_, answer) => {
        answer.stream()
        answer.end()
      },
    ],
    [
      'C26',
      'ends a stream after a notification',
      (_, answer) => {
        answer.stream()
        answer.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } })
        answer.end()
      },
    ],
    [
      'C26',
      'ends a stream by closing the connection',
      (_, answer) => {
        answer.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: hello\n\n')
        setTimeout(answer.close, 20)
      },
    ],
    [
      'C26',
      'resets a stream',
      (_, answer) => {
        answer.stream()
        setTimeout(answer.reset, 20)
      },
    ],
    [
      'C26',
      'resets a stream in the middle of the response',
      (_, answer) => {
        answer.stream()
        answer.chunk('data: {"jsonrpc":"2.0",')
        setTimeout(answer.reset, 20)
      },
    ],
    [
      'C22e',
      'ends a stream before the blank line of the last event',
      ({ message: { id } }, answer) => {
        answer.stream()
        answer.chunk(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: textResult('cut') })}\n`)
        answer.end()
      },
    ],
    [
      'C25',
      'closes the connection in the middle of a chunk',
      (_, answer) => {
        answer.stream()
        answer.write('ff\r\ndata: {"js')
        setTimeout(answer.close, 20)
      },
    ],
  ]

  test.each(cuts)('%s: it %s: the call fails immediately, the next one succeeds', async (_id, _what, bad) => {
    const server = await testRaw(serve(firstCalls(1, bad)))
    const { client } = await open(server.url)
    const started = performance.now()
    const failure = await failureOf(client.callTool('echo'), 2000)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(failure).toBeInstanceOf(ConnectionLostError)
    expect(failure.retryable).toBe(true)
    await healthy(client)
    await closesAll(client, server)
  })

  test('C25: a hundred calls in flight are reset together: all fail, none hangs, a hundred more succeed', async () => {
    const server = await testRaw(serve(firstCalls(100, (_, answer) => void setTimeout(answer.reset, 100))))
    const { client } = await open(server.url)
    const calls = Array.from({ length: 100 }, () => client.callTool('echo'))
    const outcomes = await within(3000, Promise.allSettled(calls), 'the end of all')
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { retryable: true } })
    expect(await Promise.all(Array.from({ length: 100 }, () => call(client)))).toHaveLength(100)
    await closesAll(client, server)
  })

  test.each<readonly [what: string, bad: Handler]>([
    ['nothing', () => {}],
    [
      'the head of a JSON response',
      (_, { write }) => write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n'),
    ],
    ['the head of a stream', (_, { stream }) => stream()],
    [
      'the head of a stream and a part of an event',
      (_, answer) => {
        answer.stream()
        answer.chunk('data: {"json')
      },
    ],
    ['half a head', (_, { write }) => write('HTTP/1.1 200 OK\r\nContent-')],
    ['the head of an error', (_, { write }) => write('HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n')],
  ])('C23: %s, then silence: the call times out, and the connection is released', async (_what, bad) => {
    const server = await testRaw(serve(firstCalls(1, bad)))
    const { client } = await open(server.url)
    const started = performance.now()
    const failure = await failureOf(client.callTool('echo', {}, { timeouts: { requestTimeoutMs: 300 } }))
    expect(failure.code).toBe('TIMEOUT')
    expect(performance.now() - started).toBeLessThan(13_000)
    await healthy(client)
    await closesAll(client, server)
  })

  test('C23: a stream whose heartbeats stop is considered lost before the timeout', async () => {
    const bad: Handler = (_, answer) => {
      answer.stream()
      answer.chunk(': alive\n\n')
    }
    const server = await testRaw(serve(firstCalls(1, bad)))
    const { client } = await open(server.url, { http: { idleTimeoutMs: 300 } })
    expect(await failureOf(client.callTool('echo'), 2000)).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    await healthy(client)
  })

  test('C12: a server that never responds: the timeout of the call, and the default timeout', async () => {
    const server = await testRaw(serve({ 'tools/call': () => {} }))
    const { client } = await open(server.url, { timeouts: { requestTimeoutMs: 1500 } })
    expect((await failureOf(client.callTool('echo'), 1500)).code).toBe('TIMEOUT')
    const started = performance.now()
    expect((await failureOf(client.callTool('echo', {}, { timeouts: { requestTimeoutMs: 2500 } }), 2500)).code).toBe('TIMEOUT')
    expect(performance.now() - started).toBeGreaterThan(2400)
  })

  test('C13: endless progress: the total timeout applies', async () => {
    const endless: Handler = ({ message }, answer) => {
      const { progressToken } = (message.params?._meta ?? {}) as { progressToken?: unknown }
      answer.stream()
      let progress = 0
      const timer = setInterval(
        () => answer.event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: ++progress } }),
        20,
      )
      answer.socket.on('close', () => clearInterval(timer))
    }
    const server = await testRaw(serve(firstCalls(1, endless)))
    const { client } = await open(server.url)
    let progress = 0
    const timeouts = { requestTimeoutMs: 2000, totalTimeoutMs: 4000 }
    const started = performance.now()
    const failure = await failureOf(client.callTool('echo', {}, { onProgress: () => progress++, timeouts }), 4000)
    expect(failure.code).toBe('TIMEOUT')
    expect(performance.now() - started).toBeGreaterThan(3900)
    expect(progress).toBeGreaterThan(5)
    await healthy(client)
  })

  test('C41: an aborted call: the stream is closed, and a server with sessions is notified', async () => {
    let closed = false
    const bad: Handler = (_, answer) => {
      answer.stream()
      answer.socket.on('close', () => (closed = true))
    }
    const server = await testRaw(serve(firstCalls(1, bad)))
    const { client } = await open(server.url)
    const controller = new AbortController()
    const failure = failureOf(client.callTool('echo', {}, { signal: controller.signal }))
    await until(() => server.of('tools/call').length === 1)
    controller.abort(new Error('not wanted'))
    expect(await failure).toMatchObject({ message: 'not wanted' })
    await until(() => closed, 'the end of the stream')
    if (isLegacy) await until(() => server.of('notifications/cancelled').length === 1, 'the cancellation')
    else expect(server.of('notifications/cancelled')).toHaveLength(0)
    await healthy(client)
  })

  test('C41: close() while calls and subscriptions are open leaves no connection', async () => {
    const hang: Handler = (_, { stream }) => stream()
    const server = await testRaw(serve({ 'tools/call': hang, 'subscriptions/listen': hang, GET: hang }))
    const { client } = await open(server.url)
    const calls = Array.from({ length: 20 }, () => failureOf(client.callTool('echo'), 5000))
    const subscription = client.listen({ toolsListChanged: true })
    subscription.acknowledged.catch(() => {})
    await until(() => server.of('tools/call').length === 20)
    await closesAll(client, server)
    for (const failure of await Promise.all(calls)) expect(failure.retryable).toBe(false)
  })
})

describe('a server that cannot be connected to', () => {
  test('C24: connections are accepted but never answered: connect() times out', async () => {
    const server = await testRaw(() => {})
    const failure = await failureOf(connect(server.url, { probeTimeoutMs: 300 }), 2000)
    expect(failure.code).toBe('TIMEOUT')
    await until(() => server.open.size === 0, 'the end of the connections')
  })

  test('C24: the probe is answered, the handshake is not: connect() times out', async () => {
    const server = await testRaw(legacy({ initialize: () => {} }))
    const failure = await failureOf(connect(server.url, { probeTimeoutMs: 300, connectTimeoutMs: 500 }), 3000)
    expect(failure.code).toBe('TIMEOUT')
    await until(() => server.open.size === 0, 'the end of the connections')
  })

  test.each(['2025-11-25', '2024-11-05'])(
    'C24: a silent server, with %s as the only version: connect() times out',
    async (protocolVersion) => {
      const server = await testRaw(() => {})
      const started = performance.now()
      const failure = await failureOf(connect(server.url, { protocolVersion, connectTimeoutMs: 500 }), 3000)
      expect(failure).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('500 ms (connectTimeoutMs)') })
      expect(performance.now() - started).toBeGreaterThan(499)
      await until(() => server.open.size === 0, 'the end of the connections')
    },
  )

  test('C24: aborting connect() leaves no connection', async () => {
    const server = await testRaw(() => {})
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 100)
    expect(await failureOf(connect(server.url, { signal: controller.signal }), 1000)).toMatchObject({ message: 'enough' })
    await until(() => server.open.size === 0, 'the end of the connections')
  })

  test('C24: a port without a listener', async () => {
    const failure = await failureOf(connect('http://127.0.0.1:1/mcp'), 2000)
    expect(failure).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    expect(failure.message).toContain('ECONNREFUSED')
  })

  test.each([
    ['an HTML page', (_: RawRequest, { send }: RawAnswer) => send(200, { 'Content-Type': 'text/html' }, '<html>')],
    ['bytes that are no HTTP', (_: RawRequest, { write }: RawAnswer) => write('SSH-2.0-OpenSSH_9\r\n\r\n')],
    ['503', (_: RawRequest, { send }: RawAnswer) => send(503, { 'Retry-After': 1 }, 'busy')],
    ['a redirect to a file', (_: RawRequest, { send }: RawAnswer) => send(302, { Location: 'file:///etc/passwd' })],
    [
      '500 with 50 MB',
      (_: RawRequest, answer: RawAnswer) => {
        answer.write(`HTTP/1.1 500 No\r\nContent-Type: text/html\r\nContent-Length: ${50 << 20}\r\n\r\n`)
        answer.write('x'.repeat(1 << 20))
      },
    ],
  ])('C29: %s: connect() fails immediately', async (_what, handler) => {
    const server = await testRaw(handler)
    const started = performance.now()
    const failure = await failureOf(connect(server.url), 3000)
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(['HTTP_STATUS', 'INVALID_RESPONSE', 'CONNECTION_LOST']).toContain(failure.code)
    expect(server.requests.length).toBeLessThan(6)
  })
})

describe('storms', () => {
  test('C27: retry: 0 and an immediate end: a GET stream is requested a few times', async () => {
    const server = await testRaw(
      legacy({
        GET: (_, answer) => {
          answer.stream()
          answer.chunk('retry: 0\nid: e1\ndata:\n\n')
          answer.end()
        },
      }),
    )
    const { client } = await open(server.url)
    await sleep(1500)
    expect(server.requests.filter(({ method }) => method === 'GET').length).toBeLessThan(10)
    await healthy(client)
  })

  test('C27: retry: 0 on a response stream that always breaks: it is resumed a few times, then the call fails', async () => {
    const events = (_: RawRequest, answer: RawAnswer): void => {
      answer.stream()
      answer.chunk(`retry: 0\nid: e${Math.random()}\ndata:\n\n`)
      answer.end()
    }
    const server = await testRaw(legacy({ 'tools/call': events, GET: events }))
    const { client } = await open(server.url, { timeouts: { requestTimeoutMs: 2000 } })
    expect(['CONNECTION_LOST', 'TIMEOUT']).toContain((await failureOf(client.callTool('echo'), 4000)).code)
    expect(server.requests.length).toBeLessThan(40)
  })

  test('C27: a retry of a year is not awaited', async () => {
    let gets = 0
    const server = await testRaw(
      legacy({
        GET: (_, answer) => {
          gets++
          answer.stream()
          if (gets > 1) return
          answer.chunk(`retry: 31536000000\nid: e1\ndata:\n\n`)
          answer.end()
        },
      }),
    )
    const { client } = await open(server.url, { http: { maxRetryDelayMs: 300 } })
    client.listen({ toolsListChanged: true })
    await until(() => gets > 1, 'the second try')
  })

  test('C27: a listen stream that ends immediately: it is requested again a few times', async () => {
    const server = await testRaw(
      modern({
        'subscriptions/listen': (_, answer) => {
          answer.stream()
          answer.end()
        },
      }),
    )
    const { client } = await open(server.url)
    const subscription = client.listen({ toolsListChanged: true })
    await until(() => server.requests.filter(isSubscription).length > 1, 'the second request')
    await sleep(1500)
    expect(server.requests.filter(isSubscription).length).toBeLessThan(10)
    subscription.close()
    await healthy(client)
  })

  test('C27: a listen stream that is acknowledged and ends immediately: it is requested again a few times', async () => {
    const server = await testRaw(
      modern({
        'subscriptions/listen': ({ message: { id, params } }, answer) => {
          answer.stream()
          answer.event(acknowledged(id, params?.notifications))
          answer.end()
        },
      }),
    )
    const { client } = await open(server.url)
    client.listen({ toolsListChanged: true })
    await sleep(1500)
    expect(server.requests.filter(isSubscription).length).toBeLessThan(25)
    await healthy(client)
  })

  test('C28: a server that loses each session immediately: one new session for each call', async () => {
    const server = await testRaw(legacy({ 'tools/call': (_, { send }) => send(404) }))
    const { client } = await open(server.url)
    expect(await failureOf(client.callTool('echo'), 3000)).toMatchObject({ code: 'SESSION_EXPIRED' })
    expect(server.of('tools/call')).toHaveLength(2)
    expect(server.of('initialize')).toHaveLength(2)
  })
})

function acknowledged(id: unknown, notifications: unknown): object {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
  return { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } }
}

describe('recovery', () => {
  test('C28: an expired session is replaced once for many concurrent calls, and the requests are repeated', async () => {
    let session = 0
    const known = (headers: RawRequest['headers']): boolean => headers['mcp-session-id'] === `s${session}`
    const server = await testRaw((request, answer) =>
      legacy({
        initialize: (_, { result }) =>
          result(
            { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } },
            { 'Mcp-Session-Id': `s${++session}` },
          ),
        'tools/call': ({ headers }, { send, result }) => (known(headers) ? result(textResult('fine')) : send(404)),
      })(request, answer),
    )
    const { client, kinds } = await open(server.url)
    await healthy(client)
    session = 100
    expect(await Promise.all(Array.from({ length: 20 }, () => call(client)))).toHaveLength(20)
    expect(server.of('initialize')).toHaveLength(2)
    expectLosses(kinds(), 'disconnected', 'reconnected')
  })

  test('C28: a call that started before the session expired is not repeated', async () => {
    let calls = 0
    const server = await testRaw(
      legacy({
        'tools/call': ({ message }, answer) => {
          if (message.params?.name === 'started') return answer.stream()
          if (calls++ === 0) return answer.send(404)
          answer.result(textResult('fine'))
        },
      }),
    )
    const { client } = await open(server.url, { timeouts: { requestTimeoutMs: 1500 } })
    const earlierCall = failureOf(client.callTool('started'), 4000)
    await until(() => server.of('tools/call').length === 1)
    await healthy(client)
    expect(['CONNECTION_LOST', 'SESSION_EXPIRED', 'TIMEOUT']).toContain((await earlierCall).code)
    expect(server.of('tools/call').filter(({ message }) => message.params?.name === 'started')).toHaveLength(1)
  })

  test('C28: the session expires during a subscription: it is renewed, and each change is reported once', async () => {
    let forgotten = false
    const server = await testRaw((request, answer) => {
      if (request.message.method === 'initialize') forgotten = false
      const lost: Handler = (_, { send, stream, socket }) => {
        if (forgotten) return send(404)
        stream()
        const timer = setInterval(() => forgotten && socket.destroy(), 20)
        socket.on('close', () => clearInterval(timer))
      }
      legacy({ GET: lost })(request, answer)
    })
    const { client } = await open(server.url)
    const subscription = client.listen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })
    const changes = collect(subscription)
    await subscription.acknowledged
    forgotten = true
    await until(() => changes.length === 2, 'the changes')
    await sleep(300)
    expect(changes).toEqual(['tools', 'resource a:1'])
    expect(server.of('initialize')).toHaveLength(2)
    expect(server.of('resources/subscribe')).toHaveLength(2)
  })

  test('C26: the response resumes after the last event, without duplicates', async () => {
    const resumedAfter: unknown[] = []
    const steps: number[] = []
    const resetWhenHeard = (count: number, { reset }: RawAnswer): void =>
      void until(() => steps.length >= count, 'the earlier progress').then(reset)
    const progress = (token: unknown, progress: number): object => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress },
    })
    let id: unknown
    let token: unknown
    const server = await testRaw(
      legacy({
        'tools/call': ({ message }, answer) => {
          id = message.id
          token = (message.params?._meta as { progressToken?: unknown } | undefined)?.progressToken
          answer.stream()
          answer.event(progress(token, 1), { id: 'e1', retry: 10 })
          answer.event(progress(token, 2), { id: 'e2' })
          resetWhenHeard(2, answer)
        },
        GET: ({ headers }, answer) => {
          const last = headers['last-event-id']
          if (last === undefined) return answer.send(405)
          resumedAfter.push(last)
          answer.stream()
          answer.event(progress(token, 3), { id: 'e3' })
          if (last === 'e2') return resetWhenHeard(3, answer)
          answer.event({ jsonrpc: '2.0', id, result: textResult('whole') }, { id: 'e4' })
          answer.end()
        },
      }),
    )
    const { client } = await open(server.url)
    const { content } = await within(
      8000,
      client.callTool('echo', {}, { onProgress: ({ progress: step }) => steps.push(step) }),
      'the answer',
    )
    expect(content).toEqual([{ type: 'text', text: 'whole' }])
    expect(resumedAfter).toEqual(['e2', 'e3'])
    expect(steps).toEqual([1, 2, 3, 3])
  })

  test.each([404, 405, 400, 410])('C26: resuming a response is rejected (%i): the call fails immediately', async (status) => {
    const server = await testRaw(
      legacy({
        'tools/call': (_, answer) => {
          answer.stream()
          answer.chunk('id: e1\nretry: 10\ndata:\n\n')
          answer.end()
        },
        GET: (_, { send }) => send(status),
      }),
    )
    const { client } = await open(server.url)
    const failure = await failureOf(client.callTool('echo'), 3000)
    expect(failure.retryable).toBe(true)
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('C26: the GET stream is lost and reopened, and each change is reported once', async () => {
    let current: RawAnswer | undefined
    let gets = 0
    const server = await testRaw(
      legacy({
        GET: (_, answer) => {
          gets++
          answer.stream()
          current = answer
        },
      }),
    )
    const { client } = await open(server.url)
    const subscription = client.listen({ toolsListChanged: true, promptsListChanged: true })
    const changes = collect(subscription)
    await subscription.acknowledged
    current?.event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    await until(() => changes.length === 1, 'the first change')
    current?.reset()
    await until(() => gets === 2, 'the second stream')
    await until(() => changes.length === 3, 'the changes')
    expect(changes.slice(1).sort()).toEqual(['prompts', 'tools'])
    current?.event({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' })
    await until(() => changes.length === 4, 'a real change')
    expect(changes[3]).toBe('prompts')
    expect(server.of('initialize')).toHaveLength(1)
  })

  test('C26: the GET stream with event ids resumes after the last event', async () => {
    const after: unknown[] = []
    let first: RawAnswer | undefined
    const changed = (list: string): object => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })
    const server = await testRaw(
      legacy({
        GET: ({ headers }, answer) => {
          after.push(headers['last-event-id'])
          answer.stream()
          first ??= answer
          if (after.length > 1) answer.event(changed('tools'), { id: 'n8' })
        },
      }),
    )
    const { client } = await open(server.url)
    const subscription = client.listen({ toolsListChanged: true, promptsListChanged: true })
    const changes = collect(subscription)
    await subscription.acknowledged
    first?.event(changed('prompts'), { id: 'n7', retry: 20 })
    await until(() => changes.length > 0, 'the first change')
    first?.reset()
    await until(() => changes.length > 1, 'the second change')
    await sleep(100)
    expect(after).toEqual([undefined, 'n7'])
    expect(changes).toEqual(['prompts', 'tools'])
  })

  test('C26: a listen stream is lost and reopened, and each change is reported once', async () => {
    let current: RawAnswer | undefined
    let id: unknown
    const server = await testRaw(
      modern({
        'subscriptions/listen': ({ message }, answer) => {
          id = message.id
          current = answer
          answer.stream()
          answer.event(acknowledged(id, message.params?.notifications))
        },
      }),
    )
    const { client, kinds } = await open(server.url)
    const subscription = client.listen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })
    const changes = collect(subscription)
    await subscription.acknowledged
    current?.reset()
    await until(() => server.requests.filter(isSubscription).length === 2, 'the second stream')
    await until(() => changes.length === 2, 'the changes')
    expect(changes).toEqual(['tools', 'resource a:1'])
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
    current?.event({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:1', _meta } })
    await until(() => changes.length === 3, 'a real change')
    expectLosses(kinds(), 'disconnected', 'reconnected')
  })
})
