/** What a caller leaves behind belongs to it: a stranger who holds its ids is told what is said of ids that do not exist. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from './support/connection.ts'
import { type HttpServer, modern, type Session } from './support/http.ts'
import { IDENTITIES, type Identity } from './support/identities.ts'
import { request, textOf, tool } from './support/messages.ts'
import { sleep, until } from './support/time.ts'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25']
const UNKNOWN = '7b1f9e52-0f1e-4f5c-9a53-3f1d0c6f7a10'

/** What a caller can see of an answer, but for what is different each time. */
function seen({ status, headers: { date: _, ...headers }, body }: Answer): unknown {
  return { status, headers, body: body.replace(/"(reference|id)":"[^"]*"/g, '') }
}

describe.each(IDENTITIES)('callers known by %s', (_name, open) => {
  let identity: Identity
  let server: HttpServer
  let victim: Readonly<Record<string, string>>
  let thief: Readonly<Record<string, string>>
  beforeAll(async () => {
    identity = await open({ pageSize: 3 })
    server = identity.server
    victim = await identity.fields('victim')
    thief = await identity.fields('thief')
  })
  afterAll(() => identity.close())

  /** The thief gets the same answer with the victim's session as with one that does not exist, and the victim still has it. */
  async function expectUnknown(session: Session, write: (fields: Record<string, string>) => string): Promise<void> {
    const stolen = await server.send(write(thief))
    const unknown = await server.send(write({ ...thief, 'Mcp-Session-Id': UNKNOWN }))
    expect(stolen.status).toBe(404)
    expect(seen(stolen)).toEqual(seen(unknown))
    expect((await session.ask(request('ping'))).json).toMatchObject({ result: {} })
  }

  describe.each(REVISIONS)('in %s', (revision) => {
    const begin = (): Promise<Session> => server.session({ revision, fields: victim })

    test('B1: a stranger calls nothing in a session', async () => {
      const session = await begin()
      for (const [method, params] of [
        ['tools/call', tool('echo', { text: 'stolen' })],
        ['tools/list', {}],
        ['ping', undefined],
      ] as const)
        await expectUnknown(session, (fields) => session.post(request(method, params, 'same'), fields))
      await expectUnknown(session, (fields) => session.post({ jsonrpc: '2.0', id: 1, result: {} }, fields))
    })

    test('B2: a stranger opens no stream of a session, and takes none away', async () => {
      const session = await begin()
      const own = server.connect()
      own.send(session.get())
      expect((await own.head()).status).toBe(200)
      await expectUnknown(session, (fields) => session.get(fields))
      await sleep(50)
      expect(own.closed).toBe(false)
      own.destroy()
    })

    test('B3: a stranger gets nothing of a stream that broke off', async () => {
      const session = await begin()
      const connection = server.connect()
      connection.send(session.post(request('tools/call', tool('steps', { count: 4, pauseMs: 50 }))))
      await connection.head()
      let id: string | undefined
      while (id === undefined) id = (await connection.event())?.id
      connection.destroy()
      await expectUnknown(session, (fields) => session.get({ 'Last-Event-ID': id, ...fields }))
      const own = await server.session({ revision, fields: thief })
      const stolen = await server.send(own.get({ 'Last-Event-ID': id }))
      const unknown = await server.send(own.get({ 'Last-Event-ID': id.replace(/[0-9a-f]{4}/, '0000') }))
      expect([400, 404]).toContain(stolen.status)
      expect(stolen.status).toBe(unknown.status)
      expect(stolen.body).not.toContain('step')
    })

    test('B4: a stranger cancels nothing', async () => {
      const session = await begin()
      const before = await identity.counts()
      const connection = server.connect()
      connection.send(session.post(request('tools/call', tool('slow', { ms: 400, tag: 'mine' }), 'held')))
      await until(async () => (await identity.counts()).started > before.started, 'the call')
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'held' } }
      await expectUnknown(session, (fields) => session.post(cancel, fields))
      const own = await server.session({ revision, fields: thief })
      expect((await server.send(own.post(cancel))).status).toBe(202)
      expect(textOf((await connection.answer()).json)).toBe('slow mine')
      expect((await identity.counts()).aborted).toBe(before.aborted)
    })

    test('B5: a stranger ends no session', async () => {
      const session = await begin()
      await expectUnknown(session, (fields) => session.get(fields).replace(/^GET/, 'DELETE'))
    })
  })

  test('B1: the session of the first transport is as unknown to strangers', async () => {
    const stream = server.connect()
    stream.send(modernless('GET', victim))
    let place: string | undefined
    await until(() => (place = /data: (\/\S+)/.exec(stream.rest)?.[1]) !== undefined, 'the place of the session')
    const message = JSON.stringify(request('ping', undefined, 'same'))
    const send = (target: string, fields: Record<string, string>): Promise<Answer> =>
      server.send(modernless('POST', fields, { target, body: message }))
    const stolen = await send(place!, thief)
    const unknown = await send(place!.replace(/=[^&]{8}/, '=00000000'), thief)
    expect(stolen.status).toBe(404)
    expect(seen(stolen)).toEqual(seen(unknown))
    expect((await send(place!, victim)).status).toBe(202)
    stream.destroy()
  })

  test('B1: a cursor is good for its caller alone, and one that was made up is no worse', async () => {
    const method = 'tools/list'
    const { json } = await server.send(modern(method, {}, victim))
    const cursor = json!.result!.nextCursor as string
    const list = (fields: Record<string, string>, from = cursor): Promise<Answer> =>
      server.send(modern(method, { cursor: from }, fields))
    const stolen = await list(thief)
    const madeUp = await list(thief, `${cursor.slice(0, -8)}AAAAAAAA`)
    expect(stolen.json).toMatchObject({ error: { code: -32602 } })
    expect(seen(stolen)).toEqual(seen(madeUp))
    expect((await list(victim)).json).toMatchObject({ result: {} })
  })

  test('B1: sealed state of a call is good for its caller alone, and one that was made up is no worse', async () => {
    const ask = tool('ask', { topic: 'names' })
    const { json } = await server.send(modern('tools/call', ask, victim))
    const requestState = json!.result!.requestState as string
    const inputResponses = { 'elicit-1': { action: 'accept', content: { name: 'Alice' } } }
    const comeBack = (fields: Record<string, string>, state = requestState): Promise<Answer> =>
      server.send(modern('tools/call', { ...ask, inputResponses, requestState: state }, fields))
    const stolen = await comeBack(thief)
    const madeUp = await comeBack(thief, `${requestState.slice(0, -8)}AAAAAAAA`)
    expect(stolen.json).toMatchObject({ error: { code: -32602 } })
    expect(seen(stolen)).toEqual(seen(madeUp))
    expect(textOf((await comeBack(victim)).json)).toBe('names: Alice')
  })
})

/** A request of the first transport. */
function modernless(method: string, fields: Record<string, string>, more: { target?: string; body?: string } = {}): string {
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
