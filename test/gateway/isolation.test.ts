import { type Auth, createServer, type Exchange } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { type AccessRule, accessRules, createGateway, toolSet } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../../packages/portcall/test-kit/random.ts'
import { findPort } from './support/protected-upstream.ts'

const TASKS = 'io.modelcontextprotocol/tasks'

interface Protected {
  readonly url: string
  headersOf(user: string): { readonly authorization: string }
}

/** Starts a gateway with pages of one item for the users ada and eve, to a server with tasks, questions and many tools. */
async function startProtected(): Promise<Protected> {
  const server = createServer({ name: 'box', version: '1' }, { extensions: [tasks()] })
  server.tool('later', { task: 'required' }, async (_input, call) => {
    const { color } = await call.elicit('Color?', {
      type: 'object',
      properties: { color: { type: 'string' } },
      required: ['color'],
    } as const)
    return String(color)
  })
  server.tool('ask', {}, async (_input, call) => {
    const { name } = await call.elicit('Name?', {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    } as const)
    return String(name)
  })
  server.tool('hello', {}, () => 'hi')
  const port = await findPort()
  const url = `http://127.0.0.1:${port}/mcp`
  const keys = { ada: await createApiKey(), eve: await createApiKey() }
  const gateway = createGateway({ servers: { box: server, other: createServer({ name: 'other', version: '1' }) }, pageSize: 1 })
  const verify = apiKeys(Object.entries(keys).map(([subject, { hash }]) => ({ hash, subject })))
  const listening = await serve(gateway, {
    ...protect({ resource: url, verify }),
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
  })
  onTestFinished(async () => {
    await listening.close()
    await gateway.close()
    await server.close()
  })
  return { url, headersOf: (user) => ({ authorization: `Bearer ${keys[user as 'ada' | 'eve'].key}` }) }
}

interface RawResponse {
  readonly result?: { readonly [member: string]: any }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Sends requests of the newest revision as they are. */
function createSender({ url, headersOf }: Protected, capabilities: object) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return async (
    user: string,
    method: string,
    params: { name?: string; taskId?: string; [member: string]: unknown } = {},
  ): Promise<RawResponse> => {
    const subject = params.name ?? params.taskId
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(subject !== undefined && { 'mcp-name': subject }),
        ...headersOf(user),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    const text = await response.text()
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')) as RawResponse
  }
}

describe('what belongs to one principal does not exist for another', () => {
  test('sessions of legacy clients, on every verb', async () => {
    const started = await startProtected()
    const { url, headersOf } = started
    const body = (method: string, params: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const base = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const initialize = await fetch(url, {
      method: 'POST',
      headers: { ...base, ...headersOf('ada') },
      body: body('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
    })
    await initialize.text()
    const session = { 'mcp-session-id': initialize.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
    expect(session['mcp-session-id']).not.toBe('')
    const statusOf = async (user: string, method: string, more: object = {}): Promise<number> => {
      const response = await fetch(url, {
        method,
        headers: { ...base, ...headersOf(user), ...session, ...more },
        ...(method === 'POST' && { body: body('tools/list') }),
      })
      await response.body?.cancel()
      return response.status
    }
    expect(await statusOf('ada', 'POST')).toBe(200)
    for (const method of ['POST', 'GET', 'DELETE']) expect([method, await statusOf('eve', method)]).toEqual([method, 404])
    expect(await statusOf('eve', 'GET', { 'last-event-id': '1' })).toBe(404)
    expect(await statusOf('ada', 'POST')).toBe(200)
  })

  test('tasks, on every method, and subscriptions to them', async () => {
    const started = await startProtected()
    const send = createSender(started, { elicitation: { form: {} }, extensions: { [TASKS]: {} } })
    const { result = {} } = await send('ada', 'tools/call', { name: 'box__later', arguments: {} })
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.any(String) })
    const taskId = String(result.taskId)
    expect((await send('ada', 'tasks/get', { taskId })).result).toMatchObject({ taskId })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const more = method === 'tasks/update' ? { inputResponses: {} } : {}
      const foreign = (await send('eve', method, { taskId, ...more })).error
      const unknown = (await send('eve', method, { taskId: 'no-such-task', ...more })).error
      expect([method, foreign]).toEqual([method, unknown])
      expect(foreign?.code).toBeLessThan(-32_000)
    }
    const client = await connect(started.url, { headers: started.headersOf('eve'), extensions: [clientTasks()] })
    onTestFinished(() => client.close())
    const listening = client.listen({ taskIds: [taskId] } as never)
    const accepted = (await listening.acknowledged.catch(() => ({}))) as { taskIds?: string[] }
    expect(accepted.taskIds ?? []).toEqual([])
    listening.close()
    const after = (await send('ada', 'tasks/get', { taskId })).result
    expect(after).toMatchObject({ taskId })
    expect(after?.status).not.toBe('cancelled')
  })

  test('cursors and request states', async () => {
    const send = createSender(await startProtected(), { elicitation: { form: {} } })
    const cursor = (await send('ada', 'tools/list')).result?.nextCursor
    expect(cursor).toEqual(expect.any(String))
    expect((await send('ada', 'tools/list', { cursor })).result).toMatchObject({ tools: [{}] })
    const foreign = (await send('eve', 'tools/list', { cursor })).error
    expect(foreign).toBeDefined()
    expect(foreign).toEqual((await send('eve', 'tools/list', { cursor: 'nonsense' })).error)

    const call = { name: 'box__ask', arguments: {} }
    const { inputRequests = {}, requestState } = (await send('ada', 'tools/call', call)).result ?? {}
    const [key = ''] = Object.keys(inputRequests)
    const answer = { ...call, requestState, inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } } }
    expect((await send('eve', 'tools/call', answer)).error?.code).toBe(-32_602)
    expect((await send('ada', 'tools/call', { ...answer, name: 'box__hello' })).error?.code).toBe(-32_602)
    expect((await send('ada', 'tools/call', { ...answer, arguments: { more: 1 } })).error?.code).toBe(-32_602)
    expect((await send('ada', 'tools/call', answer)).result).toMatchObject({ content: [{ text: 'Ada' }] })
  })
})

test('a stream ends when its token expires, and those of others go on', async () => {
  const port = await findPort()
  const url = `http://127.0.0.1:${port}/mcp`
  const box = createServer({ name: 'box', version: '1' }).tool('hello', {}, () => 'hi')
  const gateway = createGateway({ servers: { box, other: createServer({ name: 'other', version: '1' }) } })
  /** The tokens of ada expire a second after each request, so that none expires while the test prepares. */
  const verify = async (token: string) => {
    const expiresAt = Date.now() / 1000 + (token === 'ada' ? 1 : 3600)
    return { issuer: 'test', audience: [url], subject: token, scopes: [], expiresAt }
  }
  const protection = protect({ resource: url, verify: { verify, issuers: ['test'] } })
  const listening = await serve(gateway, { ...protection, port, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await listening.close()
    await gateway.close()
    await box.close()
  })
  const clientInfo = { name: 'raw', version: '1' }
  const post = (user: string, method: string, params: object, more: object): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${user}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const open: { readonly [version: string]: (user: string, protocolVersion: string) => Promise<Response> } = {
    async '2025-11-25'(user, protocolVersion) {
      const initialize = await post(user, 'initialize', { protocolVersion, capabilities: {}, clientInfo }, {})
      await initialize.text()
      const headers = {
        authorization: `Bearer ${user}`,
        accept: 'text/event-stream',
        'mcp-session-id': initialize.headers.get('mcp-session-id') ?? '',
        'mcp-protocol-version': protocolVersion,
      }
      return fetch(url, { headers })
    },
    '2026-07-28'(user, protocolVersion) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': protocolVersion,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const method = 'subscriptions/listen'
      const headers = { 'mcp-protocol-version': protocolVersion, 'mcp-method': method }
      return post(user, method, { notifications: { toolsListChanged: true }, _meta }, headers)
    },
  }
  await Promise.all(
    Object.entries(open).map(async ([version, openStream]) => {
      const [expiring, lasting] = await Promise.all([openStream('ada', version), openStream('eve', version)])
      expect([expiring.status, lasting.status]).toEqual([200, 200])
      await expiring.text()
      const changes = setInterval(() => box.listChanged('tools'), 50)
      onTestFinished(() => clearInterval(changes))
      let received = ''
      for await (const chunk of lasting.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        received += chunk
        if (received.includes('notifications/tools/list_changed')) break
      }
      expect(received).toContain('notifications/tools/list_changed')
    }),
  )
})

test('with 1,000 random policies, the tools that are listed are those that can be called', async () => {
  const random = createRandom(42).below
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const servers = Object.fromEntries(
    ['crm', 'box'].map((name) => {
      const server = createServer({ name, version: '1' })
      for (const tool of ['get_item', 'list_items', 'delete_item'])
        server.tool(
          tool,
          { annotations: { readOnlyHint: tool !== 'delete_item', destructiveHint: tool === 'delete_item' } },
          () => 'done',
        )
      return [name, server]
    }),
  )
  onTestFinished(async () => void (await Promise.all(Object.values(servers).map((server) => server.close()))))
  const names = Object.keys(servers).flatMap((name) =>
    ['get_item', 'list_items', 'delete_item'].map((tool) => `${name}__${tool}`),
  )
  const randomRule = (): AccessRule => {
    const action = pick(['allow', 'deny', 'deny'] as const)
    return {
      do: action,
      ...(random(2) && { tools: pick(['*', 'crm__*', 'box__get*', '*delete*', 'crm__list_items', ['crm__get_item', 'box__*']]) }),
      ...(random(3) === 0 && { servers: pick(['crm', 'box', ['crm', 'box']]), tools: pick(['*', 'get*', 'delete_item']) }),
      ...(action === 'deny' && random(3) === 0 && { annotations: pick([{ destructiveHint: true }, { readOnlyHint: true }]) }),
      ...(random(3) === 0 && { principals: pick(['ada', 'eve', 'a*']) }),
      ...(random(4) === 0 && { unless: { principals: 'ada' } }),
      ...(random(5) === 0 && { scopes: pick(['read', 'write']) }),
      ...(random(5) === 0 && { claims: { groups: ['dev'] } }),
    }
  }
  const gateway = createGateway({ servers })
  const callers: readonly Auth[] = [
    { principal: 'ada', scopes: ['read'] },
    { principal: 'eve', groups: ['dev'] },
    { principal: 'bob', scopes: ['write'], groups: ['ops'] },
  ]
  const clients = await Promise.all(
    callers.map((auth) => connect((request, context) => gateway.exchange(request, { ...context, auth }), { cache: false })),
  )
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await gateway.close()
  })
  let denied = 0
  for (let run = 0; run < 1000; run++) {
    const rules = Array.from({ length: random(6) }, randomRule)
    const policy = accessRules({ default: pick(['allow', 'deny'] as const), rules })
    const client = pick(clients)
    gateway.setPolicy(policy, [])
    const listed = (await client.tools().toArray()).map(({ name }) => name)
    const outcomes = await Promise.all(
      names.map((name) =>
        client.callTool(name, {}).then(
          ({ isError }) => (isError ? undefined : name),
          (error: Error) => {
            expect(error.message).toContain('Unknown tool')
            return undefined
          },
        ),
      ),
    )
    const callable = outcomes.filter((name) => name !== undefined)
    // The tools that search and call see the same.
    gateway.setPolicy(policy, [toolSet({ search: true })])
    const found = await Promise.all(
      names.map((name) =>
        client.callTool('call_tool', { name, arguments: {} }).then(
          ({ isError }) => (isError ? [] : [name]),
          () => [],
        ),
      ),
    )
    expect({ run, rules, listed, found: found.flat() }).toEqual({ run, rules, listed: callable, found: callable })
    denied += names.length - callable.length
  }
  expect(denied).toBeGreaterThan(500)
  expect(denied).toBeLessThan(5500)
})

test('10,000 lists of 20 users: a private list is never shown to another user, and comes from the cache', async () => {
  let fetched = 0
  const box: Exchange = async ({ id, method }, { auth }) => {
    if (method === 'tools/list') fetched++
    const shared = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'private' }
    const result =
      method === 'tools/list'
        ? { ...shared, tools: [{ name: `of_${auth?.principal}`, inputSchema: { type: 'object' } }] }
        : { ...shared, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    return { jsonrpc: '2.0', id, result }
  }
  const gateway = createGateway({ servers: { box, other: createServer({ name: 'other', version: '1' }) } })
  onTestFinished(() => gateway.close())
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const context = { signal: new AbortController().signal, notify() {} }
  const list = async (principal: string): Promise<string[]> => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } } as const
    const response = await gateway.exchange(request, { ...context, auth: { principal } })
    return 'result' in response ? (response.result.tools as { name: string }[]).map(({ name }) => name) : []
  }
  const users = Array.from({ length: 20 }, (_, index) => `user${index}`)
  for (let round = 0; round < 500; round++) {
    const lists = await Promise.all(users.map(list))
    expect(lists).toEqual(users.map((user) => [`box__of_${user}`]))
  }
  expect(fetched).toBe(users.length)
})
