import { describe, expect, test } from 'vitest'
import { ERAS, whoami } from '../site.test-kit.ts'
import {
  authorizePath,
  codeForm,
  codeOf,
  locationOf,
  ORIGIN,
  REDIRECT,
  refreshForm,
  register,
  sealedOf,
  site,
  tokens,
  upToCallback,
} from './proxy.test-kit.ts'

/** A client that has its first tokens. */
async function signedIn(...args: Parameters<typeof site>) {
  const made = await site(...args)
  const clientId = await register(made.send)
  const { json } = await tokens(made.send, codeForm(clientId, await codeOf(made.browser(), clientId)))
  return { ...made, clientId, first: json as { access_token: string; refresh_token: string; expires_in: number; scope: string } }
}

const invalidGrant = { status: 400, json: { error: 'invalid_grant' } }

describe('what a proxy says of itself', () => {
  test('AUTH-008 AUTH-010 AUTH-012 is at the origin, where clients of 2025-03-26 look', async () => {
    const { send } = await site()
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

  test('other verbs are refused, and other paths are not its own', async () => {
    const { send } = await site()
    expect((await send('/token')).status).toBe(405)
    expect((await send('/register', { method: 'DELETE' })).status).toBe(405)
    expect((await send('/tokens')).status).toBe(404)
  })
})

describe.each(['node', 'fetch'] as const)('signing in through a proxy, on the %s front,', (front) => {
  test('gives a client tokens that are good at the server, in both eras', async () => {
    const { send, first, idp } = await signedIn({}, {}, front)
    expect(first).toMatchObject({ token_type: 'Bearer', scope: 'notes:read notes:write' })
    expect(first.expires_in).toBeLessThanOrEqual(300)
    const auth = await whoami(send, `Bearer ${first.access_token}`)
    expect(auth).toMatchObject({ principal: `${ORIGIN}#ann`, subject: 'ann', scopes: ['notes:read', 'notes:write'] })
    expect((await ERAS.legacy(send, 'write', { authorization: `Bearer ${first.access_token}` })).status).toBe(200)
    expect(idp.asked('token').at(-1)?.parameters.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })
})

describe('signing in through a proxy', () => {
  test('answers the client with its state and our issuer', async () => {
    const { send, browser } = await site()
    const visitor = browser()
    const back = locationOf(await visitor.get(await upToCallback(visitor, await register(send))))
    expect(back.origin + back.pathname).toBe(REDIRECT)
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: 'client state', iss: ORIGIN })
  })

  test('gives the scopes that were asked for, and that the user may have', async () => {
    const { send, browser } = await site({ identify: () => ({ subject: 'ann', scopes: ['notes:read'] }) })
    const clientId = await register(send)
    const { json } = await tokens(
      send,
      codeForm(clientId, await codeOf(browser(), clientId, { scope: 'notes:read notes:write' })),
    )
    expect(json.scope).toBe('notes:read')
  })

  test('ends with a refusal that shows nothing of the identity provider', async () => {
    const { send, browser, idp } = await site()
    const clientId = await register(send)
    idp.set({ redirect: { code: undefined, error: 'server_error', error_description: 'secret' } })
    const visitor = browser()
    const back = locationOf(await visitor.get(await upToCallback(visitor, clientId)))
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'client state', iss: ORIGIN })
    idp.set({ answers: { token: { status: 500, body: 'secret' } } })
    const other = browser()
    const late = locationOf(await other.get(await upToCallback(other, clientId)))
    expect(late.searchParams.get('error')).toBe('temporarily_unavailable')
    expect(late.href).not.toContain('secret')
  })

  test('goes on without the identity provider saying who it is, but not when it is another one', async () => {
    const { send, browser, idp } = await site()
    const clientId = await register(send)
    idp.set({ redirect: { iss: undefined } })
    expect(await codeOf(browser(), clientId)).not.toBe('')
    idp.set({ redirect: { iss: 'https://evil.example' } })
    const visitor = browser()
    const response = await visitor.get(await upToCallback(visitor, clientId))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test('works for a user who says no', async () => {
    const { send, browser, idp } = await site()
    const visitor = browser()
    const page = await visitor.get(authorizePath(await register(send)))
    const denied = locationOf(await visitor.post('/authorize', { request: await sealedOf(page), decision: 'deny' }))
    expect(denied.searchParams.get('error')).toBe('access_denied')
    expect(idp.requests).toEqual([])
  })
})

describe('a code', () => {
  test('is good once; when it comes again, what it was good for ends', async () => {
    const { send, browser } = await site()
    const clientId = await register(send)
    const form = codeForm(clientId, await codeOf(browser(), clientId))
    const { json } = await tokens(send, form)
    expect((await whoami(send, `Bearer ${json.access_token}`)).subject).toBe('ann')
    expect(await tokens(send, form)).toMatchObject(invalidGrant)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${json.access_token}` })).status).toBe(401)
    expect(await tokens(send, refreshForm(clientId, json.refresh_token))).toMatchObject(invalidGrant)
  })

  test('is good for who asked for it', async () => {
    const { send, browser } = await site()
    const clientId = await register(send)
    const other = await register(send, { client_name: 'Other' })
    for (const wrong of [
      { client_id: other },
      { redirect_uri: `${REDIRECT}/` },
      { code_verifier: 'w'.repeat(43) },
      { code_verifier: '' },
      { code: 'x' },
    ]) {
      const form = codeForm(clientId, await codeOf(browser(), clientId))
      expect(await tokens(send, { ...form, ...wrong })).toMatchObject(invalidGrant)
    }
    const form = codeForm(clientId, await codeOf(browser(), clientId))
    expect(await tokens(send, { ...form, resource: 'https://other.example/mcp' })).toMatchObject({
      json: { error: 'invalid_target' },
    })
    expect(await tokens(send, { ...form, grant_type: 'password' })).toMatchObject({ json: { error: 'unsupported_grant_type' } })
  })

  test('is good for a minute', async () => {
    const { send, browser, clock } = await site()
    const clientId = await register(send)
    const code = await codeOf(browser(), clientId)
    clock.ahead += 61_000
    expect(await tokens(send, codeForm(clientId, code))).toMatchObject(invalidGrant)
  })
})

describe('the tokens of a proxy', () => {
  test('G11 AUTH-090 are its own, and none goes where it does not belong', async () => {
    const { send, first, idp, identified, clientId } = await signedIn()
    const second = (await tokens(send, refreshForm(clientId, first.refresh_token))).json
    const upstream = identified[0] ?? 'none'
    expect(JSON.stringify([first, second])).not.toContain(upstream)
    const asked = JSON.stringify(idp.requests.map(({ parameters, headers }) => [[...parameters], headers]))
    for (const own of [first.access_token, first.refresh_token, second.access_token]) expect(asked).not.toContain(own)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${upstream}` })).status).toBe(401)
  })

  test('AUTH-091 rest as hashes, and those of the identity provider sealed', async () => {
    const { first, entries, identified } = await signedIn()
    const all = entries.join('\n')
    for (const secret of [first.access_token, first.refresh_token, identified[0] ?? '']) expect(all).not.toContain(secret)
    expect(entries.length).toBeGreaterThan(3)
  })

  test('are renewed once each; who comes with an old one ends all', async () => {
    const { send, first, clientId } = await signedIn()
    const second = await tokens(send, refreshForm(clientId, first.refresh_token))
    expect(second.status).toBe(200)
    expect(second.json.refresh_token).not.toBe(first.refresh_token)
    expect(await tokens(send, refreshForm(clientId, first.refresh_token))).toMatchObject(invalidGrant)
    expect(await tokens(send, refreshForm(clientId, second.json.refresh_token))).toMatchObject(invalidGrant)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${second.json.access_token}` })).status).toBe(401)
  })

  test('are renewed for one of those who come at the same time', async () => {
    const { send, first, clientId } = await signedIn()
    const answers = await Promise.all(Array.from({ length: 5 }, () => tokens(send, refreshForm(clientId, first.refresh_token))))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('are not renewed for another client', async () => {
    const { send, first } = await signedIn()
    const other = await register(send, { client_name: 'Other' })
    expect(await tokens(send, refreshForm(other, first.refresh_token))).toMatchObject(invalidGrant)
    for (const made of ['', 'x', '.', `${first.refresh_token.split('.')[0]}`])
      expect(await tokens(send, refreshForm(other, made))).toMatchObject(invalidGrant)
  })

  test('end when the client says so, for itself only', async () => {
    const { send, first, clientId } = await signedIn()
    const revoke = (form: Record<string, string>) => send('/revoke', { method: 'POST', body: new URLSearchParams(form) })
    expect((await revoke({ token: first.refresh_token, client_id: await register(send, { client_name: 'Other' }) })).status).toBe(
      200,
    )
    expect((await whoami(send, `Bearer ${first.access_token}`)).subject).toBe('ann')
    expect((await revoke({ token: first.access_token, client_id: clientId })).status).toBe(200)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${first.access_token}` })).status).toBe(401)
  })

  test('AUTH-104 last no longer than what the identity provider allows', async () => {
    const { send, first, clientId, clock, idp } = await signedIn({}, { lifetimes: { access: 300 } })
    clock.ahead += 301_000
    const second = await tokens(send, refreshForm(clientId, first.refresh_token))
    expect(second.status).toBe(200)
    expect(idp.asked('token').at(-1)?.parameters.get('grant_type')).toBe('refresh_token')
    idp.set({ answers: { token: { status: 400, body: { error: 'invalid_grant' } } } })
    clock.ahead += 301_000
    expect(await tokens(send, refreshForm(clientId, second.json.refresh_token))).toMatchObject(invalidGrant)
    expect((await ERAS.modern(send, 'whoami', { authorization: `Bearer ${second.json.access_token}` })).status).toBe(401)
  })

  test('are not lost while the identity provider is silent', async () => {
    const { send, first, clientId, clock, idp } = await signedIn()
    clock.ahead += 301_000
    idp.set({ answers: { token: { status: 401, body: { error: 'invalid_client' } } } })
    expect(await tokens(send, refreshForm(clientId, first.refresh_token))).toMatchObject({
      status: 503,
      json: { error: 'temporarily_unavailable' },
    })
    idp.set({})
    expect((await tokens(send, refreshForm(clientId, first.refresh_token))).status).toBe(200)
  })
})

describe('the token of the identity provider', () => {
  test('is refreshed while the client renews its own, and both get theirs', async () => {
    const { send, first, proxy, clock, clientId } = await signedIn()
    const auth = await whoami(send, `Bearer ${first.access_token}`)
    clock.ahead += 301_000
    const [renewed, ...all] = await Promise.all([
      tokens(send, refreshForm(clientId, first.refresh_token)),
      ...Array.from({ length: 10 }, () => proxy.upstreamToken(auth as never)),
    ])
    expect(renewed.status).toBe(200)
    expect(new Set(all).size).toBe(1)
    expect((await tokens(send, refreshForm(clientId, renewed.json.refresh_token))).status).toBe(200)
  })

  test('is there for handlers, and refreshed once for all who need it', async () => {
    const { send, first, proxy, clock, identified, idp } = await signedIn()
    const auth = await whoami(send, `Bearer ${first.access_token}`)
    expect(await proxy.upstreamToken(auth as never)).toBe(identified[0])
    clock.ahead += 301_000
    const before = idp.asked('token').length
    const all = await Promise.all(Array.from({ length: 50 }, () => proxy.upstreamToken(auth as never)))
    expect(new Set(all).size).toBe(1)
    expect(all[0]).not.toBe(identified[0])
    expect(idp.asked('token').length - before).toBe(1)
  })

  test('is there for nobody else', async () => {
    const { proxy } = await signedIn()
    const strangers = [
      undefined,
      { principal: 'x' },
      { principal: 'x', issuer: ORIGIN, claims: { grant: 'x' } },
      { principal: 'x', claims: {} },
    ]
    for (const auth of strangers) await expect(proxy.upstreamToken(auth)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' })
  })
})
