import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { listen, modernPost, openRawConnection, type RawResponse, writeRequest } from '../../../../../test-kit/raw-connection.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import { HttpError } from '../http-error.ts'
import { createNodeHandler } from './handler.ts'

const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }
const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** Starts a server whose listener calls the handler, as frameworks do. */
async function mount(createListener: (handler: ReturnType<typeof createNodeHandler>) => RequestListener) {
  const core = createTestCore()
  const onError = vi.fn()
  const handler = createNodeHandler(core.exchange, { onError })
  const server = createServer(createListener(handler))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const ask = (bytes: string): Promise<RawResponse> =>
    openRawConnection((server.address() as { port: number }).port)
      .send(bytes)
      .response()
  return { core, ask, onError, handler, server }
}

async function consume(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

describe('mounted in a framework', () => {
  test('that passes `next` and does not read the body (Express)', async () => {
    const { ask } = await mount((handler) => (request, response) => void handler(request, response, () => {}))
    expect((await ask(modernPost(add))).json.result.content[0].text).toBe('3')
  })

  test('that parsed the body (Express with a body parser)', async () => {
    const { ask } = await mount((handler) => async (request, response) => {
      Object.assign(request, { body: JSON.parse(await consume(request)) })
      void handler(request, response, () => {})
    })
    expect((await ask(modernPost(add))).json.result.content[0].text).toBe('3')
    let deep: unknown = 1
    for (let at = 0; at < 200; at++) deep = [deep]
    expect((await ask(modernPost({ ...add, params: { name: 'add', arguments: { deep } } }))).status).toBe(400)
  })

  test('that passes the parsed body (Fastify)', async () => {
    const { ask } = await mount(
      (handler) => async (request, response) => void handler(request, response, JSON.parse(await consume(request))),
    )
    expect((await ask(modernPost(add))).json.result.content[0].text).toBe('3')
  })

  test('that passes the body as text or bytes', async () => {
    for (const form of [(text: string) => text, (text: string) => Buffer.from(text)]) {
      const { ask } = await mount(
        (handler) => async (request, response) => void handler(request, response, form(await consume(request))),
      )
      expect((await ask(modernPost(add))).json.result.content[0].text).toBe('3')
    }
  })

  test('that read the body but does not pass it: an internal error whose cause is reported', async () => {
    const { ask, onError } = await mount((handler) => async (request, response) => {
      await consume(request)
      void handler(request, response)
    })
    expect(await ask(modernPost(add))).toMatchObject({
      status: 500,
      json: { error: { code: -32603, message: 'Internal error' } },
    })
    expect(String(onError.mock.calls[0]?.[0])).toContain('request.body')
  })

  test('that sets an empty body without reading it', async () => {
    const { ask } = await mount((handler) => (request, response) => {
      Object.assign(request, { body: {} })
      void handler(request, response)
    })
    expect((await ask(modernPost(add))).json.result.content[0].text).toBe('3')
  })

  test('under a path prefix', async () => {
    const { ask } = await mount((handler) => (request, response) => {
      Object.assign(request, { originalUrl: request.url, url: '/' })
      void handler(request, response)
    })
    expect((await ask(modernPost(add))).status).toBe(200)
  })
})

describe('responses of one turn', () => {
  const hold = { ...add, params: { name: 'hold' } }

  test('are written together', async () => {
    const { core, ask, server } = await mount((handler) => (request, response) => void handler(request, response))
    let turn = 0
    const turns: number[] = []
    server.on('request', (_request, response) => {
      const { write } = response
      Object.assign(response, { write: (...args: Parameters<typeof write>) => turns.push(turn) && write.apply(response, args) })
    })
    const answers = [1, 2, 3].map(() => ask(modernPost(hold)))
    await eventually(() => expect(core.running).toBe(3))
    core.release()
    setImmediate(() => turn++)
    queueMicrotask(() => expect(turns).toEqual([]))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(turns).size).toBe(1)
  })

  test('are written before `close` resolves', async () => {
    const { core, ask, handler, server } = await mount((handler) => (request, response) => void handler(request, response))
    const answer = ask(modernPost(hold))
    await eventually(() => expect(core.running).toBe(1))
    const closed = handler.close().then(() => server.closeAllConnections())
    core.release()
    expect((await answer).status).toBe(200)
    await closed
  })
})

test('a response whose status has no body has no Content-Length', async () => {
  const { exchange } = createTestCore()
  const { connect } = await listen(exchange, { onRequest: ({ target }) => (target === '/other' ? { status: 204 } : undefined) })
  for (const method of ['GET', 'POST']) {
    const { status, headers } = await connect()
      .send(writeRequest(method, {}, method === 'POST' ? '{}' : undefined, '/other'))
      .response()
    expect([status, headers['content-length'], headers['transfer-encoding']]).toEqual([204, undefined, undefined])
  }
})

describe('an authenticate hook', () => {
  test('rejects with a status, headers and a body', async () => {
    const { exchange } = createTestCore()
    const challenge = { 'www-authenticate': 'Bearer resource_metadata="x"' }
    const { connect } = await listen(exchange, {
      async authenticate({ header, method, target }) {
        expect([method, target]).toEqual(['POST', '/mcp'])
        if (header('authorization') !== 'Bearer good')
          throw new HttpError(401, challenge, { code: -32600, message: 'Unauthorized' })
        return { principal: 'alice' }
      },
    })
    expect(await connect().send(modernPost(add)).response()).toMatchObject({
      status: 401,
      headers: challenge,
      json: { error: { message: 'Unauthorized' } },
    })
    expect(
      (
        await connect()
          .send(modernPost(add, { Authorization: 'Bearer good' }))
          .response()
      ).status,
    ).toBe(200)
  })

  test('that throws rejects all requests, and reveals nothing', async () => {
    const { exchange } = createTestCore()
    const { connect } = await listen(exchange, {
      authenticate() {
        throw new Error('secret')
      },
    })
    expect(await connect().send(modernPost(add)).response()).toMatchObject({
      status: 500,
      json: { error: { message: 'Internal error' } },
    })
  })

  test('whose error has an invalid header causes an internal error, and the server continues', async () => {
    const { exchange } = createTestCore()
    const onError = vi.fn()
    const { connect } = await listen(exchange, {
      onError,
      authenticate({ header }) {
        const description = header('x-description')?.replace('|', '\n')
        throw new HttpError(
          401,
          { 'WWW-Authenticate': `Bearer error_description="${description}"` },
          { code: -32600, message: 'No' },
        )
      },
    })
    for (const send of [
      (headers: object) => modernPost(add, { ...headers }),
      (headers: object) => writeRequest('GET', { ...headers }),
    ]) {
      expect(
        await connect()
          .send(send({ 'X-Description': 'two|lines' }))
          .response(),
      ).toMatchObject({ status: 500 })
      expect(String(onError.mock.lastCall?.[0])).toBe(
        'TypeError: Invalid value of the header WWW-Authenticate: "Bearer error_description=\\"two\\nlines\\""',
      )
      const rejected = await connect()
        .send(send({ 'X-Description': 'one' }))
        .response()
      expect(rejected).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer error_description="one"' } })
    }
    expect(() => new HttpError(401, { 'a b': 'c' }, { code: -32600, message: 'No' })).toThrow(TypeError)
  })

  test('runs after the host check', async () => {
    const { exchange } = createTestCore()
    const authenticate = vi.fn()
    const { connect } = await listen(exchange, { authenticate })
    await connect()
      .send(writeRequest('GET', { Host: 'evil.example' }))
      .response()
    expect(authenticate).not.toHaveBeenCalled()
  })
})
