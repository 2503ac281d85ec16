import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpEndpoint, startNodeEndpoint } from '../support/http-endpoints.ts'
import { readEvents, type SseEvent } from '../support/sse.ts'
import { createMatrixServer } from './server/index.ts'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const
const BOTH = 'application/json, text/event-stream'

interface Conversation {
  post(message: object, headers?: Record<string, string>): Promise<Response>
  get(headers?: Record<string, string>): Promise<Response>
  readonly id: string
}

/** Tests sessions over HTTP by their streams and headers; other files test the messages inside a session. */
describe.each(REVISIONS)('sessions · %s', (revision) => {
  let endpoint: HttpEndpoint
  beforeAll(async () => {
    endpoint = await startNodeEndpoint(createMatrixServer())
  })
  afterAll(() => endpoint.close())

  const startSession = async (): Promise<Conversation> => {
    const send = (method: string, headers: Record<string, string>, message?: object): Promise<Response> =>
      endpoint.fetch(endpoint.url, { method, headers, ...(message && { body: JSON.stringify(message) }) })
    const json = { 'content-type': 'application/json', accept: BOTH }
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const response = await send('POST', json, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    const id = response.headers.get('mcp-session-id') ?? ''
    await response.text()
    const session = { 'mcp-session-id': id, 'mcp-protocol-version': revision }
    const peer: Conversation = {
      id,
      post: (message, headers) => send('POST', { ...json, ...session, ...headers }, message),
      get: (headers) => send('GET', { accept: 'text/event-stream', ...session, ...headers }),
    }
    await peer.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return peer
  }
  const call = (id: number, name: string, args: object = {}): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: { progressToken: id } },
  })

  test('HTTP-047 HTTP-048 HTTP-049 each session has a unique id in visible ASCII', async () => {
    const [one, two] = [await startSession(), await startSession()]
    expect(one.id).toMatch(/^[\x21-\x7e]{16,}$/)
    expect(two.id).not.toBe(one.id)
  })

  test('HTTP-052 HTTP-053 HTTP-055 DELETE ends a session; an ended or unknown id is rejected with 404', async () => {
    const peer = await startSession()
    const remove = (): Promise<Response> =>
      endpoint.fetch(endpoint.url, { method: 'DELETE', headers: { 'mcp-session-id': peer.id } })
    expect((await peer.post(call(1, 'nothing'))).status).toBe(200)
    expect((await remove()).ok).toBe(true)
    expect((await peer.post(call(2, 'nothing'))).status).toBe(404)
    expect((await peer.get()).status).toBe(404)
    expect((await remove()).status).toBe(404)
    expect((await peer.post(call(3, 'nothing'), { 'mcp-session-id': 'never-was' })).status).toBe(404)
  })

  test('HTTP-059 an unknown version is rejected with 400', async () => {
    const peer = await startSession()
    expect((await peer.post(call(1, 'nothing'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
  })

  test('HTTP-001 HTTP-012 HTTP-035 notifications are accepted with 202, GET opens a stream', async () => {
    const peer = await startSession()
    expect((await peer.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })).status).toBe(202)
    const stream = await peer.get()
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    await stream.body?.cancel()
  })

  test('HTTP-028 HTTP-037 HTTP-040 HTTP-042 HTTP-045 HTTP-046 a lost stream resumes where it broke, without the events of other streams', async () => {
    const peer = await startSession()
    const lost = await peer.post(call(1, 'counts_slowly', { to: 5 }))
    const before = await take(lost, ({ data }) => data?.includes('"progress":2') === true)
    const lastEventId = before.at(-1)?.id
    expect(lastEventId).toEqual(expect.any(String))
    await peer.post(call(2, 'counts_slowly', { to: 2 })).then((response) => response.text())
    const resumed = await peer.get({ 'last-event-id': lastEventId ?? '' })
    const after = await take(resumed, ({ data }) => data?.includes('"result"') === true)
    const progress = [...before, ...after].flatMap(({ data }) =>
      data ? [JSON.parse(data) as { id?: number; params?: { progress: number; progressToken: number } }] : [],
    )
    expect(progress.flatMap(({ params }) => (params ? [params.progress] : []))).toEqual([1, 2, 3, 4, 5])
    expect(progress.every(({ params, id }) => (params?.progressToken ?? id) === 1)).toBe(true)
  })

  test('B3 H59 events of another session and unknown events cannot be requested', async () => {
    const [one, two] = [await startSession(), await startSession()]
    const events = await take(
      await one.post(call(1, 'counts_slowly', { to: 2 })),
      ({ data }) => data?.includes('"result"') === true,
    )
    const stolen = events.at(0)?.id ?? ''
    for (const id of [stolen, 'nonsense', '', '0']) {
      const response = await two.get({ 'last-event-id': id })
      const text = response.ok ? await Promise.race([response.text(), sleep(100, '')]) : ''
      expect(text).not.toContain('counted')
      if (!response.bodyUsed) await response.body?.cancel()
    }
  })
})

/** Reads a stream until an event has arrived, then cancels it. */
async function take(response: Response, last: (event: SseEvent) => boolean): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  if (!response.body) return events
  for await (const event of readEvents(response.body)) {
    events.push(event)
    if (last(event)) break
  }
  return events
}
