import { describe, expect, test } from 'vitest'
import { cleanup, type PeerServer, peer, type Visit } from '../../../test-kit/peer.ts'
import type { Authorizer } from '../../protocol/authorizer.ts'
import { createRemote, type HttpClientOptions, type Remote } from './remote.ts'

const SENDING = { method: 'POST', headers: { accept: 'a/b' }, body: '{}' } as const

async function remote(
  answer: (visit: Visit, count: number) => void,
  authorizer: Partial<Authorizer>,
  options: Partial<HttpClientOptions> = {},
): Promise<Remote & { peer: PeerServer }> {
  const server = await peer(answer)
  const whole: Authorizer = { headers: () => ({ authorization: 'Bearer one' }), answered: () => false, ...authorizer }
  const made = createRemote({ url: server.url, authorizer: whole, ...options })
  cleanup(() => made.close())
  return { ...made, peer: server }
}

describe('an authorizer', () => {
  test('signs each request, above all other headers', async () => {
    let count = 0
    const headers = () => ({ authorization: `Bearer ${++count}` })
    const { send, peer } = await remote((visit) => visit.send(200, '{}'), { headers }, { headers: { Authorization: 'Basic x' } })
    for (let at = 0; at < 2; at++) (await send(SENDING)).release()
    expect(peer.visits.map((visit) => visit.headers.authorization)).toEqual(['Bearer 1', 'Bearer 2'])
  })

  test('has a refused request sent again, and sees what it was sent with', async () => {
    const heard: unknown[] = []
    const answered: Authorizer['answered'] = async ({ status, header }, { headers, retries, url, method }) => {
      heard.push([status, header('www-authenticate'), headers.authorization, headers.accept, retries, url.pathname, method])
      return status === 401
    }
    const answer = (visit: Visit, count: number) => visit.send(count < 3 ? 401 : 200, '', { 'www-authenticate': 'Bearer' })
    const { send } = await remote(answer, { answered })
    expect((await send(SENDING)).status).toBe(200)
    expect(heard).toEqual([401, 401, 200].map((status, at) => [status, 'Bearer', 'Bearer one', 'a/b', at, '/mcp', 'POST']))
  })

  test('C66 cannot have a request sent again for ever', async () => {
    const { send, peer } = await remote((visit) => visit.send(401), { answered: async () => true })
    expect((await send(SENDING)).status).toBe(401)
    expect(peer.visits.length).toBe(7)
  })

  test('signs anew after a redirect within the origin, and is not heard of elsewhere', async () => {
    const other = await peer((visit) => visit.send(200))
    const headers: Authorizer['headers'] = ({ url }) => ({ authorization: `Bearer ${url.pathname}` })
    const answer = (visit: Visit) => {
      if (visit.path === '/mcp') visit.send(307, '', { location: '/next' })
      else visit.send(308, '', { location: other.url })
    }
    const { send, peer: first } = await remote(answer, { headers })
    expect((await send(SENDING)).status).toBe(308)
    expect(first.visits.map((visit) => visit.headers.authorization)).toEqual(['Bearer /mcp', 'Bearer /next'])
    expect(other.visits).toEqual([])
  })

  test('is not waited for by who gives up, and fails the request by throwing', async () => {
    const { send } = await remote((visit) => visit.send(200), { headers: () => new Promise(() => {}) })
    const reason = new Error('enough')
    await expect(send({ ...SENDING, caller: { signal: AbortSignal.abort(reason) } })).rejects.toBe(reason)
    const failing = await remote((visit) => visit.send(401), { answered: () => Promise.reject(reason) })
    await expect(failing.send(SENDING)).rejects.toBe(reason)
  })

  test('is not waited for when the connection is closed', async () => {
    const signals: AbortSignal[] = []
    const headers: Authorizer['headers'] = ({ signal }) => {
      signals.push(signal!)
      return new Promise(() => {})
    }
    const { send, close } = await remote((visit) => visit.send(200), { headers })
    const sent = send(SENDING)
    await Promise.all([expect(sent).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false }), close()])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
