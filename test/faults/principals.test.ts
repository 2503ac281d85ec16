/** State belongs to its caller: another caller with its ids receives the same response as for unknown ids. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from './support/connection.ts'
import { type HttpServer, modern, type Session } from './support/http.ts'
import { IDENTITIES, type Identity } from './support/identities.ts'
import { request, textOf, tool } from './support/messages.ts'
import { sleep, until } from './support/time.ts'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25']
const UNKNOWN = '7b1f9e52-0f1e-4f5c-9a53-3f1d0c6f7a10'

/** Returns the visible parts of a response, without those that always differ. */
function visibleParts({ status, headers: { date: _, ...headers }, body }: Answer): unknown {
  return { status, headers, body: body.replace(/"(reference|id)":"[^"]*"/g, '') }
}

describe.each(IDENTITIES)('callers identified by %s', (_name, open) => {
  let identity: Identity
  let server: HttpServer
  let victim: Readonly<Record<string, string>>
  let attacker: Readonly<Record<string, string>>
  beforeAll(async () => {
    identity = await open({ pageSize: 3 })
    server = identity.server
    victim = await identity.fields('victim')
    attacker = await identity.fields('attacker')
  })
  afterAll(() => identity.close())

  /** Expects that the attacker receives the same response for the victim's session as for an unknown one, and that the victim can still use it. */
  async function expectUnknown(session: Session, write: (fields: Record<string, string>) => string): Promise<void> {
    const stolen = await server.send(write(attacker))
    const unknown = await server.send(write({ ...attacker, 'Mcp-Session-Id': UNKNOWN }))
    expect(stolen.status).toBe(404)
    expect(visibleParts(stolen)).toEqual(visibleParts(unknown))
    expect((await session.ask(request('ping'))).json).toMatchObject({ result: {} })
  }

  describe.each(REVISIONS)('in %s', (revision) => {
    const openSession = (): Promise<Session> => server.session({ revision, fields: victim })

    test('B1: another caller cannot call in a session', async () => {
      const session = await openSession()
      for (const [method, params] of [
        ['tools/call', tool('echo', { text: 'stolen' })],
        ['tools/list', {}],
        ['ping', undefined],
      ] as const)
        await expectUnknown(session, (fields) => session.post(request(method, params, 'same'), fields))
      await expectUnknown(session, (fields) => session.post({ jsonrpc: '2.0', id: 1, result: {} }, fields))
    })

    test('B2: another caller can neither open nor replace a stream of a session', async () => {
      const session = await openSession()
      const own = server.connect()
      own.send(session.get())
      expect((await own.head()).status).toBe(200)
      await expectUnknown(session, (fields) => session.get(fields))
      await sleep(50)
      expect(own.closed).toBe(false)
      own.destroy()
    })

    test('B3: another caller cannot resume a stream', async () => {
      const session = await openSession()
      const connection = server.connect()
      connection.send(session.post(request('tools/call', tool('steps', { count: 4, pauseMs: 50 }))))
      await connection.head()
      let id: string | undefined
      while (id === undefined) id = (await connection.event())?.id
      connection.destroy()
      await expectUnknown(session, (fields) => session.get({ 'Last-Event-ID': id, ...fields }))
      const own = await server.session({ revision, fields: attacker })
      const stolen = await server.send(own.get({ 'Last-Event-ID': id }))
      const unknown = await server.send(own.get({ 'Last-Event-ID': id.replace(/[0-9a-f]{4}/, '0000') }))
      expect([400, 404]).toContain(stolen.status)
      expect(stolen.status).toBe(unknown.status)
      expect(stolen.body).not.toContain('step')
    })

    test('B4: another caller cannot cancel a request', async () => {
      const session = await openSession()
      const before = await identity.counts()
      const connection = server.connect()
      connection.send(session.post(request('tools/call', tool('slow', { ms: 400, tag: 'mine' }), 'held')))
      await until(async () => (await identity.counts()).started > before.started, 'the call')
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'held' } }
      await expectUnknown(session, (fields) => session.post(cancel, fields))
      const own = await server.session({ revision, fields: attacker })
      expect((await server.send(own.post(cancel))).status).toBe(202)
      expect(textOf((await connection.answer()).json)).toBe('slow mine')
      expect((await identity.counts()).aborted).toBe(before.aborted)
    })

    test('B5: another caller cannot end a session', async () => {
      const session = await openSession()
      await expectUnknown(session, (fields) => session.get(fields).replace(/^GET/, 'DELETE'))
    })
  })

  test('B1: another caller cannot use a session of HTTP+SSE', async () => {
    const stream = server.connect()
    stream.send(sseRequest('GET', victim))
    let endpoint: string | undefined
    await until(() => (endpoint = /data: (\/\S+)/.exec(stream.unread)?.[1]) !== undefined, 'the endpoint of the session')
    const message = JSON.stringify(request('ping', undefined, 'same'))
    const send = (target: string, fields: Record<string, string>): Promise<Answer> =>
      server.send(sseRequest('POST', fields, { target, body: message }))
    const stolen = await send(endpoint!, attacker)
    const unknown = await send(endpoint!.replace(/=[^&]{8}/, '=00000000'), attacker)
    expect(stolen.status).toBe(404)
    expect(visibleParts(stolen)).toEqual(visibleParts(unknown))
    expect((await send(endpoint!, victim)).status).toBe(202)
    stream.destroy()
  })

  test('B1: a cursor is valid only for its caller, and a forged one is rejected alike', async () => {
    const method = 'tools/list'
    const { json } = await server.send(modern(method, {}, victim))
    const cursor = json!.result!.nextCursor as string
    const list = (fields: Record<string, string>, from = cursor): Promise<Answer> =>
      server.send(modern(method, { cursor: from }, fields))
    const stolen = await list(attacker)
    const forged = await list(attacker, `${cursor.slice(0, -8)}AAAAAAAA`)
    expect(stolen.json).toMatchObject({ error: { code: -32602 } })
    expect(visibleParts(stolen)).toEqual(visibleParts(forged))
    expect((await list(victim)).json).toMatchObject({ result: {} })
  })

  test('B1: sealed request state is valid only for its caller, and a forged one is rejected alike', async () => {
    const ask = tool('ask', { topic: 'names' })
    const { json } = await server.send(modern('tools/call', ask, victim))
    const requestState = json!.result!.requestState as string
    const inputResponses = { 'elicit-1': { action: 'accept', content: { name: 'Alice' } } }
    const retry = (fields: Record<string, string>, state = requestState): Promise<Answer> =>
      server.send(modern('tools/call', { ...ask, inputResponses, requestState: state }, fields))
    const stolen = await retry(attacker)
    const forged = await retry(attacker, `${requestState.slice(0, -8)}AAAAAAAA`)
    expect(stolen.json).toMatchObject({ error: { code: -32602 } })
    expect(visibleParts(stolen)).toEqual(visibleParts(forged))
    expect(textOf((await retry(victim)).json)).toBe('names: Alice')
  })
})

/** Formats a request of HTTP+SSE. */
function sseRequest(method: string, fields: Record<string, string>, more: { target?: string; body?: string } = {}): string {
  const { target = '/mcp', body = '' } = more
  const all = {
    Host: 'localhost',
    Accept: method === 'GET' ? 'text/event-stream' : 'application/json',
    ...(body !== '' && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...fields,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
