import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNotesServer, HANDLERS, RESOURCE, type Send, startIssuer, whoami } from '../../../test-kit/auth/protected-server.ts'
import { openRawConnection, writeRequest } from '../../../test-kit/raw-connection.ts'
import { nodeHandler } from '../../serve/node.ts'
import { createServer } from '../../server/server.ts'
import { protect } from './protect.ts'
import { jwt } from './verifiers/jwt.ts'

const VERSION = '2025-11-25'
const BASE = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** Two users of one server, and a user of another issuer with the same name as the first. */
async function startServer(handler: keyof typeof HANDLERS) {
  const [one, two] = [await startIssuer(), await startIssuer()]
  const verify = [one, two].map(({ issuer }) => jwt({ issuer, jwksUri: `${issuer}/jwks` }))
  const server = createServer({ name: 'notes', version: '1' }, { pageSize: 1 })
  server.tool('wait', {}, async (_, call) => {
    await call.progress(1)
    await new Promise<void>((resolve) => setTimeout(resolve, 60))
    return 'done'
  })
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  const authorizationServers = [one.issuer, two.issuer]
  const send = await HANDLERS[handler](server, protect({ resource: RESOURCE, authorizationServers, verify }))
  const issue = (as: typeof one, subject: string, ...scopes: string[]) => as.issue({ subject, scopes, resources: [RESOURCE] })
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

/** Requests with the id of a session and of an event in it. */
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

const contentOf = async (response: Response) => [response.status, await response.text()]

describe.each(['node', 'fetch'] as const)('the session of another user, with the %s handler,', (handler) => {
  test.each(Object.entries(ATTEMPTS))('%s: gets the same response as for an unknown session', async (_, attempt) => {
    const { send, ann, strangers } = await startServer(handler)
    const session = await openSession(send, ann)
    const params = { name: 'wait', _meta: { progressToken: 't' } }
    const running = await post(send, ann, [{ id: 5, method: 'tools/call', params }, session])
    const reader = (running.body as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    const event = /^id: (.+)$/m.exec(first)?.[1] ?? ''
    expect(event).not.toBe('')
    for (const stranger of strangers) {
      const unknown = await contentOf(await attempt(send, stranger, ['0'.repeat(32), event]))
      expect(await contentOf(await attempt(send, stranger, [session, event]))).toEqual(unknown)
      expect(unknown[0]).toBe(404)
    }
    let received = first
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      received += new TextDecoder().decode(chunk.value)
    expect(received).toContain('done')
    expect((await post(send, ann, [{ id: 6, method: 'tools/list' }, session])).status).toBe(200)
  })

  test('cursors are valid for their owner only', async () => {
    const { send, ann, strangers } = await startServer(handler)
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

  test('a token with other scopes takes effect immediately within a session', async () => {
    const { send, one, issue, ann } = await startServer(handler)
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

describe('a protected server inside another HTTP server', () => {
  test('serves its endpoint and its metadata', async () => {
    const as = await startIssuer()
    const verify = jwt({ issuer: as.issuer, jwksUri: `${as.issuer}/jwks` })
    const handler = nodeHandler(createNotesServer(), protect({ resource: RESOURCE, authorizationServers: [as.issuer], verify }))
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

    const twoHeaders = writeRequest(
      'POST',
      { Authorization: 'Bearer a\r\nAuthorization: Bearer b', 'Content-Type': 'application/json' },
      '{}',
    )
    const raw = openRawConnection(port)
    expect(await raw.send(twoHeaders).response()).toMatchObject({
      status: 400,
      headers: { 'www-authenticate': expect.stringContaining('error="invalid_request"') },
    })
    await raw.close()
  })
})
