/** The Events extension over real transports, and for clients of older revisions. */
import { createServer } from 'portcall'
import { type EventsOptions, events } from 'portcall/events'
import type { HttpOptions } from 'portcall/http'
import type { JsonObject } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function openShop(options: EventsOptions = {}, http: Partial<HttpOptions> = {}) {
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [events(options)] })
  const created = server.event('order.created', {
    description: 'A new order',
    payload: z.object({ orderId: z.string() }),
  })
  const { url, close } = await serve(server, { ...http, port: 0 })
  onTestFinished(() => close())
  const post = (message: JsonObject, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal && { signal }),
    })
  const modern = (id: string | number, method: string, params: JsonObject, signal?: AbortSignal) =>
    post(
      { id, method, params: { _meta: META, ...params } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      signal,
    )
  return { server, created, post, modern }
}

/** Reads the messages of an event stream, and what is no message. */
function readMessages(response: Response) {
  const messages: JsonObject[] = []
  const comments: string[] = []
  let rest = ''
  const done = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('data: ')) messages.push(JSON.parse(line.slice('data: '.length)))
        else if (line.startsWith(':')) comments.push(line)
      }
    }
  })().catch(() => {})
  return { messages, comments, done }
}

describe('events over HTTP', () => {
  test('EVT-036 EVT-038 EVT-044 a stream carries its events and heartbeats as messages, and ends when the client goes', async () => {
    const { created, modern } = await openShop({ limits: { heartbeatIntervalMs: 50, maxStreams: 1 } })
    const controller = new AbortController()
    const response = await modern('s-1', 'events/stream', { name: 'order.created' }, controller.signal)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const { messages } = readMessages(response)
    await eventually(() => expect(messages[0]?.method).toBe('notifications/events/active'))
    for (let at = 0; at < 50; at++) await created.emit({ orderId: String(at) })
    const events = () => messages.filter(({ method }) => method === 'notifications/events/event')
    await eventually(() => expect(events()).toHaveLength(50))
    await eventually(() => expect(messages.at(-1)?.method).toBe('notifications/events/heartbeat'))
    expect(events().map(({ params }) => (params as { data: JsonObject }).data.orderId)).toEqual(
      Array.from({ length: 50 }, (_, at) => String(at)),
    )
    for (const { params } of messages)
      expect(params).toMatchObject({ _meta: { 'io.modelcontextprotocol/subscriptionId': 's-1' }, cursor: expect.any(String) })
    const refused = await (await modern(2, 'events/stream', { name: 'order.created' })).text()
    expect(refused).toContain('-32025')
    controller.abort()
    await eventually(async () => {
      const again = new AbortController()
      const text = readMessages(await modern(3, 'events/stream', { name: 'order.created' }, again.signal))
      await eventually(() => expect(text.messages[0]).toBeDefined())
      again.abort()
      expect(text.messages[0]?.method).toBe('notifications/events/active')
    })
  })

  test('EVT-047 streams are not requests in flight', async () => {
    const { modern, created } = await openShop({}, { maxRequests: 2, maxPrincipalRequests: 2 })
    const read: ReturnType<typeof readMessages>[] = []
    for (const id of [1, 2, 3, 4, 5]) {
      const one = readMessages(await modern(id, 'events/stream', { name: 'order.created' }))
      await eventually(() => expect(one.messages[0]?.method).toBe('notifications/events/active'))
      read.push(one)
    }
    const response = await modern(6, 'events/poll', { name: 'order.created' })
    expect(await response.json()).toMatchObject({ result: { resultType: 'complete' } })
    await created.emit({ orderId: '1' })
    for (const { messages } of read) await eventually(() => expect(messages[1]?.method).toBe('notifications/events/event'))
  })

  test('EVT-110 a request may have the header Mcp-Name', async () => {
    const { post } = await openShop()
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'events/poll', 'mcp-name': 'order.created' }
    const response = await post({ id: 1, method: 'events/poll', params: { _meta: META, name: 'order.created' } }, headers)
    expect(await response.json()).toMatchObject({ result: { events: [], resultType: 'complete' } })
  })
})

describe('events for clients with initialize', () => {
  const INITIALIZE = {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  }

  async function openSession(options: EventsOptions) {
    const { post } = await openShop(options)
    const response = await post(INITIALIZE)
    const session = response.headers.get('mcp-session-id') ?? ''
    const text = await response.text()
    const { result } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as { result: JsonObject }
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    await post({ method: 'notifications/initialized' }, headers)
    return {
      capabilities: result.capabilities as JsonObject,
      request: async (method: string, params: JsonObject) => (await post({ id: 1, method, params }, headers)).text(),
    }
  }

  test('EVT-005 are neither declared nor served', async () => {
    const { capabilities, request } = await openSession({})
    expect(JSON.stringify(capabilities)).not.toContain('events')
    for (const method of ['events/list', 'events/poll'])
      expect(await request(method, { name: 'order.created' })).toContain('-32601')
  })

  test('are served with the profile chatgpt', async () => {
    const { capabilities, request } = await openSession({ profile: 'chatgpt' })
    expect(capabilities).toMatchObject({ events: {}, extensions: { 'io.modelcontextprotocol/events': {} } })
    expect(await request('events/list', {})).toContain('order.created')
    expect(await request('events/poll', { name: 'order.created' })).toContain('nextPollMs')
    expect(await request('events/poll', { name: 'nothing' })).toContain('-32011')
  })
})
