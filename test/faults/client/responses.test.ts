/** Responses that are late, duplicate, unexpected or unusual: over stdio and HTTP, in both eras. */
import { type Client, type ConnectOptions, connect } from 'portcall/client'
import { describe, expect, test } from 'vitest'
import { sleep, within } from '../support/time.ts'
import { type ConnectedClient, call, endWarning, failureOf, healthy, open } from './support/connection.ts'
import { ECHO, legacy, type Methods, modern, RESULTS, textResult } from './support/eras.ts'
import { PROGRAMS } from './support/program.ts'
import { type Handler, testRaw } from './support/raw-server.ts'

type Json = Record<string, unknown>

/** A server that answers the tool `big` with fixed messages, in which `ID` is replaced by the id of the request. */
interface Kind {
  readonly name: string
  open(messages: readonly unknown[], results?: Json, options?: ConnectOptions): Promise<ConnectedClient>
}

const ID = '<id>'

/** Inserts the id. It replaces text, so that unusual members are preserved. */
function withId(messages: readonly unknown[], id: unknown): string[] {
  return messages.map((message) =>
    (typeof message === 'string' ? message : JSON.stringify(message)).replaceAll(JSON.stringify(ID), JSON.stringify(id)),
  )
}

function overStdio([revision, program]: (typeof PROGRAMS)[number]): Kind {
  return {
    name: `${revision} over stdio`,
    open: (messages, results = {}, options) =>
      open(
        program(`
          const messages = ${JSON.stringify(withId(messages, ID))}
          const more = ${JSON.stringify(results)}
          for (const [method, result] of Object.entries(more)) on[method] = (id) => reply(id, result)
          on['tools/call'] = (id, { name }) => {
            if (name !== 'big') return reply(id, text('fine'))
            for (const message of messages) raw(message.replaceAll(${JSON.stringify(JSON.stringify(ID))}, JSON.stringify(id)) + '\\n')
          }`),
        options,
      ),
  }
}

function overHttp(revision: string, serve: (methods: Methods) => Handler): Kind {
  return {
    name: `${revision} over HTTP`,
    async open(messages, results = {}, options) {
      const methods: Methods = Object.fromEntries(
        Object.entries(results).map(([method, result]) => [method, (_, answer) => answer.result(result as Json)]),
      )
      const server = await testRaw(
        serve({
          ...methods,
          initialize: (_, answer) =>
            answer.result((results.initialize ?? RESULTS.initialize) as Json, { 'Mcp-Session-Id': 'session-1' }),
          'tools/call': ({ message: { id, params } }, answer) => {
            if (params?.name !== 'big') return answer.result(textResult('fine'))
            answer.stream()
            for (const message of withId(messages, id)) answer.event(message)
            answer.end()
          },
        }),
      )
      return open(server.url, options)
    },
  }
}

const STDIO = PROGRAMS.map(overStdio)
const HTTP = [overHttp('2026-07-28', modern), overHttp('2025-11-25', legacy)]
const KINDS = [...STDIO, ...HTTP]

const result = (text: string, id: unknown = ID): Json => ({ jsonrpc: '2.0', id, result: textResult(text) })

describe.each(KINDS)('a server of $name', (kind) => {
  test('C07 C08: responses with other ids or ids of other types are ignored', async () => {
    const { client } = await kind.open([
      ...['1', ' 1 ', '1.0', '0x1', '01', '+1', '__proto__', 'constructor', 'toString', '', null, 0, -1, 1.5, 999_999].map((id) =>
        result(`wrong ${id}`, id),
      ),
      ...['2', '3', '4', '5', '6', '7', '8'].map((id) => result(`wrong ${id}`, id)),
      '{"jsonrpc":"2.0","id":{},"result":{}}',
      '{"jsonrpc":"2.0","id":[1],"result":{}}',
      '{"jsonrpc":"2.0","id":true,"result":{}}',
      '{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"without an id"}]}}',
      result('right'),
    ])
    expect(await call(client, 'big')).toBe('right')
    await healthy(client)
  })

  test('C08: duplicate and late responses are ignored', async () => {
    const { client } = await kind.open([
      result('first'),
      result('second'),
      { jsonrpc: '2.0', id: ID, error: { code: 1, message: 'third' } },
    ])
    for (let round = 0; round < 3; round++) expect(await call(client, 'big')).toBe('first')
    await healthy(client)
  })

  test.each<readonly [id: string, what: string, message: unknown]>([
    ['C09', 'both result and error', { ...result('both'), error: { code: -32603, message: 'both' } }],
    ['C09', 'neither result nor error', { jsonrpc: '2.0', id: ID }],
    ['C09', 'a result that is a string', { jsonrpc: '2.0', id: ID, result: 'text' }],
    ['C09', 'a result that is null', { jsonrpc: '2.0', id: ID, result: null }],
    ['C09', 'a result that is an array', { jsonrpc: '2.0', id: ID, result: [] }],
    ['C09', 'an error without a reason', { jsonrpc: '2.0', id: ID, error: {} }],
    ['C09', 'an error that is an empty string', { jsonrpc: '2.0', id: ID, error: '' }],
    ['C09', 'an error that is a number', { jsonrpc: '2.0', id: ID, error: 42 }],
    ['C09', 'an error that is true', { jsonrpc: '2.0', id: ID, error: true }],
    ['C09', 'another version of JSON-RPC', { ...result('old'), jsonrpc: '1.0' }],
    ['C09', 'no version of JSON-RPC', { id: ID, result: {} }],
  ])('%s: %s: the call fails immediately with a typed error', async (_id, _what, message) => {
    const { client } = await kind.open([message])
    const failure = await failureOf(client.callTool('big', {}, { timeouts: { requestTimeoutMs: 5000 } }), 2000)
    expect(['INVALID_RESPONSE', 'CONNECTION_LOST']).toContain(failure.code)
    await healthy(client)
  })

  test.each<readonly [what: string, error: unknown, code: number]>([
    ['is a string', 'what', -32603],
    ['has no code', { message: 'what', data: { a: 1 } }, -32603],
    ['has a name as its code', { code: 'E_GONE', message: 'what' }, -32603],
    ['has a code with a fraction', { code: 1.5, message: 'what' }, -32603],
    ['has an integer as text', { code: '-32001', message: 'what' }, -32001],
  ])('C09: an error that %s: the call fails immediately with what it says', async (_what, error, code) => {
    const { client } = await kind.open([{ jsonrpc: '2.0', id: ID, error }])
    const failure = await failureOf(client.callTool('big', {}, { timeouts: { requestTimeoutMs: 5000 } }), 2000)
    expect(failure).toMatchObject({ name: 'RpcError', code, message: 'what' })
    await healthy(client)
  })

  test('C09: errors with any code and data are passed on unchanged', async () => {
    for (const error of [
      { code: -32001, message: 'early', data: { supported: [] } },
      { code: 0, message: '' },
      { code: -32700, message: 'parse', data: null },
      { code: 1e9, message: 'large', data: [1, { a: 1 }] },
    ]) {
      const { client } = await kind.open([{ jsonrpc: '2.0', id: ID, error }])
      expect(await failureOf(client.callTool('big'))).toMatchObject({
        name: 'RpcError',
        code: error.code,
        message: error.message,
      })
      await healthy(client)
    }
  })

  test('C10: __proto__ and similar names in a result pollute nothing', async () => {
    const evil = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`
    const { client } = await kind.open([
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${evil},"__proto__":{"polluted":1}}}`,
      `{"jsonrpc":"2.0","id":"${ID}","__proto__":{"polluted":1},"result":{"__proto__":{"polluted":1},"content":[{"type":"text","text":"x","__proto__":{"polluted":1}}],"structuredContent":${evil},"_meta":${evil}}}`,
    ])
    const outcome = await within(3000, client.callTool('big'))
    expect((outcome as object as Json).polluted).toBeUndefined()
    expect((outcome.content[0] as object as Json).polluted).toBeUndefined()
    expect((outcome.structuredContent as Json).polluted).toBeUndefined()
    expect(({} as Json).polluted).toBeUndefined()
  })

  test('C36: tools named __proto__, constructor and similar, and duplicate names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'twice', 'twice', '', ' ', '🦀']
    const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }))
    const { client } = await kind.open([], { 'tools/list': { ...RESULTS['tools/list'], tools } })
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(names)
    for (const name of names) expect(await call(client, name)).toBe('fine')
  })

  test('C30: the same cursor forever', async () => {
    const { client, events } = await kind.open([], { 'tools/list': { ...RESULTS['tools/list'], nextCursor: 'again' } })
    expect(await within(3000, client.tools().toArray())).toMatchObject([ECHO])
    expect(events).toEqual([endWarning('tools/list', 'tools/list returned an earlier page again; the list ends there')])
    await healthy(client)
  })

  test('C39: an unknown resultType', async () => {
    const { client } = await kind.open([{ jsonrpc: '2.0', id: ID, result: { ...textResult('overrides'), resultType: 'oracle' } }])
    const outcome = client.callTool('big')
    if (kind.name.startsWith('2026')) expect(await failureOf(outcome)).toMatchObject({ code: 'INVALID_RESULT' })
    else expect(await within(3000, outcome)).toMatchObject({ content: textResult('overrides').content })
    await healthy(client)
  })

  test('C39: no resultType', async () => {
    const { client } = await kind.open([{ jsonrpc: '2.0', id: ID, result: { content: [{ type: 'text', text: 'plain' }] } }])
    expect(await call(client, 'big')).toBe('plain')
  })

  test('null for absent fields, absent fields and unknown fields, everywhere', async () => {
    const { client } = await kind.open(
      [
        `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":null}`,
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"who","progress":1}}`,
        `{"jsonrpc":"2.0","method":"notifications/unknown","params":{"a":1}}`,
        {
          jsonrpc: '2.0',
          id: ID,
          extra: 1,
          result: { ...textResult('through', { isError: null, _meta: null, structuredContent: null, extra: { a: 1 } }) },
        },
      ],
      {
        'tools/list': {
          ...RESULTS['tools/list'],
          nextCursor: null,
          _meta: null,
          tools: [
            {
              name: 'a',
              title: null,
              description: null,
              inputSchema: { type: 'object' },
              outputSchema: null,
              annotations: null,
              _meta: null,
              icons: null,
              extra: 1,
            },
            { name: 'b', inputSchema: { type: 'object', properties: null, required: null } },
            null,
            42,
          ],
        },
        'resources/list': {
          ...RESULTS['tools/list'],
          tools: null,
          resources: [{ uri: 'a:1', name: 'a', mimeType: null, size: null, annotations: null }],
        },
        'prompts/list': { ...RESULTS['tools/list'], prompts: [{ name: 'p', arguments: null, description: null }] },
      },
    )
    expect(await call(client, 'big')).toBe('through')
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['a', 'b'])
    expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['a:1'])
    expect((await client.prompts().toArray()).map(({ name }) => name)).toEqual(['p'])
    expect(await call(client, 'a')).toBe('fine')
  })

  test('structured content without content; content of unknown types', async () => {
    const structured = await kind.open([
      { jsonrpc: '2.0', id: ID, result: { resultType: 'complete', structuredContent: { a: 1 } } },
    ])
    expect(await within(3000, structured.client.callTool('big'))).toMatchObject({ content: [], structuredContent: { a: 1 } })
    const block = { type: 'hologram', beam: [1, 2] }
    const unknown = await kind.open([{ jsonrpc: '2.0', id: ID, result: { resultType: 'complete', content: [block] } }])
    expect((await within(3000, unknown.client.callTool('big'))).content).toEqual([block])
  })

  test('pages without items, an empty cursor, cursors of wrong types', async () => {
    const list = { ...RESULTS['tools/list'] }
    for (const nextCursor of [null, 7, {}, false]) {
      const { client } = await kind.open([], { 'tools/list': { ...list, nextCursor } })
      expect(await client.tools().toArray()).toHaveLength(1)
    }
    const { client, events } = await kind.open([], { 'tools/list': { ...list, nextCursor: '' } })
    expect(await client.tools().toArray()).toHaveLength(1)
    const end = 'tools/list returned an earlier page again; the list ends there'
    expect(events).toEqual(kind.name.startsWith('2026') ? [endWarning('tools/list', end)] : [])
  })

  test.each<readonly [what: string, results: Json]>([
    ['capabilities that are true', { capabilities: { tools: true, resources: true, logging: null, prompts: false } }],
    ['no capabilities', { capabilities: null }],
    ['capabilities of the wrong side, and more', { capabilities: { roots: {}, sampling: {}, tools: { a: 1 }, extra: 1 } }],
    ['no server info', { serverInfo: null }],
    ['server info without a version', { serverInfo: { name: 'bare' } }],
    ['instructions that are null', { instructions: null }],
  ])('a handshake with %s', async (_what, overrides) => {
    const { client } = await kind.open([], {
      initialize: { ...RESULTS.initialize, ...overrides },
      'server/discover': { ...RESULTS['server/discover'], ...overrides },
    })
    await healthy(client)
    expect(await within(2000, client.discover())).toBeTypeOf('object')
  })

  test.each<readonly [what: string, tools: (page: number) => unknown[], items: number, requests: number, end: string]>([
    ['with the same items', () => [ECHO], 1, 2, 'tools/list returned an earlier page again; the list ends there'],
    [
      'with other items',
      (page) => [{ ...ECHO, name: `echo ${page}` }],
      64,
      64,
      'tools/list has more than 64 pages (maxPages); the others are left out',
    ],
  ])('C31: pages without an end, %s', async (_what, tools, items, requests, end) => {
    let at = 0
    const more = (): Json => ({ ...RESULTS['tools/list'], tools: tools(++at), nextCursor: `page ${at}` })
    const { client, events } = await open((request) =>
      Promise.resolve({ jsonrpc: '2.0', id: request.id, result: request.method === 'tools/list' ? more() : {} }),
    )
    expect(await within(3000, client.tools().toArray())).toHaveLength(items)
    expect(events).toEqual([endWarning('tools/list', end)])
    expect(at).toBe(requests)
  })
})

describe('versions that were not requested', () => {
  test.each(['2030-01-01', '1.0', '', null, 42, '2024-11-05 ', ['2025-11-25']])(
    'initialize is answered with %j: connecting fails with a typed error over stdio and HTTP',
    async (protocolVersion) => {
      const answer = { ...RESULTS.initialize, protocolVersion }
      const program = PROGRAMS[1][1](`on.initialize = (id) => reply(id, ${JSON.stringify(answer)})`)
      const server = await testRaw(legacy({ initialize: (_, { result: send }) => send(answer) }))
      for (const target of [program, server.url])
        expect(await failureOf(connect(target), 4000)).toMatchObject({ name: 'NegotiationError' })
    },
  )

  test.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'initialize is answered with %s: that version is used',
    async (protocolVersion) => {
      const answer = { ...RESULTS.initialize, protocolVersion }
      const server = await testRaw(legacy({ initialize: (_, { result: send }) => send(answer) }))
      const { client } = await open(server.url)
      await healthy(client)
      const [request] = server.of('tools/call')
      expect(request?.headers['mcp-protocol-version']).toBe(protocolVersion === '2025-06-18' ? protocolVersion : undefined)
    },
  )

  test.each([[['2031-01-01']], [[42, null]], [[]], ['2026-07-28'], [null]])(
    'server/discover names %j',
    async (supportedVersions) => {
      const server = await testRaw(
        modern({
          'server/discover': (_, { result: send }) => send({ ...RESULTS['server/discover'], supportedVersions }),
          initialize: ({ message: { id } }, { json }) => json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }),
        }),
      )
      expect((await failureOf(connect(server.url), 3000)).name).toMatch(/NegotiationError|RpcError|InvalidResponseError/)
    },
  )
})

describe('old statuses and headers', () => {
  test.each([200, 204, 202])('a notification is accepted with %i', async (status) => {
    const server = await testRaw(legacy({ 'notifications/initialized': (_, { send }) => send(status) }))
    await healthy((await open(server.url)).client)
  })

  test('a notification is answered with a stream', async () => {
    const server = await testRaw(
      legacy({
        'notifications/initialized'(_, answer) {
          answer.stream()
          answer.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } })
          answer.end()
        },
      }),
    )
    await healthy((await open(server.url)).client)
  })

  test('a session id header in mixed case is recognized, and the id is sent back', async () => {
    const server = await testRaw(
      legacy({ initialize: (_, { result: send }) => send(RESULTS.initialize as Json, { 'mCp-SeSsIoN-iD': 'overrides~!' }) }),
    )
    await healthy((await open(server.url)).client)
    expect(server.of('tools/call')[0]?.headers['mcp-session-id']).toBe('overrides~!')
  })

  test('an invalid session id is not sent back', async () => {
    const server = await testRaw(
      legacy({ initialize: (_, { result: send }) => send(RESULTS.initialize as Json, { 'Mcp-Session-Id': 'a b' }) }),
    )
    await healthy((await open(server.url)).client)
    expect(server.of('tools/call')[0]?.headers['mcp-session-id']).toBeUndefined()
  })

  test.each([-32002, -32602, 0])('a missing resource, with the code %i', async (code) => {
    const server = await testRaw(
      legacy({
        'resources/read': ({ message: { id } }, { json }) => json({ jsonrpc: '2.0', id, error: { code, message: 'gone' } }),
      }),
    )
    const { client } = await open(server.url)
    const expected = code === 0 ? 0 : -32602
    expect(await failureOf(client.readResource('a:1'))).toMatchObject({ name: 'RpcError', code: expected })
  })
})

describe('codes of early drafts', () => {
  const refusing = (code: number, data: Json, times = 1): Handler => {
    let refused = 0
    const refuse: Handler = ({ message: { id } }, { json, result: send }) => {
      if (refused++ < times) return json({ jsonrpc: '2.0', id, error: { code, message: 'draft', data } })
      send(textResult('fine'))
    }
    return modern({ 'tools/call': refuse })
  }

  test('-32004 with the supported versions: the call is repeated', async () => {
    const server = await testRaw(refusing(-32004, { supported: ['2026-07-28'], requested: '2026-07-28' }))
    await healthy((await open(server.url)).client)
  })

  test('-32001 for mismatched headers: the list is fetched again, and the call repeated', async () => {
    const server = await testRaw(refusing(-32001, { header: 'Mcp-Param-A' }))
    const { client } = await open(server.url)
    const failure = await call(client).catch((error: { code: unknown }) => error.code)
    expect(['fine', -32001]).toContain(failure)
  })

  test('-32003 for an undeclared capability is an error of the server', async () => {
    const server = await testRaw(refusing(-32003, { requiredCapabilities: { sampling: {} } }, 9))
    expect(await failureOf((await open(server.url)).client.callTool('echo'))).toMatchObject({ name: 'RpcError', code: -32021 })
  })

  test('-32004 to the probe: the server is of the stateless era if it lists such a version', async () => {
    let probes = 0
    const server = await testRaw(
      modern({
        'server/discover': ({ message: { id } }, { json, result: send }) => {
          if (probes++ > 0) return send(RESULTS['server/discover'] as Json)
          json({ jsonrpc: '2.0', id, error: { code: -32004, message: 'draft', data: { supported: ['2026-07-28'] } } })
        },
      }),
    )
    await healthy((await open(server.url)).client)
  })
})

describe('input requests of the legacy era', () => {
  const ask = async (method: string, params: Json, options: ConnectOptions): Promise<Json> => {
    const program = PROGRAMS[1][1](`
      on['tools/call'] = (id) => {
        say({ id: 'q', method: ${JSON.stringify(method)}, params: ${JSON.stringify(params)} })
        before = id
      }
      let before
      process.stdin.on('data', (chunk) => {
        for (const line of chunk.split('\\n')) {
          if (!line.includes('"id":"q"')) continue
          reply(before, text(line))
        }
      })`)
    const { client } = await open(program, options)
    return JSON.parse(await call(client)) as Json
  }

  test('one block instead of a list, text without a type, null for absent fields', async () => {
    const received: unknown[] = []
    const answer = await ask(
      'sampling/createMessage',
      {
        messages: [{ role: 'user', content: { text: 'hello', annotations: null } }],
        maxTokens: 10,
        systemPrompt: null,
        tools: null,
      },
      {
        sample: (params) => {
          received.push(params)
          return { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }
        },
      },
    )
    expect(answer).toMatchObject({ id: 'q', result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } } })
    expect(received).toEqual([{ messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }], maxTokens: 10 }])
  })

  test.each(['roots/list', 'sampling/create_message', 'toString', 'elicitation/create'])(
    '%s, which was not declared, is not there',
    async (method) => {
      expect(await ask(method, {}, {})).toMatchObject({ id: 'q', error: { code: -32601 } })
    },
  )

  test('an input handler that throws, and one that never returns: the server receives an error, and the call ends', async () => {
    const failing = await ask(
      'roots/list',
      {},
      {
        roots: () => {
          throw new Error('secret of the host')
        },
      },
    )
    expect(failing).toMatchObject({ id: 'q', error: { code: -32603 } })
    expect(JSON.stringify(failing)).not.toContain('secret')
  })
})

describe('input requests', () => {
  const question = {
    method: 'elicitation/create',
    params: { message: 'who?', requestedSchema: { type: 'object', properties: {} } },
  }
  const asking = { resultType: 'input_required', inputRequests: { a: question }, requestState: 's' }

  test('C40: endless input requests', async () => {
    const server = await testRaw(modern({ 'tools/call': (_, { result: send }) => send(asking) }))
    const { client } = await open(server.url, { elicit: () => ({}) })
    expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'INVALID_RESULT' })
    expect(server.of('tools/call').length).toBeLessThan(13)
  })

  test('C40: endless request states without input requests', async () => {
    const server = await testRaw(
      modern({ 'tools/call': (_, { result: send }) => send({ resultType: 'input_required', requestState: 's' }) }),
    )
    const { client } = await open(server.url, { timeouts: { requestTimeoutMs: 1000, totalTimeoutMs: 2000 } })
    await failureOf(client.callTool('echo'), 4000)
    expect(server.of('tools/call').length).toBeLessThan(13)
  })

  test.each<readonly [what: string, inputRequests: unknown]>([
    ['that are a string', 'what'],
    ['without a method', { a: { params: {} } }],
    ['that are null', { a: null }],
    ['of an unknown method', { a: { method: 'toString' } }],
    ['of an undeclared capability', { a: { method: 'sampling/createMessage', params: {} } }],
    ['named __proto__', JSON.parse('{"__proto__":{"method":"x"}}')],
    [
      'with an invalid schema',
      { a: { method: 'elicitation/create', params: { message: 'm', requestedSchema: { type: 'array' } } } },
    ],
  ])('C40: input requests %s: a typed error within the round trip limit', async (_what, inputRequests) => {
    const server = await testRaw(
      modern({
        'tools/call': (_, { result: send }) => send({ resultType: 'input_required', inputRequests: inputRequests as Json }),
      }),
    )
    const { client } = await open(server.url, { elicit: () => ({}) })
    const failure = await failureOf(client.callTool('echo'))
    expect(['INVALID_RESULT', 'INPUT_HANDLER_FAILED']).toContain(failure.code)
    expect(server.of('tools/call').length).toBeLessThan(13)
  })

  test('C40: 1,000 concurrent input requests are limited', async () => {
    const inputRequests = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`q${at}`, question]))
    const server = await testRaw(
      modern({
        'tools/call': ({ message: { params } }, { result: send }) =>
          send(params?.inputResponses ? textResult('fine') : { ...asking, inputRequests }),
      }),
    )
    let most = 0
    let open_ = 0
    const elicit = async (): Promise<Json> => {
      most = Math.max(most, ++open_)
      await sleep(1)
      open_--
      return {}
    }
    const { client } = await open(server.url, { elicit })
    await call(client as Client).catch(() => {})
    expect(most).toBeLessThanOrEqual(1000)
  })

  test('C15: 2,000 input requests of a server with sessions in one response: all are answered, and the call succeeds', async () => {
    let answers = 0
    const server = await testRaw((request, answer) => {
      const { method, id } = request.message
      if (method === undefined && request.method === 'POST') answers++
      legacy({
        'tools/call'(_, stream) {
          stream.stream()
          for (let at = 0; at < 2000; at++) stream.event({ jsonrpc: '2.0', id: `q${at}`, method: at % 2 ? 'ping' : 'roots/list' })
          stream.event({ jsonrpc: '2.0', id, result: textResult('fine') })
          stream.end()
        },
      })(request, answer)
    })
    const { client } = await open(server.url)
    expect(await call(client, 'echo', {}, 10_000)).toBe('fine')
    await expect.poll(() => answers, { timeout: 8000 }).toBe(2000)
  })
})
