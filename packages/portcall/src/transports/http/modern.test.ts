import { describe, expect, test, vi } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { eventually } from '../../../test-kit/eventually.ts'
import { listen, MODERN, modern, post, write } from '../../../test-kit/raw.ts'

const call = (name: string, args: object = {}, id: string | number = 1) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function ask(bytes: string, options = {}) {
  const { exchange } = createTestCore()
  const { connect } = await listen(exchange, options)
  return connect().send(bytes).answer()
}

describe('an answer', () => {
  test('is one JSON text when nothing else is said', async () => {
    const answer = await ask(modern(call('add', { a: 1, b: 2 })))
    expect(answer).toMatchObject({ status: 200, json: { jsonrpc: '2.0', id: 1, result: { content: [{ text: '3' }] } } })
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('becomes a stream at the first notification', async () => {
    const { exchange } = createTestCore()
    const { connect } = await listen(exchange)
    const raw = connect().send(modern(call('progress')))
    expect((await raw.head()).headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    })
    for (const progress of [1, 2, 3]) expect((await raw.event()).json.params).toMatchObject({ progress })
    expect((await raw.event()).json).toMatchObject({ id: 1, result: { content: [{ text: 'told 3' }] } })
    await raw.until('0\r\n\r\n')
    raw.send(modern(call('echo', { text: 'again' })))
    expect((await raw.answer()).json.result.content[0].text).toBe('again')
  })

  test('is one JSON text, without the notifications, for those who take nothing else (H31)', async () => {
    const answer = await ask(modern(call('progress'), { Accept: 'application/json' }))
    expect(answer.json).toMatchObject({ id: 1, result: {} })
  })

  test('is a stream for those who take nothing else (H31)', async () => {
    const answer = await ask(modern(call('add', { a: 1, b: 2 }), { Accept: 'text/event-stream' }))
    expect(answer.body).toMatch(/^data: \{.*"3".*\}\n\n$/)
  })

  test('is JSON when Accept is missing or takes anything, and 406 when it takes neither (H31)', async () => {
    for (const Accept of [undefined, '*/*', 'application/*'])
      expect((await ask(modern(call('add'), { Accept }))).status).toBe(200)
    const refused = await ask(modern(call('add'), { Accept: 'text/html' }))
    expect(refused).toMatchObject({ status: 406, json: { error: { code: -32600 } } })
  })

  test('that the handler failed to make says nothing of why (H42)', async () => {
    const answer = await ask(modern(call('boom')))
    expect(answer.json.error).toEqual({ code: -32603, message: 'Internal error' })
  })

  test('of an exchange that rejects is an internal error, and is reported', async () => {
    const onError = vi.fn()
    const { connect } = await listen(() => Promise.reject(new Error('secret')), { onError })
    expect(
      (
        await connect()
          .send(modern(call('add')))
          .answer()
      ).json,
    ).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } })
    expect(onError).toHaveBeenCalledOnce()
  })
})

describe('the checks of a request come in order', () => {
  const refuse = async (bytes: string, status: number, code: number) => {
    const answer = await ask(bytes)
    expect({ status: answer.status, code: answer.json?.error.code, id: answer.json?.id }).toEqual({ status, code, id: 1 })
    return answer
  }

  test('M01 Mcp-Method missing, different, or in another case', async () => {
    for (const value of [undefined, 'tools/list', 'TOOLS/CALL', ''])
      await refuse(modern(call('add'), { 'Mcp-Method': value }), 400, -32020)
  })

  test('M02 Mcp-Name missing, different, or in another case', async () => {
    for (const value of [undefined, 'echo', 'ADD', '']) await refuse(modern(call('add'), { 'Mcp-Name': value }), 400, -32020)
    expect(
      (
        await ask(
          modern(call('add', { a: 1, b: 1 }), {
            'Mcp-Name': ' add  ',
            'mcp-method': undefined,
            'MCP-METHOD': 'tools/call',
          } as any),
        )
      ).status,
    ).toBe(400)
    expect((await ask(modern(call('add', { a: 1, b: 1 }), { 'Mcp-Name': ' add  ' }))).status).toBe(200)
  })

  test('M03 the Base64 sentinel', async () => {
    const encode = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
    expect((await ask(modern(call('add'), { 'Mcp-Name': encode('add') }))).status).toBe(200)
    for (const value of [encode('echo'), '=?base64?YWR?=', '=?base64?Y!Rk?=', encode('add').replace('base64', 'BASE64')])
      await refuse(modern(call('add'), { 'Mcp-Name': value }), 400, -32020)
  })

  test('M04 a header that comes twice, in either order', async () => {
    for (const [first, second] of [
      ['add', 'echo'],
      ['echo', 'add'],
      ['add', 'add'],
    ])
      await refuse(modern(call('add'), { 'Mcp-Name': first, 'MCP-NAME': second }), 400, -32020)
    await refuse(modern(call('add'), { 'Mcp-Method': 'tools/call', 'MCP-METHOD': 'tools/list' }), 400, -32020)
    await refuse(modern(call('a, b'), { 'Mcp-Name': 'a', 'MCP-NAME': 'b' }), 400, -32020)
    await refuse(modern(call('add'), { 'MCP-Protocol-Version': MODERN, 'mcp-protocol-version': '2025-06-18' }), 400, -32020)
  })

  test('M05 the version: missing, different, not served', async () => {
    await refuse(modern(call('add'), { 'MCP-Protocol-Version': undefined }), 400, -32020)
    await refuse(modern(call('add'), { 'MCP-Protocol-Version': '2025-06-18' }), 400, -32020)
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const other = { ...call('add'), params: { name: 'add', _meta: meta } }
    const answer = await refuse(modern(other, { 'MCP-Protocol-Version': '2099-01-01' }), 400, -32022)
    expect(answer.json.error.data).toEqual({ supported: [MODERN], requested: '2099-01-01' })
  })

  test('M06 an envelope without capabilities, or with wrong ones', async () => {
    for (const value of [undefined, null, true, 'x', []]) {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': value }
      await refuse(modern({ ...call('add'), params: { name: 'add', _meta: meta } }), 400, -32602)
    }
  })

  test('M12 headers of the stateless era do not go with a body that has no envelope', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...call('add') })
    await refuse(post(body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'safe' }), 400, -32602)
    await refuse(post(body, { 'Mcp-Method': 'tools/list' }), 400, -32020)
    await refuse(post(body, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'safe' }), 400, -32020)
  })

  test('H40 an unknown method', async () => {
    await refuse(modern({ id: 1, method: 'no/such' }), 404, -32601)
    for (const method of ['constructor', '__proto__', 'initialize', 'ping']) await refuse(modern({ id: 1, method }), 404, -32601)
  })

  test('an error of a handler is an answer like any other', async () => {
    await refuse(modern(call('no-such-tool')), 200, -32602)
  })
})

describe('what a modern endpoint does not have', () => {
  test('M07 GET and DELETE, session ids', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { Accept: 'text/event-stream', 'MCP-Protocol-Version': MODERN, 'Mcp-Session-Id': 'x' }
      const answer = await ask(write(method, headers))
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' }, json: { error: {} } })
    }
    const answer = await ask(modern(call('add'), { 'Mcp-Session-Id': 'chosen', 'Last-Event-ID': 'x' }))
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
    expect((await ask(write('GET', { Accept: 'text/event-stream' }), { legacy: 'off' })).status).toBe(405)
  })

  test('responses: 400; notifications: 202 without a body', async () => {
    const headers = { 'MCP-Protocol-Version': MODERN }
    expect((await ask(post('{"jsonrpc":"2.0","id":1,"result":{}}', headers))).status).toBe(400)
    expect(await ask(post('{"jsonrpc":"2.0","method":"notifications/whatever"}', headers))).toMatchObject({
      status: 202,
      body: '',
    })
    expect((await ask(post('[]', headers))).status).toBe(400)
  })
})

describe('ids', () => {
  test('M13 0, "" and one that was used before are as good as any', async () => {
    const { exchange } = createTestCore()
    const raw = (await listen(exchange)).connect()
    for (const id of [0, '', 0, -1, '0', 7, 7]) expect((await raw.send(modern(call('add', {}, id))).answer()).json.id).toBe(id)
  })

  test('H44, H45 the same id on two connections gets two answers', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const first = connect().send(modern(call('hold', { name: 'a' })))
    await eventually(() => expect(core.events).toEqual(['start a']))
    const second = connect().send(modern(call('echo', { text: 'b' })))
    expect((await second.answer()).json.result.content[0].text).toBe('b')
    core.release()
    expect((await first.answer()).json.result.content[0].text).toBe('a')
  })
})

describe('a caller who goes away', () => {
  test('H47 cancels the call', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const raw = connect().send(modern(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    await raw.end()
    await eventually(() => expect([core.events, core.running]).toEqual([['start hold', 'abort hold'], 0]))
  })

  test('H48 cancels it in the middle of a stream, and nothing more is written', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const raw = connect().send(modern(call('hold', { say: true })))
    await raw.head()
    await raw.event()
    await raw.end()
    await eventually(() => expect([core.events, core.running]).toEqual([['start hold', 'abort hold'], 0]))
    expect(core.last?.notify({ jsonrpc: '2.0', method: 'notifications/progress' })).toBeUndefined()
  })

  test('H47 is told to all who listen, with a signal or without, and to those who come late', async () => {
    const told: string[] = []
    let late: unknown
    const { connect } = await listen(async ({ id }, context) => {
      const left = context.onAbort?.(() => told.push('one who has left'))
      context.onAbort?.(() => told.push('listener'))
      context.signal.addEventListener('abort', () => told.push('signal'))
      left?.()
      told.push('begun')
      while (told.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
      try {
        context.onAbort?.(() => told.push('late'))
      } catch (reason) {
        late = reason
      }
      return { jsonrpc: '2.0', id, result: {} }
    })
    const raw = connect().send(modern(call('hold')))
    await vi.waitFor(() => expect(told).toEqual(['begun']))
    await raw.end()
    await vi.waitFor(() => expect(late).toMatchObject({ name: 'AbortError' }))
    expect(told.slice(1).sort()).toEqual(['listener', 'signal'])
  })

  test('who got the whole answer cancels nothing', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange)
    const raw = connect().send(modern(call('hold', { say: true })))
    await raw.until('"progress":1')
    core.release()
    await raw.until('0\r\n\r\n')
    await raw.end()
    expect(core.events).toEqual(['start hold'])
  })
})

describe('subscriptions', () => {
  const subscribe = (id = 1) =>
    modern({ id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } })

  test('stay open, are kept alive, and end with a result', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange, { keepAliveMs: 20 })
    const raw = connect().send(subscribe())
    await raw.head()
    expect((await raw.event()).json.method).toBe('notifications/subscriptions/acknowledged')
    await raw.until(':\n\n')
    core.change()
    await raw.until('notifications/tools/list_changed')
    core.end()
    await raw.until('"resultType":"complete"')
    await raw.until('0\r\n\r\n')
  })

  test('M10 are limited before they begin', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange, { maxSubscriptions: 2 })
    const open = [connect().send(subscribe()), connect().send(subscribe())]
    for (const raw of open) await raw.until('acknowledged')
    expect(await connect().send(subscribe(3)).answer()).toMatchObject({ status: 429, json: { id: 3, error: { code: -32603 } } })
    await open[0]?.end()
    await eventually(() => expect(core.listening).toBe(1))
    await connect().send(subscribe()).until('acknowledged')
  })

  test('are requests that are being answered, until their end', async () => {
    const core = createTestCore()
    const { connect } = await listen(core.exchange, { maxRequests: 1 })
    const open = connect().send(subscribe())
    await open.until('acknowledged')
    expect((await connect().send(subscribe(2)).answer()).status).toBe(503)
    core.end()
    await open.until('0\r\n\r\n')
    expect((await open.send(modern(call('add'))).answer()).status).toBe(200)
  })

  test('need a reader of streams', async () => {
    const bytes = modern({ id: 1, method: 'subscriptions/listen', params: { notifications: {} } }, { Accept: 'application/json' })
    expect((await ask(bytes)).status).toBe(406)
  })
})

describe('mirrored params', () => {
  test('M08 are read by the core; one that came twice is refused', async () => {
    const answer = await ask(modern(call('header', { region: 'eu' }), { 'Mcp-Param-Region': 'eu' }))
    expect(answer.json.result.content[0].text).toBe('eu eu')
    const twice = await ask(modern(call('header', { region: 'eu' }), { 'Mcp-Param-Region': 'eu', 'MCP-PARAM-REGION': 'us' }))
    expect(twice).toMatchObject({ status: 400, json: { id: 1, error: { code: -32020 } } })
  })
})

test('the headers of the request reach the handler', async () => {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, {
    authenticate: ({ header }) => ({ principal: header('authorization') ?? '' }),
  })
  await connect()
    .send(modern(call('add'), { Authorization: 'Bearer x', 'X-Y': '1' }))
    .answer()
  expect(core.last?.http?.header('x-y')).toBe('1')
  expect(core.last?.auth).toEqual({ principal: 'Bearer x' })
})
