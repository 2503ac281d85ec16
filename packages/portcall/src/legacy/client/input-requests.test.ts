import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { callerFor, openClient } from '../../../test-kit/legacy/client.ts'
import { createScriptedLegacyServer, type ScriptedReply } from '../../../test-kit/legacy/scripted-server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import type { UnexpectedMessage } from '../../jsonrpc/unexpected-message.ts'
import { MetaKey } from '../../protocol/meta.ts'

describe('messages of the server', () => {
  test('LIFE-027: ping is answered at any time, even before the handshake', async () => {
    const server = createScriptedLegacyServer({ initialize: undefined as unknown as ScriptedReply })
    const opening = openClient(server.channel)
    expect(await server.request('ping', undefined, 0)).toEqual({ jsonrpc: '2.0', id: 0, result: {} })
    const id = (server.received[0] as Request).id
    server.send({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: {} } })
    await opening
    expect(await server.request('ping', undefined, '')).toEqual({ jsonrpc: '2.0', id: '', result: {} })
  })

  test('input requests are answered before `initialized`, and without an open call', async () => {
    const server = createScriptedLegacyServer({ initialize: undefined as unknown as ScriptedReply })
    const opening = openClient(server.channel)
    expect(await server.request('roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///here' }] } })
    server.send({
      jsonrpc: '2.0',
      id: (server.received[0] as Request).id,
      result: { protocolVersion: '2025-06-18', capabilities: {} },
    })
    await opening
    expect(await server.request('sampling/createMessage', { messages: [], maxTokens: 1 })).toMatchObject({
      result: { content: { type: 'text', text: 'hello' } },
    })
  })

  test('the handler receives params of the newest revision, the server results of its own', async () => {
    const server = createScriptedLegacyServer()
    const handleInputRequest = vi.fn(
      async (method: string, _params: JsonObject): Promise<JsonObject> =>
        method === 'elicitation/create' ? { action: 'decline', content: { a: 1 } } : { resultType: 'complete', roots: [] },
    )
    await openClient(server.channel, { handleInputRequest })
    const elicitation = {
      mode: 'url',
      message: 'm',
      url: 'https://x.example/',
      elicitationId: 'e1',
      _meta: { [MetaKey.subscriptionId]: 1, mine: 2 },
      title: null,
    }
    expect(await server.request('elicitation/create', elicitation)).toMatchObject({ result: { action: 'decline' } })
    expect(handleInputRequest.mock.calls[0]?.slice(0, 2)).toEqual([
      'elicitation/create',
      { mode: 'url', message: 'm', url: 'https://x.example/', _meta: { mine: 2 } },
    ])
    await server.request('sampling/createMessage', {
      messages: [{ role: 'user', content: { text: 'untyped', annotations: null } }],
      maxTokens: 5,
      temperature: null,
    })
    expect(handleInputRequest.mock.calls[1]?.slice(0, 2)).toEqual([
      'sampling/createMessage',
      { messages: [{ role: 'user', content: { type: 'text', text: 'untyped' } }], maxTokens: 5 },
    ])
    expect(await server.request('roots/list', null)).toEqual({
      jsonrpc: '2.0',
      id: expect.any(String) as string,
      result: { roots: [] },
    })
  })

  test('undeclared requests are unknown methods; failures have no details', async () => {
    const server = createScriptedLegacyServer()
    const handleInputRequest = async (method: string): Promise<JsonObject> => {
      throw method === 'roots/list' ? new Error('secret') : new RpcError(-1, 'User rejected')
    }
    await openClient(server.channel, { capabilities: { roots: {}, sampling: {} }, handleInputRequest })
    expect(await server.request('elicitation/create', {})).toMatchObject({ error: { code: -32601 } })
    expect(await server.request('tasks/get', {})).toMatchObject({ error: { code: -32601 } })
    expect(await server.request('constructor')).toMatchObject({ error: { code: -32601 } })
    expect(await server.request('sampling/createMessage', {})).toMatchObject({ error: { code: -1, message: 'User rejected' } })
    const failed = await server.request('roots/list')
    expect(failed).toMatchObject({ error: { code: -32603 } })
    expect(JSON.stringify(failed)).not.toContain('secret')
  })

  test('a cancelled input request is not answered', async () => {
    const server = createScriptedLegacyServer()
    const signals: AbortSignal[] = []
    const handleInputRequest = (_: string, __: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
      signals.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ action: 'cancel' })))
    }
    const client = await openClient(server.channel, { handleInputRequest })
    void server.request('elicitation/create', {}, 9)
    await eventually(() => expect(signals.length).toBe(1))
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })
    await eventually(() => expect(signals[0]?.aborted).toBe(true))
    void server.request('elicitation/create', {}, 10)
    await eventually(() => expect(signals.length).toBe(2))
    await client.close()
    expect(signals[1]?.aborted).toBe(true)
    expect(server.received.some((message) => 'id' in message && (message.id === 9 || message.id === 10))).toBe(false)
  })

  test('C02, C07, C08, C09: invalid messages are reported, and an invalid response fails its request', async () => {
    const server = createScriptedLegacyServer()
    const unexpected: UnexpectedMessage[] = []
    const client = await openClient(server.channel, { onUnexpectedMessage: (message) => unexpected.push(message) })
    const { request } = callerFor(client)
    const pending = request('tools/list')
    await eventually(() => expect(server.methods()).toContain('tools/list'))
    const { id } = server.received.find((message) => 'method' in message && message.method === 'tools/list') as Request
    for (const invalid of [42, 'x', null, {}, [], { hello: 1 }]) server.send(invalid)
    for (const other of [`${String(id)}`, `${String(id)}.0`, ` ${String(id)} `, null, '__proto__', 99])
      server.send({ jsonrpc: '2.0', id: other, result: {} })
    server.send({ jsonrpc: '2.0', id, result: { tools: [] } })
    server.send({ jsonrpc: '2.0', id, result: { tools: [{ name: 'twice' }] } })
    expect(await pending).toMatchObject({ result: { tools: [] } })
    expect(unexpected.map(({ kind }) => kind)).toEqual([
      'message',
      'message',
      'message',
      'message',
      'message',
      'message',
      'message',
    ])
    const both = request('tools/list')
    await eventually(() => expect(server.methods().filter((method) => method === 'tools/list').length).toBe(2))
    const last = server.received.at(-1) as Request
    server.send({ jsonrpc: '2.0', id: last.id, result: {}, error: { code: 1, message: 'both' } })
    await expect(both).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(server.received.some((message) => 'error' in message)).toBe(false)
  })

  test('C10: keys of prototypes are data', async () => {
    const server = createScriptedLegacyServer({
      'tools/call': () =>
        JSON.parse('{"content":[],"structuredContent":{"__proto__":{"a":1}},"constructor":{"prototype":{}}}') as unknown,
    })
    const result = await callerFor(await openClient(server.channel)).result('tools/call', { name: 'x' })
    expect(JSON.stringify(result.structuredContent)).toBe('{"__proto__":{"a":1}}')
    expect(({} as JsonObject).a).toBeUndefined()
  })

  test('a batch of responses is read in every revision', async () => {
    const server = createScriptedLegacyServer()
    const { request } = callerFor(await openClient(server.channel))
    const both = Promise.all([request('tools/list'), request('prompts/list')])
    await eventually(() => expect(server.methods()).toContain('prompts/list'))
    const ids = server.received.filter((message) => 'method' in message && 'id' in message).slice(-2) as Request[]
    server.send(ids.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })))
    expect(await both).toMatchObject([{ result: { tools: [] } }, { result: { prompts: [] } }])
  })
})
