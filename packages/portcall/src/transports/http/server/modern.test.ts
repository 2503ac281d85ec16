import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../../test-kit/eventually.ts'
import { listen, MODERN_VERSION, modernPost, post, writeRequest } from '../../../../test-kit/raw-connection.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'
import { RpcError } from '../../../jsonrpc/errors.ts'
import { markUnavailable, retryData } from '../../../jsonrpc/retryable.ts'

const call = (name: string, args: object = {}, id: string | number = 1) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function ask(bytes: string, options = {}) {
  const { exchange } = createTestCore()
  const { connect } = await listen(exchange, options)
  return connect().send(bytes).response()
}

describe('a response', () => {
  test('is JSON without notifications', async () => {
    const answer = await ask(modernPost(call('add', { a: 1, b: 2 })))
    expect(answer).toMatchObject({ status: 200, json: { jsonrpc: '2.0', id: 1, result: { content: [{ text: '3' }] } } })
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('becomes a stream at the first notification', async () => {
    const { exchange } = createTestCore()
    const { connect } = await listen(exchange)
    const raw = connect().send(modernPost(call('progress')))
    expect((await raw.head()).headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    })
    for (const progress of [1, 2, 3]) expect((await raw.event()).json.params).toMatchObject({ progress })
    expect((await raw.event()).json).toMatchObject({ id: 1, result: { content: [{ text: 'sent 3' }] } })
    await raw.until('0\r\n\r\n')
    raw.send(modernPost(call('echo', { text: 'again' })))
    expect((await raw.response()).json.result.content[0].text).toBe('again')
  })

  test('is JSON, without the notifications, for clients that accept only JSON (H31)', async () => {
    const answer = await ask(modernPost(call('progress'), { Accept: 'application/json' }))
    expect(answer.json).toMatchObject({ id: 1, result: {} })
  })

  test('is a stream for clients that accept only streams (H31)', async () => {
    const answer = await ask(modernPost(call('add', { a: 1, b: 2 }), { Accept: 'text/event-stream' }))
    expect(answer.body).toMatch(/^data: \{.*"3".*\}\n\n$/)
  })

  test('is JSON if Accept is missing or accepts anything, and 406 if it accepts neither (H31)', async () => {
    for (const Accept of [undefined, '*/*', 'application/*'])
      expect((await ask(modernPost(call('add'), { Accept }))).status).toBe(200)
    const rejected = await ask(modernPost(call('add'), { Accept: 'text/html' }))
    expect(rejected).toMatchObject({ status: 406, json: { error: { code: -32600 } } })
  })

  test('to a handler error reveals no cause (H42)', async () => {
    const answer = await ask(modernPost(call('boom')))
    expect(answer.json.error).toEqual({ code: -32603, message: 'Internal error' })
  })

  test('that says that the server is unavailable has the status 503, unless it has begun', async () => {
    const { connect } = await listen(async ({ id, method }, context) => {
      if (method === 'prompts/list') await context.notify({ jsonrpc: '2.0', method: 'notifications/message' })
      return markUnavailable(new RpcError(-32603, 'The store is unavailable', retryData()).response(id))
    })
    const json = { error: { code: -32603, data: { retryAfterMs: 1000 } } }
    const headers = { 'retry-after': '1', 'content-type': 'application/json' }
    const answer = await connect()
      .send(modernPost({ id: 1, method: 'tools/list' }))
      .response()
    expect(answer).toMatchObject({ status: 503, headers, json })
    const begun = connect().send(modernPost({ id: 1, method: 'prompts/list' }))
    expect((await begun.head()).status).toBe(200)
    await begun.event()
    expect((await begun.event()).json).toMatchObject(json)
  })

  test('of an exchange that rejects is an internal error, which is reported', async () => {
    const onError = vi.fn()
    const { connect } = await listen(() => Promise.reject(new Error('secret')), { onError })
    expect(
      (
        await connect()
          .send(modernPost(call('add')))
          .response()
      ).json,
    ).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } })
    expect(onError).toHaveBeenCalledOnce()
  })
})

describe('request validation', () => {
  const expectError = async (bytes: string, status: number, code: number) => {
    const answer = await ask(bytes)
    expect({ status: answer.status, code: answer.json?.error.code, id: answer.json?.id }).toEqual({ status, code, id: 1 })
    return answer
  }

  test('M01 Mcp-Method missing, different, or in another case', async () => {
    for (const value of [undefined, 'tools/list', 'TOOLS/CALL', ''])
      await expectError(modernPost(call('add'), { 'Mcp-Method': value }), 400, -32020)
  })

  test('M02 Mcp-Name missing, different, or in another case', async () => {
    for (const value of [undefined, 'echo', 'ADD', ''])
      await expectError(modernPost(call('add'), { 'Mcp-Name': value }), 400, -32020)
    expect(
      (
        await ask(
          modernPost(call('add', { a: 1, b: 1 }), {
            'Mcp-Name': ' add  ',
            'mcp-method': undefined,
            'MCP-METHOD': 'tools/call',
          } as any),
        )
      ).status,
    ).toBe(400)
    expect((await ask(modernPost(call('add', { a: 1, b: 1 }), { 'Mcp-Name': ' add  ' }))).status).toBe(200)
  })

  test('M03 the Base64 sentinel', async () => {
    const encode = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
    expect((await ask(modernPost(call('add'), { 'Mcp-Name': encode('add') }))).status).toBe(200)
    for (const value of [encode('echo'), '=?base64?YWR?=', '=?base64?Y!Rk?=', encode('add').replace('base64', 'BASE64')])
      await expectError(modernPost(call('add'), { 'Mcp-Name': value }), 400, -32020)
  })

  test('M04 repeated headers, in either order', async () => {
    for (const [first, second] of [
      ['add', 'echo'],
      ['echo', 'add'],
      ['add', 'add'],
    ])
      await expectError(modernPost(call('add'), { 'Mcp-Name': first, 'MCP-NAME': second }), 400, -32020)
    await expectError(modernPost(call('add'), { 'Mcp-Method': 'tools/call', 'MCP-METHOD': 'tools/list' }), 400, -32020)
    await expectError(modernPost(call('a, b'), { 'Mcp-Name': 'a', 'MCP-NAME': 'b' }), 400, -32020)
    await expectError(
      modernPost(call('add'), { 'MCP-Protocol-Version': MODERN_VERSION, 'mcp-protocol-version': '2025-06-18' }),
      400,
      -32020,
    )
  })

  test('M05 the version: missing, different, unsupported', async () => {
    await expectError(modernPost(call('add'), { 'MCP-Protocol-Version': undefined }), 400, -32020)
    await expectError(modernPost(call('add'), { 'MCP-Protocol-Version': '2025-06-18' }), 400, -32020)
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const other = { ...call('add'), params: { name: 'add', _meta: meta } }
    const answer = await expectError(modernPost(other, { 'MCP-Protocol-Version': '2099-01-01' }), 400, -32022)
    expect(answer.json.error.data).toEqual({ supported: [MODERN_VERSION], requested: '2099-01-01' })
    for (const _meta of [undefined, meta]) {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
      await expectError(post(message, { 'MCP-Protocol-Version': '2099-01-01' }), 400, -32022)
    }
  })

  test('M06 an envelope without capabilities, or with invalid ones', async () => {
    for (const value of [undefined, null, true, 'x', []]) {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': value }
      await expectError(modernPost({ ...call('add'), params: { name: 'add', _meta: meta } }), 400, -32602)
    }
  })

  test('M12 headers of the modern era with a body without envelope', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...call('add') })
    await expectError(
      post(body, { 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'safe' }),
      400,
      -32602,
    )
    await expectError(post(body, { 'Mcp-Method': 'tools/list' }), 400, -32020)
    await expectError(post(body, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'safe' }), 400, -32020)
  })

  test('H40 an unknown method', async () => {
    await expectError(modernPost({ id: 1, method: 'no/such' }), 404, -32601)
    for (const method of ['constructor', '__proto__', 'initialize', 'ping'])
      await expectError(modernPost({ id: 1, method }), 404, -32601)
  })

  test('an error of a handler has status 200', async () => {
    await expectError(modernPost(call('no-such-tool')), 200, -32602)
  })
})

describe('legacy features at a modern endpoint', () => {
  test('M07 GET and DELETE, session ids', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { Accept: 'text/event-stream', 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Session-Id': 'x' }
      const answer = await ask(writeRequest(method, headers))
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' }, json: { error: {} } })
    }
    const answer = await ask(modernPost(call('add'), { 'Mcp-Session-Id': 'chosen', 'Last-Event-ID': 'x' }))
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
  })

  test('M11 a handshake, when the legacy era is off', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    expect(await ask(post(body), { legacy: 'off' })).toMatchObject({ status: 400, json: { id: 1, error: { code: -32020 } } })
    expect((await ask(writeRequest('GET', { Accept: 'text/event-stream' }), { legacy: 'off' })).status).toBe(405)
  })

  test('responses: 400; notifications: 202 without a body', async () => {
    const headers = { 'MCP-Protocol-Version': MODERN_VERSION }
    expect((await ask(post('{"jsonrpc":"2.0","id":1,"result":{}}', headers))).status).toBe(400)
    expect(await ask(post('{"jsonrpc":"2.0","method":"notifications/whatever"}', headers))).toMatchObject({
      status: 202,
      body: '',
    })
    expect((await ask(post('[]', headers))).status).toBe(400)
  })
})

describe('ids', () => {
  test('M13 may be 0, "" or repeated', async () => {
    const { exchange } = createTestCore()
    const raw = (await listen(exchange)).connect()
    for (const id of [0, '', 0, -1, '0', 7, 7])
      expect((await raw.send(modernPost(call('add', {}, id))).response()).json.id).toBe(id)
  })

  test('H44, H45 may be equal on two connections', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const first = connect().send(modernPost(call('hold', { name: 'a' })))
    await eventually(() => expect(core.events).toEqual(['start a']))
    const second = connect().send(modernPost(call('echo', { text: 'b' })))
    expect((await second.response()).json.result.content[0].text).toBe('b')
    core.release()
    expect((await first.response()).json.result.content[0].text).toBe('a')
  })
})

describe('a client that disconnects', () => {
  test('H47 cancels the call', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const raw = connect().send(modernPost(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    await raw.close()
    await eventually(() => expect([core.events, core.running]).toEqual([['start hold', 'abort hold'], 0]))
  })

  test('H48 cancels the call during a stream, and nothing more is written', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const raw = connect().send(modernPost(call('hold', { notify: true })))
    await raw.head()
    await raw.event()
    await raw.close()
    await eventually(() => expect([core.events, core.running]).toEqual([['start hold', 'abort hold'], 0]))
    expect(core.lastContext?.notify({ jsonrpc: '2.0', method: 'notifications/progress' })).toBeUndefined()
  })

  test('H47 notifies abort listeners, the signal, and listeners that are added later', async () => {
    const calls: string[] = []
    let lateReason: unknown
    const { connect } = await listen(async ({ id }, context) => {
      const unsubscribe = context.onAbort?.(() => calls.push('unsubscribed'))
      context.onAbort?.(() => calls.push('listener'))
      context.signal.addEventListener('abort', () => calls.push('signal'))
      unsubscribe?.()
      calls.push('started')
      while (calls.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
      context.onAbort?.((reason) => (lateReason = reason))
      return { jsonrpc: '2.0', id, result: {} }
    })
    const raw = connect().send(modernPost(call('hold')))
    await eventually(() => expect(calls).toEqual(['started']))
    await raw.close()
    await eventually(() => expect(lateReason).toMatchObject({ name: 'AbortError' }))
    expect(calls.slice(1).sort()).toEqual(['listener', 'signal'])
  })

  test('cancels nothing after the complete response', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const raw = connect().send(modernPost(call('hold', { notify: true })))
    await raw.until('"progress":1')
    core.release()
    await raw.until('0\r\n\r\n')
    await raw.close()
    expect(core.events).toEqual(['start hold'])
  })
})

describe('subscriptions', () => {
  const subscribe = (id = 1) =>
    modernPost({ id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } })

  test('stay open with heartbeats, and end with a result', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange, { heartbeatIntervalMs: 20 })
    const raw = connect().send(subscribe())
    await raw.head()
    expect((await raw.event()).json.method).toBe('notifications/subscriptions/acknowledged')
    await raw.until(':\n\n')
    core.notifyChange()
    await raw.until('notifications/tools/list_changed')
    core.endSubscriptions()
    await raw.until('"resultType":"complete"')
    await raw.until('0\r\n\r\n')
  })

  test('M10 are limited', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange, { maxSubscriptions: 2 })
    const open = [connect().send(subscribe()), connect().send(subscribe())]
    for (const raw of open) await raw.until('acknowledged')
    expect(await connect().send(subscribe(3)).response()).toMatchObject({ status: 429, json: { id: 3, error: { code: -32603 } } })
    await open[0]?.close()
    await eventually(() => expect(core.subscriptions).toBe(1))
    await connect().send(subscribe()).until('acknowledged')
  })

  test('of one principal are limited, and leave places for others', async () => {
    const core = createTestCore()
    let principal = 'eve'
    const { connect } = await listen(core.exchange, { maxPrincipalSubscriptions: 2, authenticate: () => ({ principal }) })
    const open = [connect().send(subscribe()), connect().send(subscribe())]
    for (const raw of open) await raw.until('acknowledged')
    expect((await connect().send(subscribe(3)).response()).status).toBe(429)
    principal = 'ada'
    await connect().send(subscribe()).until('acknowledged')
    await open[0]?.close()
    await eventually(() => expect(core.subscriptions).toBe(2))
    principal = 'eve'
    await connect().send(subscribe()).until('acknowledged')
  })

  test('EVT-047 do not count as running requests: they have limits of their own', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange, { maxRequests: 1 })
    const open = [connect().send(subscribe()), connect().send(subscribe(2))]
    for (const raw of open) await raw.until('acknowledged')
    expect(
      (
        await connect()
          .send(modernPost(call('add')))
          .response()
      ).status,
    ).toBe(200)
    core.endSubscriptions()
    await open[0]?.until('0\r\n\r\n')
    expect((await open[0]?.send(modernPost(call('add'))).response())?.status).toBe(200)
  })

  test('require a client that accepts event streams', async () => {
    const bytes = modernPost(
      { id: 1, method: 'subscriptions/listen', params: { notifications: {} } },
      { Accept: 'application/json' },
    )
    expect((await ask(bytes)).status).toBe(406)
  })
})

describe('params in headers', () => {
  test('M08 are read by the core; a repeated one is rejected', async () => {
    const answer = await ask(modernPost(call('header', { region: 'eu' }), { 'Mcp-Param-Region': 'eu' }))
    expect(answer.json.result.content[0].text).toBe('eu eu')
    const twice = await ask(modernPost(call('header', { region: 'eu' }), { 'Mcp-Param-Region': 'eu', 'MCP-PARAM-REGION': 'us' }))
    expect(twice).toMatchObject({ status: 400, json: { id: 1, error: { code: -32020 } } })
  })
})

test('the handler can read the headers of the request', async () => {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, {
    authenticate: ({ header }) => ({ principal: header('authorization') ?? '' }),
  })
  await connect()
    .send(modernPost(call('add'), { Authorization: 'Bearer x', 'X-Y': '1' }))
    .response()
  expect(core.lastContext?.http?.header('x-y')).toBe('1')
  expect(core.lastContext?.auth).toEqual({ principal: 'Bearer x' })
})
