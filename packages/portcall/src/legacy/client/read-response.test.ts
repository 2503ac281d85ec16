import { describe, expect, test } from 'vitest'
import { CLIENT_INFO, callerFor, openClient } from '../../../test-kit/legacy/client.ts'
import { createScriptedLegacyServer } from '../../../test-kit/legacy/scripted-server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'

describe('results', () => {
  test('70.5: null fields, absent lists and empty cursors are accepted', async () => {
    const server = createScriptedLegacyServer({
      'tools/list': () => ({
        nextCursor: '',
        _meta: null,
        tools: [
          { name: 't', description: null, outputSchema: null, annotations: { title: null, readOnlyHint: true } },
          'junk',
          { name: 'u', inputSchema: { default: null } },
        ],
      }),
      'prompts/list': () => ({
        prompts: [{ name: 'p', arguments: [{ name: 'a', required: null }], icons: null }],
        nextCursor: null,
      }),
      'resources/list': () => ({ resources: null }),
      'resources/templates/list': () => ({}),
      'resources/read': () => ({ contents: { uri: 'x:', text: 'one', mimeType: null } }),
      'prompts/get': () => ({ description: null, messages: [{ role: 'user', content: { text: 'untyped' } }] }),
      'completion/complete': () => ({ completion: { values: null, total: null } }),
    })
    const { result } = callerFor(await openClient(server.channel))
    expect(await result('tools/list')).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      tools: [
        { name: 't', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
        'junk',
        { name: 'u', inputSchema: { default: null } },
      ],
    })
    expect(await result('prompts/list')).toMatchObject({ prompts: [{ name: 'p', arguments: [{ name: 'a' }] }] })
    expect(await result('resources/list')).toMatchObject({ resources: [] })
    expect(await result('resources/templates/list')).toMatchObject({ resourceTemplates: [] })
    expect(await result('resources/read', { uri: 'x:' })).toMatchObject({ contents: [{ uri: 'x:', text: 'one' }] })
    expect(await result('prompts/get', { name: 'p' })).toEqual({
      resultType: 'complete',
      messages: [{ role: 'user', content: { type: 'text', text: 'untyped' } }],
    })
    expect(await result('completion/complete', {})).toMatchObject({ completion: { values: [] } })
  })

  test('70.5: tool results without content, with unknown blocks and with null are accepted', async () => {
    const results: unknown[] = [
      { structuredContent: { a: null } },
      {},
      { content: null, isError: null, structuredContent: null, resultType: 'unknown' },
      {
        content: [
          { text: 'untyped' },
          { type: 'hologram', data: 1 },
          { type: 'resource', resource: { uri: 'x:', blob: 'AA==', mimeType: null }, annotations: null },
        ],
      },
      { content: { type: 'text', text: 'single' } },
    ]
    const server = createScriptedLegacyServer({ 'tools/call': () => results.shift() })
    const { result } = callerFor(await openClient(server.channel))
    const call = (): Promise<JsonObject> => result('tools/call', { name: 't' })
    expect(await call()).toEqual({ resultType: 'complete', content: [], structuredContent: { a: null } })
    expect(await call()).toEqual({ resultType: 'complete', content: [] })
    expect(await call()).toEqual({ resultType: 'complete', content: [] })
    expect(await call()).toEqual({
      resultType: 'complete',
      content: [
        { type: 'text', text: 'untyped' },
        { type: 'hologram', data: 1 },
        { type: 'resource', resource: { uri: 'x:', blob: 'AA==' } },
      ],
    })
    expect(await call()).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'single' }] })
  })

  test('requests are sent without fields of the newest revision', async () => {
    const server = createScriptedLegacyServer({ 'tools/call': () => ({ content: [] }) })
    const { result } = callerFor(await openClient(server.channel), {
      traceparent: '00-1',
      progressToken: 'p',
      [MetaKey.clientInfo]: CLIENT_INFO,
    })
    await result('tools/call', { name: 't', inputResponses: { a: {} }, requestState: undefined })
    const { params } = server.received.at(-1) as Request
    expect(params).toEqual({ name: 't', _meta: { traceparent: '00-1', progressToken: expect.any(Number) as number } })
    await callerFor(await openClient(createScriptedLegacyServer().channel))
      .request('ping', {}, { signal: AbortSignal.timeout(5) })
      .catch(() => {})
  })

  test('50.10: -32002 has the URI of the error, or of the request', async () => {
    const errors = [
      new RpcError(-32002, 'not found', { uri: 'other:' }),
      new RpcError(-32002, 'not found'),
      new RpcError(-32602, 'not found', { a: 1 }),
    ]
    const server = createScriptedLegacyServer({
      'resources/read': () => {
        throw errors.shift() as RpcError
      },
      'tools/call': () => {
        throw new RpcError(-32002, 'of its own')
      },
    })
    const { error } = callerFor(await openClient(server.channel))
    expect(await error('resources/read', { uri: 'mine:' })).toEqual({
      code: -32602,
      message: 'not found',
      data: { uri: 'other:' },
    })
    expect(await error('resources/read', { uri: 'mine:' })).toEqual({
      code: -32602,
      message: 'not found',
      data: { uri: 'mine:' },
    })
    expect(await error('resources/read', { uri: 'mine:' })).toEqual({ code: -32602, message: 'not found', data: { a: 1 } })
    expect(await error('tools/call', { name: 't' })).toMatchObject({ code: -32002 })
  })
})
