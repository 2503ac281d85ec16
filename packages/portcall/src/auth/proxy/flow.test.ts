import { describe, expect, test } from 'vitest'
import { ERAS, whoami } from '../../../test-kit/auth/protected-server.ts'
import {
  authorizePath,
  codeForm,
  locationOf,
  ORIGIN,
  obtainCode,
  REDIRECT,
  refreshForm,
  register,
  requestTokens,
  sealedRequestOf,
  signInUpstream,
  startProxy,
} from '../../../test-kit/auth/proxy.ts'

/** Starts a proxy with a client that has tokens. */
async function startSignedIn(...args: Parameters<typeof startProxy>) {
  const proxy = await startProxy(...args)
  const clientId = await register(proxy.send)
  const { json } = await requestTokens(proxy.send, codeForm(clientId, await obtainCode(proxy.browser(), clientId)))
  return { ...proxy, clientId, first: json as { access_token: string; refresh_token: string; expires_in: number; scope: string } }
}

const invalidGrant = { status: 400, json: { error: 'invalid_grant' } }

describe('the metadata of a proxy', () => {
  test('AUTH-008 AUTH-010 AUTH-012 is at the origin, as clients of 2025-03-26 expect', async () => {
    const { send } = await startProxy()
    const metadata = await (await send('/.well-known/oauth-authorization-server')).json()
    expect(metadata).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/authorize`,
      token_endpoint: `${ORIGIN}/token`,
      registration_endpoint: `${ORIGIN}/register`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
    expect(await (await send('/.well-known/oauth-protected-resource')).json()).toMatchObject({ authorization_servers: [ORIGIN] })
  })

  test('other methods are refused, and other paths are not found', async () => {
    const { send } = await startProxy()
    expect((await send('/token')).status).toBe(405)
    expect((await send('/register', { method: 'DELETE' })).status).toBe(405)
    expect((await send('/tokens')).status).toBe(404)
  })
})

describe.each(['node', 'fetch'] as const)('signing in through a proxy, with the %s handler,', (handler) => {
  test('issues tokens that the server accepts, in both eras', async () => {
    const { send, first, idp } = await startSignedIn({}, {}, handler)
    expect(first).toMatchObject({ token_type: 'Bearer', scope: 'notes:read notes:write' })
    expect(first.expires_in).toBeLessThanOrEqual(300)
    const auth = await whoami(send, `Bearer ${first.access_token}`)
    expect(auth).toMatchObject({ principal: `${ORIGIN}#ann`, subject: 'ann', scopes: ['notes:read', 'notes:write'] })
    expect((await ERAS.legacy(send, 'write', { authorization: `Bearer ${first.access_token}` })).status).toBe(200)
    expect(idp.requestsTo('token').at(-1)?.parameters.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })
})

describe('signing in through a proxy', () => {
  test('redirects to the client with its state and the issuer of the proxy', async () => {
    const { send, browser } = await startProxy()
    const visitor = browser()
    const redirect = locationOf(await visitor.get(await signInUpstream(visitor, await register(send))))
    expect(redirect.origin + redirect.pathname).toBe(REDIRECT)
    expect(Object.fromEntries(redirect.searchParams)).toEqual({ code: expect.any(String), state: 'client state', iss: ORIGIN })
  })

  test('grants the requested scopes that the user may have', async () => {
    const { send, browser } = await startProxy({ identify: () => ({ subject: 'ann', scopes: ['notes:read'] }) })
    const clientId = await register(send)
    const { json } = await requestTokens(
      send,
      codeForm(clientId, await obtainCode(browser(), clientId, { scope: 'notes:read notes:write' })),
    )
    expect(json.scope).toBe('notes:read')
  })

  test('hides the errors of the identity provider', async () => {
    const { send, browser, idp } = await startProxy()
    const clientId = await register(send)
    idp.setFaults({ redirect: { code: undefined, error: 'server_error', error_description: 'secret' } })
    const visitor = browser()
    const redirect = locationOf(await visitor.get(await signInUpstream(visitor, clientId)))
    expect(Object.fromEntries(redirect.searchParams)).toEqual({ error: 'access_denied', state: 'client state', iss: ORIGIN })
    idp.setFaults({ responses: { token: { status: 500, body: 'secret' } } })
    const other = browser()
    const failed = locationOf(await other.get(await signInUpstream(other, clientId)))
    expect(failed.searchParams.get('error')).toBe('temporarily_unavailable')
    expect(failed.href).not.toContain('secret')
  })

  test('accepts a response without an issuer, but not with another issuer', async () => {
    const { send, browser, idp } = await startProxy()
    const clientId = await register(send)
    idp.setFaults({ redirect: { iss: undefined } })
    expect(await obtainCode(browser(), clientId)).not.toBe('')
    idp.setFaults({ redirect: { iss: 'https://evil.example' } })
    const visitor = browser()
    const response = await visitor.get(await signInUpstream(visitor, clientId))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test('ends with a redirect to the program on this computer when the user denies access', async () => {
    const { send, browser, idp } = await startProxy()
    const visitor = browser()
    const redirect_uri = 'http://127.0.0.1:1234/cb'
    const clientId = await register(send, { redirect_uris: ['http://127.0.0.1/cb'] })
    const page = await visitor.get(authorizePath(clientId, { redirect_uri }))
    const denied = locationOf(await visitor.post('/authorize', { request: await sealedRequestOf(page), decision: 'deny' }))
    expect(denied.origin + denied.pathname).toBe(redirect_uri)
    expect(denied.searchParams.get('error')).toBe('access_denied')
    expect(idp.requests).toEqual([])
  })

  test('ends with a page that links to any other client when the user denies access', async () => {
    const { send, browser, idp } = await startProxy()
    const visitor = browser()
    const page = await visitor.get(authorizePath(await register(send), { state: '"><script>' }))
    const denied = await visitor.post('/authorize', { request: await sealedRequestOf(page), decision: 'deny' })
    expect([denied.status, denied.headers.get('location')]).toEqual([200, null])
    expect(denied.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const text = await denied.text()
    expect(text).toContain('Return to client.example')
    expect(text).not.toContain('<script>')
    const link = new URL(/href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? 'about:blank')
    expect(link.origin + link.pathname).toBe(REDIRECT)
    expect(Object.fromEntries(link.searchParams)).toEqual({ error: 'access_denied', state: '"><script>', iss: ORIGIN })
    expect(idp.requests).toEqual([])
  })
})

describe('an authorization code', () => {
  test('can be redeemed once; its reuse revokes the grant', async () => {
    const { send, browser } = await startProxy()
    const clientId = await register(send)
    const form = codeForm(clientId, await obtainCode(browser(), clientId))
    const { json } = await requestTokens(send, form)
    expect((await whoami(send, `Bearer ${json.access_token}`)).subject).toBe('ann')
    expect(await requestTokens(send, form)).toMatchObject(invalidGrant)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${json.access_token}` })).status).toBe(401)
    expect(await requestTokens(send, refreshForm(clientId, json.refresh_token))).toMatchObject(invalidGrant)
  })

  test('can be redeemed only by the client that requested it', async () => {
    const { send, browser } = await startProxy()
    const clientId = await register(send)
    const other = await register(send, { client_name: 'Other' })
    for (const wrong of [
      { client_id: other },
      { redirect_uri: `${REDIRECT}/` },
      { code_verifier: 'w'.repeat(43) },
      { code_verifier: '' },
      { code: 'x' },
    ]) {
      const form = codeForm(clientId, await obtainCode(browser(), clientId))
      expect(await requestTokens(send, { ...form, ...wrong })).toMatchObject(invalidGrant)
    }
    const form = codeForm(clientId, await obtainCode(browser(), clientId))
    expect(await requestTokens(send, { ...form, resource: 'https://other.example/mcp' })).toMatchObject({
      json: { error: 'invalid_target' },
    })
    expect(await requestTokens(send, { ...form, grant_type: 'password' })).toMatchObject({
      json: { error: 'unsupported_grant_type' },
    })
  })

  test('expires after a minute', async () => {
    const { send, browser, clock } = await startProxy()
    const clientId = await register(send)
    const code = await obtainCode(browser(), clientId)
    clock.ahead += 61_000
    expect(await requestTokens(send, codeForm(clientId, code))).toMatchObject(invalidGrant)
  })
})

describe('the tokens of a proxy', () => {
  test('G11 AUTH-090 are separate from those of the identity provider', async () => {
    const { send, first, idp, identified, clientId } = await startSignedIn()
    const second = (await requestTokens(send, refreshForm(clientId, first.refresh_token))).json
    const upstream = identified[0] ?? 'none'
    expect(JSON.stringify([first, second])).not.toContain(upstream)
    const requested = JSON.stringify(idp.requests.map(({ parameters, headers }) => [[...parameters], headers]))
    for (const own of [first.access_token, first.refresh_token, second.access_token]) expect(requested).not.toContain(own)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${upstream}` })).status).toBe(401)
  })

  test('AUTH-091 are stored as hashes, and those of the identity provider are sealed', async () => {
    const { first, entries, identified } = await startSignedIn()
    const all = entries.join('\n')
    for (const secret of [first.access_token, first.refresh_token, identified[0] ?? '']) expect(all).not.toContain(secret)
    expect(entries.length).toBeGreaterThan(3)
  })

  test('are refreshed once each; the reuse of a refresh token revokes the grant', async () => {
    const { send, first, clientId } = await startSignedIn()
    const second = await requestTokens(send, refreshForm(clientId, first.refresh_token))
    expect(second.status).toBe(200)
    expect(second.json.refresh_token).not.toBe(first.refresh_token)
    expect(await requestTokens(send, refreshForm(clientId, first.refresh_token))).toMatchObject(invalidGrant)
    expect(await requestTokens(send, refreshForm(clientId, second.json.refresh_token))).toMatchObject(invalidGrant)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${second.json.access_token}` })).status).toBe(401)
  })

  test('are refreshed for at most one of several concurrent requests', async () => {
    const { send, first, clientId } = await startSignedIn()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => requestTokens(send, refreshForm(clientId, first.refresh_token))),
    )
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('are not refreshed for another client', async () => {
    const { send, first } = await startSignedIn()
    const other = await register(send, { client_name: 'Other' })
    expect(await requestTokens(send, refreshForm(other, first.refresh_token))).toMatchObject(invalidGrant)
    for (const invalid of ['', 'x', '.', `${first.refresh_token.split('.')[0]}`])
      expect(await requestTokens(send, refreshForm(other, invalid))).toMatchObject(invalidGrant)
  })

  test('can be revoked by their client only', async () => {
    const { send, first, clientId } = await startSignedIn()
    const revoke = (form: Record<string, string>) => send('/revoke', { method: 'POST', body: new URLSearchParams(form) })
    expect((await revoke({ token: first.refresh_token, client_id: await register(send, { client_name: 'Other' }) })).status).toBe(
      200,
    )
    expect((await whoami(send, `Bearer ${first.access_token}`)).subject).toBe('ann')
    expect((await revoke({ token: first.access_token, client_id: clientId })).status).toBe(200)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${first.access_token}` })).status).toBe(401)
  })

  test('AUTH-104 are refused when the identity provider has revoked its own', async () => {
    const { send, first, clientId, clock, idp } = await startSignedIn({}, { accessTokenTtlMs: 300_000 })
    clock.ahead += 301_000
    const second = await requestTokens(send, refreshForm(clientId, first.refresh_token))
    expect(second.status).toBe(200)
    expect(idp.requestsTo('token').at(-1)?.parameters.get('grant_type')).toBe('refresh_token')
    idp.setFaults({ responses: { token: { status: 400, body: { error: 'invalid_grant' } } } })
    clock.ahead += 301_000
    expect(await requestTokens(send, refreshForm(clientId, second.json.refresh_token))).toMatchObject(invalidGrant)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${second.json.access_token}` })).status).toBe(401)
  })

  test('remain valid while the identity provider is unavailable', async () => {
    const { send, first, clientId, clock, idp } = await startSignedIn()
    clock.ahead += 301_000
    idp.setFaults({ responses: { token: { status: 401, body: { error: 'invalid_client' } } } })
    expect(await requestTokens(send, refreshForm(clientId, first.refresh_token))).toMatchObject({
      status: 503,
      json: { error: 'temporarily_unavailable' },
    })
    idp.setFaults({})
    expect((await requestTokens(send, refreshForm(clientId, first.refresh_token))).status).toBe(200)
  })
})

describe('the token of the identity provider', () => {
  test('is refreshed while the client refreshes its own', async () => {
    const { send, first, proxy, clock, clientId } = await startSignedIn()
    const auth = await whoami(send, `Bearer ${first.access_token}`)
    clock.ahead += 301_000
    const [renewed, ...all] = await Promise.all([
      requestTokens(send, refreshForm(clientId, first.refresh_token)),
      ...Array.from({ length: 10 }, () => proxy.upstreamToken(auth as never)),
    ])
    expect(renewed.status).toBe(200)
    expect(new Set(all).size).toBe(1)
    expect((await requestTokens(send, refreshForm(clientId, renewed.json.refresh_token))).status).toBe(200)
  })

  test('is available to handlers, and refreshed once for concurrent calls', async () => {
    const { send, first, proxy, clock, identified, idp } = await startSignedIn()
    const auth = await whoami(send, `Bearer ${first.access_token}`)
    expect(await proxy.upstreamToken(auth as never)).toBe(identified[0])
    clock.ahead += 301_000
    const before = idp.requestsTo('token').length
    const all = await Promise.all(Array.from({ length: 50 }, () => proxy.upstreamToken(auth as never)))
    expect(new Set(all).size).toBe(1)
    expect(all[0]).not.toBe(identified[0])
    expect(idp.requestsTo('token').length - before).toBe(1)
  })

  test('is not available to other callers', async () => {
    const { proxy } = await startSignedIn()
    const strangers = [
      undefined,
      { principal: 'x' },
      { principal: 'x', issuer: ORIGIN, claims: { grant: 'x' } },
      { principal: 'x', claims: {} },
    ]
    for (const auth of strangers) await expect(proxy.upstreamToken(auth)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })
})
