import { describe, expect, test } from 'vitest'
import { ERAS } from '../../../test-kit/auth/protected-server.ts'
import { codeForm, obtainCode, refreshForm, register, requestTokens, startProxy } from '../../../test-kit/auth/proxy.ts'

async function startSignedIn(...args: Parameters<typeof startProxy>) {
  const proxy = await startProxy(...args)
  const { send, idp } = proxy
  const clientId = await register(send)
  const code = await obtainCode(proxy.browser(), clientId)
  const { json } = await requestTokens(send, codeForm(clientId, code))
  const revoke = async (token: string): Promise<number> =>
    (await send('/revoke', { method: 'POST', body: new URLSearchParams({ token, client_id: clientId }) })).status
  const isAccepted = async (token: string): Promise<boolean> =>
    (await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status === 200
  /** The types of the tokens that the identity provider was asked to revoke. */
  const revoked = (): unknown[] => idp.requestsTo('revoke').map(({ parameters }) => parameters.get('token_type_hint'))
  return { ...proxy, clientId, code, first: json as { access_token: string; refresh_token: string }, revoke, isAccepted, revoked }
}

describe('the tokens of the identity provider are revoked', () => {
  test.each(['refresh_token', 'access_token'] as const)('when the client revokes its %s', async (name) => {
    const { first, revoke, isAccepted, revoked, idp } = await startSignedIn()
    expect(await revoke(first[name])).toBe(200)
    expect(await isAccepted(first.access_token)).toBe(false)
    expect(revoked()).toEqual(['refresh_token'])
    expect(idp.requestsTo('revoke')[0]?.headers.authorization).toMatch(/^Basic /)
    expect(await revoke(first[name])).toBe(200)
    expect(revoked()).toHaveLength(1)
  })

  test('when there is only an access token', async () => {
    const { idp, upstream } = await startProxy()
    idp.setFaults({ responses: { token: { status: 200, body: { access_token: 'only', token_type: 'Bearer' } } } })
    const { first, revoke } = await startSignedIn({ upstream })
    expect(await revoke(first.access_token)).toBe(200)
    const { parameters } = idp.requestsTo('revoke')[0] ?? {}
    expect([parameters?.get('token'), parameters?.get('token_type_hint')]).toEqual(['only', 'access_token'])
  })

  test('when a code is used twice', async () => {
    const { send, clientId, code, revoked } = await startSignedIn()
    expect((await requestTokens(send, codeForm(clientId, code))).status).toBe(400)
    expect(revoked()).toEqual(['refresh_token'])
  })

  test('when a refresh token is used twice', async () => {
    const { send, clientId, first, revoked } = await startSignedIn()
    await requestTokens(send, refreshForm(clientId, first.refresh_token))
    expect((await requestTokens(send, refreshForm(clientId, first.refresh_token))).status).toBe(400)
    expect(revoked()).toEqual(['refresh_token'])
  })
})

describe('while the identity provider is unavailable', () => {
  test('the tokens of the client are invalid at once, and the client can repeat the revocation', async () => {
    const { send, first, clientId, revoke, isAccepted, revoked, idp } = await startSignedIn()
    idp.setFaults({ responses: { revoke: { status: 500, body: {} } } })
    expect(await revoke(first.refresh_token)).toBe(503)
    expect(await isAccepted(first.access_token)).toBe(false)
    expect((await requestTokens(send, refreshForm(clientId, first.refresh_token))).status).toBe(400)
    expect(await revoke(first.access_token)).toBe(503)
    idp.setFaults({})
    expect(await revoke(first.refresh_token)).toBe(200)
    const attempts = revoked().length
    expect(await revoke(first.refresh_token)).toBe(200)
    expect(revoked()).toHaveLength(attempts)
  })
})

test('without a revocation endpoint, only the tokens of the proxy are revoked', async () => {
  const { idp, upstream } = await startProxy()
  const { revocationEndpoint: _, ...rest } = upstream
  const { first, revoke, isAccepted } = await startSignedIn({ upstream: rest })
  expect(await revoke(first.access_token)).toBe(200)
  expect(await isAccepted(first.access_token)).toBe(false)
  expect(idp.requestsTo('revoke')).toEqual([])
})

test('tokens and grants are stored by user, so that those of one user do not evict those of others', async () => {
  let signedIn = 0
  const { send, entries, browser } = await startProxy({ identify: () => ({ subject: signedIn++ === 0 ? 'ann' : 'bob' }) })
  const clientId = await register(send)
  for (let at = 0; at < 3; at++) await requestTokens(send, codeForm(clientId, await obtainCode(browser(), clientId)))
  for (const kind of ['proxy/grant/', 'proxy/access/']) {
    const keys = new Set(entries.map((entry) => entry.split(' ')[1] ?? '').filter((key) => key.startsWith(kind)))
    const groups = new Set([...keys].map((key) => key.slice(0, key.lastIndexOf('/') + 1)))
    expect([keys.size, groups.size]).toEqual([3, 2])
  }
})

test('sign-ins that wait are stored by client, so that those of one client do not evict those of others', async () => {
  const { send, entries, browser } = await startProxy()
  for (const clientId of [await register(send), await register(send)])
    for (let at = 0; at < 2; at++) await obtainCode(browser(), clientId)
  const keys = new Set(entries.map((entry) => entry.split(' ')[1] ?? '').filter((key) => key.startsWith('proxy/state/')))
  const groups = new Set([...keys].map((key) => key.slice(0, key.lastIndexOf('/') + 1)))
  expect([keys.size, groups.size]).toEqual([4, 2])
})
