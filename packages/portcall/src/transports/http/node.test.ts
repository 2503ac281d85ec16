import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { listen, modern, open, write } from '../../../test-kit/raw.ts'
import { HttpError } from './http-error.ts'
import { createNodeHandler } from './node.ts'

const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }
const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** Serves a framework's listener around the handler. */
async function mount(make: (handler: ReturnType<typeof createNodeHandler>) => RequestListener) {
  const core = createTestCore()
  const onError = vi.fn()
  const handler = createNodeHandler(core.exchange, { onError })
  const server = createServer(make(handler))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const ask = (bytes: string) =>
    open((server.address() as { port: number }).port)
      .send(bytes)
      .answer()
  return { core, ask, onError }
}

async function consume(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

describe('mounted in a framework', () => {
  test('that passes a function as the third argument and reads nothing (Express)', async () => {
    const { ask } = await mount((handler) => (request, response) => void handler(request, response, () => {}))
    expect((await ask(modern(add))).json.result.content[0].text).toBe('3')
  })

  test('that has parsed the body (Express with a body parser)', async () => {
    const { ask } = await mount((handler) => async (request, response) => {
      Object.assign(request, { body: JSON.parse(await consume(request)) })
      void handler(request, response, () => {})
    })
    expect((await ask(modern(add))).json.result.content[0].text).toBe('3')
    let deep: unknown = 1
    for (let at = 0; at < 200; at++) deep = [deep]
    expect((await ask(modern({ ...add, params: { name: 'add', arguments: { deep } } }))).status).toBe(400)
  })

  test('that hands the parsed body on (Fastify)', async () => {
    const { ask } = await mount(
      (handler) => async (request, response) => void handler(request, response, JSON.parse(await consume(request))),
    )
    expect((await ask(modern(add))).json.result.content[0].text).toBe('3')
  })

  test('that has read the body as text or bytes', async () => {
    for (const form of [(text: string) => text, (text: string) => Buffer.from(text)]) {
      const { ask } = await mount(
        (handler) => async (request, response) => void handler(request, response, form(await consume(request))),
      )
      expect((await ask(modern(add))).json.result.content[0].text).toBe('3')
    }
  })

  test('that has read the body and kept it: an internal error that says what to do, to us', async () => {
    const { ask, onError } = await mount((handler) => async (request, response) => {
      await consume(request)
      void handler(request, response)
    })
    expect(await ask(modern(add))).toMatchObject({ status: 500, json: { error: { code: -32603, message: 'Internal error' } } })
    expect(String(onError.mock.calls[0]?.[0])).toContain('request.body')
  })

  test('that left an empty body where nothing was read', async () => {
    const { ask } = await mount((handler) => (request, response) => {
      Object.assign(request, { body: {} })
      void handler(request, response)
    })
    expect((await ask(modern(add))).json.result.content[0].text).toBe('3')
  })

  test('below a path', async () => {
    const { ask } = await mount((handler) => (request, response) => {
      Object.assign(request, { originalUrl: request.url, url: '/' })
      void handler(request, response)
    })
    expect((await ask(modern(add))).status).toBe(200)
  })
})

test('an answer without a body by its status does not tell the size of one', async () => {
  const { exchange } = createTestCore()
  const { connect } = await listen(exchange, { beside: ({ target }) => (target === '/beside' ? { status: 204 } : undefined) })
  for (const method of ['GET', 'POST']) {
    const { status, headers } = await connect()
      .send(write(method, {}, method === 'POST' ? '{}' : undefined, '/beside'))
      .answer()
    expect([status, headers['content-length'], headers['transfer-encoding']]).toEqual([204, undefined, undefined])
  }
})

describe('an authenticate hook', () => {
  test('refuses with a status, headers and a body of its own', async () => {
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
    expect(await connect().send(modern(add)).answer()).toMatchObject({
      status: 401,
      headers: challenge,
      json: { error: { message: 'Unauthorized' } },
    })
    expect(
      (
        await connect()
          .send(modern(add, { Authorization: 'Bearer good' }))
          .answer()
      ).status,
    ).toBe(200)
  })

  test('that fails lets nobody in, and says nothing', async () => {
    const { exchange } = createTestCore()
    const { connect } = await listen(exchange, {
      authenticate() {
        throw new Error('secret')
      },
    })
    expect(await connect().send(modern(add)).answer()).toMatchObject({
      status: 500,
      json: { error: { message: 'Internal error' } },
    })
  })

  test('whose refusal has a header that cannot be written is a mistake of ours, and the server goes on', async () => {
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
    for (const send of [(headers: object) => modern(add, { ...headers }), (headers: object) => write('GET', { ...headers })]) {
      expect(
        await connect()
          .send(send({ 'X-Description': 'two|lines' }))
          .answer(),
      ).toMatchObject({ status: 500 })
      expect(String(onError.mock.lastCall?.[0])).toBe(
        'TypeError: The header WWW-Authenticate cannot have the value "Bearer error_description=\\"two\\nlines\\""',
      )
      const refused = await connect()
        .send(send({ 'X-Description': 'one' }))
        .answer()
      expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer error_description="one"' } })
    }
    expect(() => new HttpError(401, { 'a b': 'c' }, { code: -32600, message: 'No' })).toThrow(TypeError)
  })

  test('comes after the guard', async () => {
    const { exchange } = createTestCore()
    const authenticate = vi.fn()
    const { connect } = await listen(exchange, { authenticate })
    await connect()
      .send(write('GET', { Host: 'evil.example' }))
      .answer()
    expect(authenticate).not.toHaveBeenCalled()
  })
})
