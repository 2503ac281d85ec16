import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { open, write } from '../../../test-kit/raw.ts'
import { jwt, protect } from '../../auth-server.ts'
import { createServer } from '../../index.ts'
import { nodeHandler } from '../../node.ts'
import { FRONTS, login, notes, RESOURCE, type Send, whoami } from './site.test-kit.ts'

const VERSION = '2025-11-25'
const BASE = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** Two users of one server, and one of another issuer who has the same name as the first. */
async function site(front: keyof typeof FRONTS) {
  const [one, two] = [await login(), await login()]
  const verify = [one, two].map(({ issuer }) => jwt({ issuer, jwksUri: `${issuer}/jwks` }))
  const server = createServer({ name: 'notes', version: '1' }, { pageSize: 1 })
  server.tool('hold', {}, async (_, call) => {
    await call.progress(1)
    await new Promise<void>((resolve) => setTimeout(resolve, 60))
    return 'held'
  })
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  const authorizationServers = [one.issuer, two.issuer]
  const send = await FRONTS[front](server, protect({ resource: RESOURCE, authorizationServers, verify }))
  const issue = (as: typeof one, subject: string, scope = '') => as.issue({ subject, scope, resources: [RESOURCE] })
  return { send, issue, one, two, ann: await issue(one, 'ann'), strangers: [await issue(one, 'ben'), await issue(two, 'ann')] }
}

function post(send: Send, token: string, [message, session]: [object, string | undefined]): Promise<Response> {
  const own = session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': VERSION }
  const headers = { ...BASE, ...own, authorization: `Bearer ${token}` }
  return send('/mcp', { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
}

async function openSession(send: Send, token: string): Promise<string> {
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const response = await post(send, token, [{ id: 0, method: 'initialize', params }, undefined])
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

/** What can be tried with the id of a session, and of an event in it. */
const ATTEMPTS: Readonly<
  Record<string, (send: Send, token: string, ids: readonly [session: string, event: string]) => Promise<Response>>
> = {
  'B1 call a tool': (send, token, [session]) => post(send, token, [{ id: 9, method: 'tools/list' }, session]),
  'B2 open the stream': (send, token, [session]) => send('/mcp', { headers: head(token, session) }),
  'B3 replay events': (send, token, [session, event]) =>
    send('/mcp', { headers: { ...head(token, session), 'last-event-id': event } }),
  'B4 cancel a request': (send, token, [session]) =>
    post(send, token, [{ method: 'notifications/cancelled', params: { requestId: 5 } }, session]),
  'B5 end the session': (send, token, [session]) => send('/mcp', { method: 'DELETE', headers: head(token, session) }),
}

function head(token: string, session: string): Record<string, string> {
  return {
    ...BASE,
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    'mcp-session-id': session,
    'mcp-protocol-version': VERSION,
  }
}

const answerOf = async (response: Response) => [response.status, await response.text()]

describe.each(['node', 'fetch'] as const)('the session of somebody else, on the %s front,', (front) => {
  test.each(Object.entries(ATTEMPTS))('%s: is as unknown to a stranger as one that never was', async (_, attempt) => {
    const { send, ann, strangers } = await site(front)
    const session = await openSession(send, ann)
    const params = { name: 'hold', _meta: { progressToken: 't' } }
    const running = await post(send, ann, [{ id: 5, method: 'tools/call', params }, session])
    const reader = (running.body as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    const event = /^id: (.+)$/m.exec(first)?.[1] ?? ''
    expect(event).not.toBe('')
    for (const stranger of strangers) {
      const unknown = await answerOf(await attempt(send, stranger, ['0'.repeat(32), event]))
      expect(await answerOf(await attempt(send, stranger, [session, event]))).toEqual(unknown)
      expect(unknown[0]).toBe(404)
    }
    let rest = first
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += new TextDecoder().decode(piece.value)
    expect(rest).toContain('held')
    expect((await post(send, ann, [{ id: 6, method: 'tools/list' }, session])).status).toBe(200)
  })

  test('cursors are good for their owner only', async () => {
    const { send, ann, strangers } = await site(front)
    const list = async (token: string, cursor?: string) => {
      const response = await post(send, token, [
        { id: 1, method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        await openSession(send, token),
      ])
      return (await response.json()) as { result?: { nextCursor?: string }; error?: { code: number; message: string } }
    }
    const cursor = (await list(ann)).result?.nextCursor ?? ''
    expect((await list(ann, cursor)).error).toBeUndefined()
    for (const stranger of strangers) expect((await list(stranger, cursor)).error).toEqual((await list(stranger, 'x')).error)
  })

  test('a token with more scopes, or with fewer, counts at once within a session', async () => {
    const { send, one, issue, ann } = await site(front)
    const session = await openSession(send, ann)
    const more = await issue(one, 'ann', 'notes:write')
    const statuses: number[] = []
    for (const token of [ann, more, ann])
      statuses.push(
        (await post(send, token, [{ id: statuses.length + 1, method: 'tools/call', params: { name: 'write' } }, session])).status,
      )
    expect(statuses).toEqual([403, 200, 403])
  })
})

describe('a protected server inside another one', () => {
  test('serves its endpoint and its metadata', async () => {
    const as = await login()
    const verify = jwt({ issuer: as.issuer, jwksUri: `${as.issuer}/jwks` })
    const handler = nodeHandler(notes(), protect({ resource: RESOURCE, authorizationServers: [as.issuer], verify }))
    const http = createHttpServer((request, response) => void handler(request, response))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      await handler.close(0)
      http.closeAllConnections()
      http.close()
    })
    const { port } = http.address() as AddressInfo
    const send: Send = (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)
    expect((await send('/.well-known/oauth-protected-resource/mcp')).status).toBe(200)
    expect((await whoami(send, `Bearer ${await as.issue({ resources: [RESOURCE] })}`)).issuer).toBe(as.issuer)

    const twice = write(
      'POST',
      { Authorization: 'Bearer a\r\nAuthorization: Bearer b', 'Content-Type': 'application/json' },
      '{}',
    )
    const raw = open(port)
    expect(await raw.send(twice).answer()).toMatchObject({
      status: 400,
      headers: { 'www-authenticate': expect.stringContaining('error="invalid_request"') },
    })
    await raw.end()
  })
})
