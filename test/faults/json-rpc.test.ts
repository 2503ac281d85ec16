/** JSON that is not valid JSON-RPC; ids. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Case, runCases } from './support/cases.ts'
import { type HttpServer, mirrors, modern, post, type Session, startHttp, testHttp } from './support/http.ts'
import { modernRequest, type Reply, request, textOf, tool } from './support/messages.ts'
import { type StdioServer, startStdio, testStdio } from './support/stdio.ts'
import { sleep } from './support/time.ts'

const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

/** JSON texts that are not messages, with the expected error code, and the `id` when the response can contain one. */
const NO_MESSAGES: ReadonlyArray<{ id: string; text: string; code?: number; answered?: unknown }> = [
  { id: 'H03 S02', text: 'null' },
  { id: 'H03 S02', text: '42' },
  { id: 'H03 S02', text: '"x"' },
  { id: 'H03 S02', text: 'true' },
  { id: 'H03 S02', text: '{}' },
  { id: 'H20 S02', text: '[]' },
  { id: 'H09 S02', text: '{"jsonrpc":"2.0","id":7,"Method":"ping"}', answered: 7 },
  { id: 'H09 S02', text: '{"jsonrpc":"2.0","id":7,"method\\u0000":"ping"}', answered: 7 },
  { id: 'H09 S02', text: '{"jsonrpc":"2.0","ID":7,"id":null,"method":"ping"}' },
  { id: 'H10 S04', text: '{"jsonrpc":"2.0","id":null,"method":"ping"}' },
  { id: 'H11 S04', text: '{"jsonrpc":"2.0","id":true,"method":"ping"}' },
  { id: 'H11 S04', text: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}' },
  { id: 'H11 S04', text: '{"jsonrpc":"2.0","id":{},"method":"ping"}' },
  { id: 'H11 S04', text: '{"jsonrpc":"2.0","id":[],"method":"ping"}' },
  { id: 'H11 S04', text: '{"jsonrpc":"2.0","id":1e400,"method":"ping"}' },
  { id: 'H11 S04', text: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}' },
  { id: 'H12 S02', text: '{"id":7,"method":"ping"}', answered: 7 },
  { id: 'H12 S02', text: '{"jsonrpc":"1.0","id":7,"method":"ping"}', answered: 7 },
  { id: 'H12 S02', text: '{"jsonrpc":2,"id":7,"method":"ping"}', answered: 7 },
  { id: 'H12 S02', text: '{"jsonrpc":"2.0","id":7,"method":42}', answered: 7 },
  { id: 'H12 S02', text: '{"jsonrpc":"2.0","id":7}', answered: 7 },
  { id: 'H41 S03', text: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}', code: INVALID_PARAMS, answered: 7 },
  { id: 'H41 S03', text: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":42}', code: INVALID_PARAMS, answered: 7 },
  { id: 'H41 S03', text: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', code: INVALID_PARAMS, answered: 7 },
]

function expectRefusal(
  reply: Reply | undefined,
  { code = INVALID_REQUEST, answered }: { code?: number; answered?: unknown },
): void {
  expect(reply).toMatchObject({ jsonrpc: '2.0', error: { code } })
  if (answered === undefined) expect(reply).not.toHaveProperty('id')
  else expect(reply?.id).toBe(answered)
}

describe('over HTTP', () => {
  let server: HttpServer
  let session: Session
  beforeAll(async () => {
    server = await startHttp()
    session = await server.session()
  })
  afterAll(() => server.kill())

  runCases(
    () => server,
    NO_MESSAGES.map(
      (each): Case<HttpServer> => ({
        id: each.id.split(' ')[0]!,
        what: `${each.text} is refused with 400, also in a session`,
        async run() {
          for (const bytes of [post(each.text), post(each.text, mirrors('ping')), session.post(each.text)]) {
            const answer = await server.send(bytes)
            expect(answer.status).toBe(400)
            expectRefusal(answer.json, each)
          }
        },
      }),
    ),
  )

  test('H08: the last of two equal keys counts, and the headers must match it', async () => {
    const twice = (first: string, second: string): string =>
      JSON.stringify(modernRequest('tools/call', tool(second, { text: 'x' }))).replace('"name":', `"name":"${first}","name":`)
    const agreed = await server.send(post(twice('secret', 'echo'), mirrors('tools/call', tool('echo'))))
    expect(textOf(agreed.json)).toBe('x')
    const lied = await server.send(post(twice('echo', 'secret'), mirrors('tools/call', tool('echo'))))
    expect(lied).toMatchObject({ status: 400, json: { error: { code: -32020 } } })

    const methods = JSON.stringify(modernRequest('tools/call', tool('echo', { text: 'x' }))).replace(
      '"method":',
      '"method":"ping","method":',
    )
    expect((await server.send(post(methods, { ...mirrors('tools/call', tool('echo')), 'Mcp-Method': 'ping' }))).status).toBe(400)
    await server.healthy()
  })

  test('H08: the last of two equal keys counts in a session, over stdio and through `node:http` too', async () => {
    const twice = (message: object): string => JSON.stringify(message).replace('"name":', '"name":"secret","name":')
    expect(textOf((await session.ask(twice(request('tools/call', tool('echo', { text: 'x' }))))).json)).toBe('x')

    const stdio = testStdio()
    await stdio.healthy()
    const from = stdio.messages.length
    const message = modernRequest('tools/call', tool('echo', { text: 'x' }))
    stdio.write(`${twice(message)}\n`)
    expect(textOf(await stdio.next(({ id }) => id === message.id, { from }))).toBe('x')

    const node = await testHttp({ http: { fastPath: false } })
    expect(textOf((await node.send(post(twice(message), mirrors('tools/call', tool('echo'))))).json)).toBe('x')
    expect((await node.send(post(twice(message), mirrors('tools/call', tool('secret'))))).status).toBe(400)
  })

  test('H09: keys in another case or with a NUL are different keys', async () => {
    for (const key of ['Name', 'NAME', 'name\u0000', 'na\u200bme']) {
      const answer = await session.ask(request('tools/call', { [key]: 'echo', arguments: { text: 'x' } }))
      expect(answer.json).toMatchObject({ error: { code: INVALID_PARAMS } })
    }
    await server.healthy()
  })

  test.each([['2025-06-18'], ['2025-11-25']])('H19: a batch is rejected in %s', async (revision) => {
    const later = await server.session({ revision })
    const answer = await server.send(later.post([request('ping')]))
    expect(answer).toMatchObject({ status: 400, json: { error: { code: INVALID_REQUEST } } })
    await server.healthy()
  })

  test('H19: where batches are allowed, one of 10,000 is rejected and one of 100 is answered', async () => {
    const old = await server.session({ revision: '2025-03-26' })
    const batch = (size: number): unknown[] => Array.from({ length: size }, (_, id) => request('ping', undefined, id))
    expect(await server.send(old.post(batch(10_000)))).toMatchObject({ status: 400, json: { error: { code: INVALID_REQUEST } } })
    expect(await server.send(old.post([]))).toMatchObject({ status: 400, json: { error: { code: INVALID_REQUEST } } })
    const answer = await server.send(old.post(batch(100)))
    expect(answer.status).toBe(200)
    expect(answer.body.match(/"result"/g)).toHaveLength(100)
    expect((await server.send(post([modernRequest('tools/list')], mirrors('tools/list')))).status).toBe(400)
    await server.healthy()
  })

  test('H40: an unknown method is -32601; 404 in the modern era, never in a session', async () => {
    for (const method of ['no/such', 'tools/call/', 'TOOLS/LIST', '', 'rpc.discover']) {
      const answer = await server.send(modern(method, {}, method === '' ? { 'Mcp-Method': '' } : {}))
      expect(answer).toMatchObject({ status: 404, json: { error: { code: METHOD_NOT_FOUND } } })
      const legacy = await session.ask(request(method))
      expect(legacy.status).not.toBe(404)
      expect(legacy.json).toMatchObject({ error: { code: METHOD_NOT_FOUND } })
    }
    await server.healthy()
  })

  test('H41: unknown tools and arguments of the wrong type are distinguished from internal failures', async () => {
    const unknown = await server.call('no-such-tool')
    expect(unknown.json).toMatchObject({ error: { code: INVALID_PARAMS } })
    for (const args of ['x', 42, [1], true]) {
      const answer = await server.send(modern('tools/call', { name: 'echo', arguments: args }))
      expect(answer.json).toMatchObject({ error: { code: INVALID_PARAMS } })
    }
    const misfit = await server.call('echo', { text: 42 })
    expect(misfit.json).toMatchObject({ result: { isError: true } })
    expect(textOf(misfit.json)).toContain('text')
    for (const name of [undefined, 42, {}, null]) {
      const answer = await session.ask(request('tools/call', { name, arguments: {} }))
      expect(answer.json).toMatchObject({ error: { code: INVALID_PARAMS } })
    }
    await server.healthy()
  })

  test.each([['secret'], ['secret-later']])('H42: an exception of %s is not disclosed to the client', async (name) => {
    for (const answer of [await server.call(name), await session.ask(request('tools/call', tool(name)))]) {
      expect(answer.status).toBe(200)
      expect(answer.json).toMatchObject({ result: { isError: true } })
      expect(JSON.stringify(answer)).not.toMatch(/CANARY|password|\/srv|\.ts|\.mjs| at /)
    }
    expect(server.stderr()).toContain('CANARY-IN-ERROR')
    await server.healthy()
  })

  test('H44: 1 and "1" are in flight together', async () => {
    const [number, text] = await Promise.all([
      session.ask(request('tools/call', tool('slow', { ms: 200, tag: 'number' }), 1)),
      session.ask(request('tools/call', tool('slow', { ms: 200, tag: 'text' }), '1')),
    ])
    expect([number.json?.id, textOf(number.json)]).toEqual([1, 'slow number'])
    expect([text.json?.id, textOf(text.json)]).toEqual(['1', 'slow text'])
    await server.healthy()
  })

  test('H45: a second request with an id in flight is rejected, the first is answered', async () => {
    const first = session.ask(request('tools/call', tool('slow', { ms: 300, tag: 'first' }), 'twice'))
    await sleep(100)
    const second = await session.ask(request('tools/call', tool('echo', { text: 'second' }), 'twice'))
    expect(second.json).toMatchObject({ id: 'twice', error: { code: INVALID_REQUEST } })
    expect(textOf((await first).json)).toBe('slow first')
    const again = await session.ask(request('tools/call', tool('echo', { text: 'again' }), 'twice'))
    expect(textOf(again.json)).toBe('again')
    await server.healthy()
  })

  test('H45b: the response to the first is never sent with the second', async () => {
    const first = session.ask(request('tools/call', tool('slow', { ms: 200, tag: 'first' }), 45))
    await sleep(50)
    const second = await session.ask(request('tools/call', tool('slow', { ms: 600, tag: 'second' }), 45))
    expect(second.json).toMatchObject({ id: 45, error: { code: INVALID_REQUEST } })
    expect(textOf((await first).json)).toBe('slow first')
    await server.healthy()
  })

  test('H53: unexpected responses are accepted silently in a session, and rejected outside', async () => {
    const answers = [
      { jsonrpc: '2.0', id: 999, result: {} },
      { jsonrpc: '2.0', id: '__proto__', result: {} },
      { jsonrpc: '2.0', id: 999, error: { code: 1, message: 'x' } },
    ]
    for (const answer of answers) {
      expect(await server.send(session.post(answer))).toMatchObject({ status: 202, body: '' })
      expect((await server.send(post(answer, mirrors('ping')))).status).toBe(400)
    }
    await server.healthy()
  })

  test('M13: an id may be reused, on one connection and on two at once; 0 and "" are valid ids', async () => {
    const connection = server.connect()
    for (const id of [0, 0, '', '', -1, 'x'.repeat(1000)]) {
      connection.send(modern('tools/call', tool('echo', { text: 'x' }), {}, id))
      expect((await connection.answer()).json).toMatchObject({ id, result: {} })
    }
    connection.destroy()
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((tag) => server.send(modern('tools/call', tool('slow', { ms: 100, tag }), {}, 7))),
    )
    expect(answers.map(({ json }) => textOf(json))).toEqual(['slow a', 'slow b', 'slow c'])
    await server.healthy()
  })
})

describe('over stdio', () => {
  let server: StdioServer
  beforeAll(async () => {
    server = startStdio()
    await server.initialize()
  })
  afterAll(() => server.kill())

  runCases(
    () => server,
    NO_MESSAGES.map(
      (each): Case<StdioServer> => ({
        id: each.id.split(' ')[1]!,
        what: `${each.text} is refused`,
        async run() {
          const from = server.messages.length
          server.write(`${each.text}\n`)
          expectRefusal(await server.next(() => true, { from }), each)
        },
      }),
    ),
  )

  test('S03: invalid params are rejected with -32602', async () => {
    for (const params of [{ name: 42 }, { name: 'echo', arguments: 'x' }, {}, { name: 'echo', arguments: [] }])
      expect(await server.ask(modernRequest('tools/call', params))).toMatchObject({ error: { code: INVALID_PARAMS } })
    expect(await server.ask(request('logging/setLevel', { level: 'loud' }))).toMatchObject({ error: { code: INVALID_PARAMS } })
    expect(await server.ask(request('completion/complete', { ref: 42 }))).toMatchObject({ error: { code: INVALID_PARAMS } })
    expect(await server.ask(request('resources/read', { uri: {} }))).toMatchObject({ error: { code: INVALID_PARAMS } })
    await server.healthy()
  })

  test('S02: malformed notifications and responses are never answered', async () => {
    const from = server.messages.length
    server.send(
      { jsonrpc: '2.0', method: 'notifications/initialized', params: 'x' },
      { jsonrpc: '2.0', method: 'no/such' },
      { jsonrpc: '2.0', id: 5, result: 'x' },
      { jsonrpc: '2.0', id: 5, result: {}, error: { code: 1, message: 'x' } },
      { jsonrpc: '2.0', id: 5, error: 'x' },
    )
    await server.healthy()
    expect(server.messages.slice(from)).toHaveLength(1)
  })

  test('S13: 1 and "1" are in flight together', async () => {
    const [number, text] = await Promise.all([
      server.ask(modernRequest('tools/call', tool('slow', { ms: 100, tag: 'number' }), 1)),
      server.ask(modernRequest('tools/call', tool('slow', { ms: 100, tag: 'text' }), '1')),
    ])
    expect([textOf(number), textOf(text)]).toEqual(['slow number', 'slow text'])
    await server.healthy()
  })

  test.each([
    ['modern', modernRequest],
    ['legacy', request],
  ] as const)('S14: a second request with an id in flight is rejected (%s)', async (_, make) => {
    const from = server.messages.length
    server.send(
      make('tools/call', tool('slow', { ms: 200, tag: 'first' }), 'twice'),
      make('tools/call', tool('echo', { text: 'second' }), 'twice'),
    )
    const refused = await server.next(({ id }) => id === 'twice', { from })
    expectRefusal(refused, { answered: 'twice' })
    const answered = await server.next(({ id, result }) => id === 'twice' && result !== undefined, { from })
    expect(textOf(answered)).toBe('slow first')
    await server.healthy()
    expect(server.messages.slice(from).filter(({ id }) => id === 'twice')).toHaveLength(2)
  })

  test('S18: unexpected responses have no effect', async () => {
    const from = server.messages.length
    for (const id of [999, '__proto__', 'constructor', 1.5, null, {}, true]) server.send({ jsonrpc: '2.0', id, result: {} })
    server.send({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, { jsonrpc: '2.0', error: { code: 1, message: 'x' } })
    await server.healthy()
    expect(server.messages.slice(from)).toHaveLength(1)
  })

  test('S20: a request before the handshake is answered; a second handshake is rejected and has no effect', async () => {
    const fresh = testStdio()
    const early = await fresh.ask(request('tools/list'))
    expect('result' in early || 'error' in early).toBe(true)
    expect((await fresh.initialize('2025-06-18')).result).toMatchObject({ protocolVersion: '2025-06-18' })
    expect(await fresh.initialize('2024-11-05')).toMatchObject({ error: { code: INVALID_REQUEST } })
    expect(textOf(await fresh.ask(request('tools/call', tool('echo', { text: 'x' }))))).toBe('x')
    await fresh.healthy()
  })

  test('S25: a batch is rejected except in 2025-03-26', async () => {
    const batch = [
      request('ping', undefined, 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('ping', undefined, 2),
    ]
    const from = server.messages.length
    server.send(batch)
    expectRefusal(await server.next(() => true, { from }), {})

    const old = testStdio()
    await old.initialize('2025-03-26')
    const start = old.messages.length
    old.send(
      batch,
      Array.from({ length: 101 }, (_, id) => request('ping', undefined, id)),
    )
    const answers = (await old.next(Array.isArray, { from: start })) as unknown as Reply[]
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expectRefusal(await old.next((message) => !Array.isArray(message), { from: start }), {})
    await old.healthy()
    expect(old.messages).toHaveLength(start + 3)
  })
})
