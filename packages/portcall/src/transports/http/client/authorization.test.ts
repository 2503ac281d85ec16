import { describe, expect, test } from 'vitest'
import {
  onTestEnd,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from '../../../../test-kit/scripted-server.ts'
import type { Authorizer } from '../../../protocol/authorizer.ts'
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.ts'

const REQUEST = { method: 'POST', headers: { accept: 'a/b' }, body: '{}' } as const

async function createTestClient(
  answer: (visit: ScriptedRequest, count: number) => void,
  authorizer: Partial<Authorizer>,
  options: Partial<HttpClientOptions> = {},
): Promise<HttpClient & { peer: ScriptedServer }> {
  const server = await startScriptedServer(answer)
  const complete: Authorizer = { headers: () => ({ authorization: 'Bearer one' }), onResponse: () => false, ...authorizer }
  const client = createHttpClient({ url: server.url, authorizer: complete, ...options })
  onTestEnd(() => client.close())
  return { ...client, peer: server }
}

describe('an authorizer', () => {
  test('adds headers to each request, which override all others', async () => {
    let count = 0
    const headers = () => ({ authorization: `Bearer ${++count}` })
    const { send, peer } = await createTestClient(
      (visit) => visit.send(200, '{}'),
      { headers },
      { headers: { Authorization: 'Basic x' } },
    )
    for (let at = 0; at < 2; at++) (await send(REQUEST)).release()
    expect(peer.requests.map((visit) => visit.headers.authorization)).toEqual(['Bearer 1', 'Bearer 2'])
  })

  test('can have a rejected request sent again, and receives the headers it was sent with', async () => {
    const calls: unknown[] = []
    const onResponse: Authorizer['onResponse'] = async ({ status, header }, { headers, retries, url, method }) => {
      calls.push([status, header('www-authenticate'), headers.authorization, headers.accept, retries, url.pathname, method])
      return status === 401
    }
    const answer = (visit: ScriptedRequest, count: number) =>
      visit.send(count < 3 ? 401 : 200, '', { 'www-authenticate': 'Bearer' })
    const { send } = await createTestClient(answer, { onResponse })
    expect((await send(REQUEST)).status).toBe(200)
    expect(calls).toEqual([401, 401, 200].map((status, at) => [status, 'Bearer', 'Bearer one', 'a/b', at, '/mcp', 'POST']))
  })

  test('C66 cannot have a request sent again without limit', async () => {
    const { send, peer } = await createTestClient((visit) => visit.send(401), { onResponse: async () => true })
    expect((await send(REQUEST)).status).toBe(401)
    expect(peer.requests.length).toBe(7)
  })

  test('adds new headers after a redirect within the origin, and none for another origin', async () => {
    const other = await startScriptedServer((visit) => visit.send(200))
    const headers: Authorizer['headers'] = ({ url }) => ({ authorization: `Bearer ${url.pathname}` })
    const answer = (visit: ScriptedRequest) => {
      if (visit.path === '/mcp') visit.send(307, '', { location: '/next' })
      else visit.send(308, '', { location: other.url })
    }
    const { send, peer: first } = await createTestClient(answer, { headers })
    expect((await send(REQUEST)).status).toBe(308)
    expect(first.requests.map((visit) => visit.headers.authorization)).toEqual(['Bearer /mcp', 'Bearer /next'])
    expect(other.requests).toEqual([])
  })

  test('does not delay an abort, and fails the request by throwing', async () => {
    const { send } = await createTestClient((visit) => visit.send(200), { headers: () => new Promise(() => {}) })
    const reason = new Error('enough')
    await expect(send({ ...REQUEST, abortSource: { signal: AbortSignal.abort(reason) } })).rejects.toBe(reason)
    const failing = await createTestClient((visit) => visit.send(401), { onResponse: () => Promise.reject(reason) })
    await expect(failing.send(REQUEST)).rejects.toBe(reason)
  })

  test('does not delay closing', async () => {
    const signals: AbortSignal[] = []
    const headers: Authorizer['headers'] = ({ signal }) => {
      signals.push(signal!)
      return new Promise(() => {})
    }
    const { send, close } = await createTestClient((visit) => visit.send(200), { headers })
    const sent = send(REQUEST)
    await Promise.all([expect(sent).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false }), close()])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
