/** Inherited property names, and secrets that must not be disclosed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpServer, mirrors, modern, post, startHttp, testHttp } from './support/http.ts'
import { envelope, modernRequest, type Params, request, textOf, tool } from './support/messages.ts'
import { type StdioServer, startStdio, testStdio } from './support/stdio.ts'
import { until } from './support/time.ts'

const INHERITED = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

/** Texts in JSON that would pollute a prototype if they were merged carelessly. */
const POISON = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"__proto__":null}',
  '{"__proto__":[]}',
  '{"toString":1,"hasOwnProperty":2}',
]

/** Returns messages with the polluting value in each position. */
function pollutingMessages(poison: string): string[] {
  const messages = [
    modernRequest('tools/call', tool('echo-json', 'POISON' as never)),
    modernRequest('tools/call', tool('echo-json', { nested: 'POISON' })),
    modernRequest('tools/call', tool('echo-json', {}, { poison: 'POISON' })),
    modernRequest('tools/list', { 'io.x/poison': 'POISON' }),
    modernRequest('prompts/get', { name: 'greet', arguments: 'POISON' }),
    modernRequest('completion/complete', { ref: 'POISON', argument: 'POISON', context: 'POISON' }),
    modernRequest('tools/call', { ...tool('ask'), inputResponses: 'POISON' }),
    modernRequest('subscriptions/unknown', { notifications: 'POISON' }),
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: 'POISON', clientInfo: 'POISON' },
    },
    { ...request('tools/list', { _meta: envelope({ 'io.modelcontextprotocol/clientCapabilities': 'POISON' }) }) },
  ]
  const texts = messages.map((message) => JSON.stringify(message).replaceAll('"POISON"', poison))
  return [...texts, `{"jsonrpc":"2.0","id":1,"method":"ping",${poison.slice(1)}`]
}

describe('over HTTP', () => {
  let server: HttpServer
  beforeAll(async () => void (server = await startHttp()))
  afterAll(() => server.kill())

  test.each(POISON)('H13: %s pollutes nothing in any position', async (poison) => {
    for (const text of pollutingMessages(poison)) {
      const { method, params } = JSON.parse(text) as { method: string; params?: Params }
      const answer = await server.send(post(text, method === 'initialize' ? {} : mirrors(method, params)))
      expect(answer.status).toBeLessThan(500)
      expect(answer.json).toBeDefined()
    }
    expect((await server.health()).polluted).toEqual([])
    await server.healthy()
  })

  test.each(INHERITED)('H14: %s is an unknown name', async (name) => {
    expect((await server.call(name)).json).toMatchObject({ error: { code: -32602 } })
    expect((await server.send(modern('prompts/get', { name }))).json).toMatchObject({ error: { code: -32602 } })
    expect((await server.send(modern('resources/read', { uri: name }))).json).toMatchObject({ error: { code: -32602 } })
    expect(await server.send(modern(name))).toMatchObject({ status: 404, json: { error: { code: -32601 } } })
    for (const ref of [
      { type: 'ref/prompt', name },
      { type: 'ref/resource', uri: name },
      { type: name },
      { type: 'ref/prompt', name: 'greet' },
    ]) {
      const { json } = await server.send(modern('completion/complete', { ref, argument: { name, value: 'x' } }))
      expect(json?.error?.code === -32602 || (json?.result?.completion as { values: unknown[] })?.values.length === 0).toBe(true)
    }
    const session = await server.session()
    expect((await session.ask(request(name))).json).toMatchObject({ error: { code: -32601 } })
    expect((await session.ask(request('tools/call', tool(name)))).json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })

  test.each(INHERITED)('X11: %s is an ordinary name of a registered item', async (name) => {
    const named = await testHttp({ names: { tools: [name], prompts: [name] } })
    expect(textOf((await named.call(name)).json)).toBe(`the tool ${name}`)
    const prompt = await named.send(modern('prompts/get', { name }))
    expect(prompt.json).toMatchObject({ result: { messages: [{ content: { text: `the prompt ${name}` } }] } })
    const list = await named.send(modern('tools/list'))
    expect(list.json).toMatchObject({ result: { tools: expect.arrayContaining([expect.objectContaining({ name })]) } })
    for (const other of INHERITED.filter((each) => each !== name))
      expect((await named.call(other)).json).toMatchObject({ error: { code: -32602 } })
    await named.healthy()
  })

  test('X11: optional arguments with such names may be missing', async () => {
    const named = await testHttp({ names: { arguments: INHERITED } })
    expect(textOf((await named.call('optional-arguments')).json)).toBe('{}')
    for (const name of INHERITED.filter((each) => each !== '__proto__')) {
      expect(textOf((await named.call('optional-arguments', { [name]: 'x' })).json)).toBe(JSON.stringify({ [name]: 'x' }))
      expect((await named.call('optional-arguments', { [name]: 1 })).json).toMatchObject({ result: { isError: true } })
    }
    await named.healthy()
  })

  test.each(INHERITED)('X11: a required argument with the name %s is not found in the prototype', async (name) => {
    const named = await testHttp({ names: { arguments: [name] } })
    expect((await named.call('required-arguments')).json).toMatchObject({ result: { isError: true } })
    await named.healthy()
  })

  test('H14: invalid completion requests are rejected without a crash', async () => {
    for (const params of [
      {},
      { ref: null },
      { ref: {} },
      { ref: [] },
      { ref: { type: 'ref/prompt' } },
      { ref: { type: 'ref/prompt', name: 'greet' } },
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: {} },
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name' } },
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 1 } },
      { ref: { type: 'ref/resource' }, argument: { name: 'x', value: '' } },
    ])
      expect((await server.send(modern('completion/complete', params))).json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })

  test('X07: a received secret is not in events, errors or responses', async () => {
    const canaries = {
      Authorization: 'Bearer CANARY-TOKEN',
      Cookie: 'session=CANARY-COOKIE',
      'Proxy-Authorization': 'Basic CANARY-PROXY',
      'X-Api-Key': 'CANARY-KEY',
    }
    const quiet = await testHttp()
    const state = 'CANARY-STATE-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    const requests = [
      modern('tools/call', tool('secret'), canaries),
      modern('tools/call', tool('secret-later'), canaries),
      modern('tools/call', { ...tool('ask'), requestState: state }, canaries),
      modern('tools/call', tool('echo', { wrong: 'CANARY-ARGUMENT' }), canaries),
      modern('resources/read', { uri: 'nothing://CANARY-URI' }, canaries),
      modern('no/such', {}, canaries),
      post('{"CANARY-BODY', canaries),
      modern('tools/call', tool('echo'), { ...canaries, Origin: 'http://evil.example' }),
      modern('tools/call', tool('echo'), { ...canaries, 'Content-Type': 'text/plain' }),
      modern('tools/list', { cursor: state }, canaries),
    ]
    for (const bytes of requests) expect((await quiet.send(bytes)).body).not.toMatch(/CANARY-(?!URI|ARGUMENT)/)
    const session = await quiet.session({ fields: canaries })
    await session.call('secret')
    await quiet.healthy()
    expect(quiet.stderr()).toContain('CANARY-IN-ERROR')
    expect(quiet.stderr().replaceAll('CANARY-IN-ERROR', '')).not.toContain('CANARY')
  })
})

describe('over stdio', () => {
  let server: StdioServer
  beforeAll(async () => {
    server = startStdio()
    await server.healthy()
  })
  afterAll(() => server.kill())

  test.each(POISON)('S23: %s pollutes nothing in any position', async (poison) => {
    const from = server.messages.length
    const texts = pollutingMessages(poison)
    for (const text of texts) server.write(`${text}\n`)
    await until(() => server.messages.length >= from + texts.length, 'an answer to each')
    await server.healthy()
    expect(server.messages.slice(from)).toHaveLength(texts.length + 1)
    expect((await server.health()).polluted).toEqual([])
  })

  test('S23: inherited property names as ids and names', async () => {
    for (const id of INHERITED) {
      expect(textOf(await server.ask(modernRequest('tools/call', tool('echo', { text: id }), id)))).toBe(id)
      expect(await server.ask(request(id))).toMatchObject({ error: { code: -32601 } })
      expect(await server.call(id)).toMatchObject({ error: { code: -32602 } })
    }
    await server.healthy()
  })

  test('X07: output of a tool is not sent to the client, and secrets of calls are not written to stderr', async () => {
    const quiet = testStdio()
    expect(textOf(await quiet.call('print'))).toBe('printed')
    await quiet.call('echo', { wrong: 'CANARY-ARGUMENT' })
    await quiet.ask(modernRequest('tools/call', { ...tool('ask'), requestState: 'CANARY-STATE' }))
    await quiet.healthy()
    expect(quiet.stderr()).toContain('printed by a tool')
    expect(quiet.stderr()).not.toContain('CANARY')
    expect(quiet.garbage).toEqual([])
  })
})
