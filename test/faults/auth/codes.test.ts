/** Invalid authorization responses, and authorization codes that others could use. */
import { insecureUnadvertisedPkce } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { failToConnect } from './support/fail-to-connect.ts'
import { testProtectedServer } from './support/protected-server.ts'
import { createUser } from './support/user.ts'

describe('C58: PKCE that is not advertised', () => {
  test.each([[undefined], [[]], [null], [true], ['plain'], ['s256'], ['S256,plain'], [[['S256']]], [{ S256: true }]])(
    'as %j is refused before the user signs in',
    async (supported) => {
      const { error, user, server } = await failToConnect({
        before: ({ login }) => login.setFaults({ metadata: { code_challenge_methods_supported: supported } }),
      })
      expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'pkce_unsupported' })
      expect(user.opened).toEqual([])
      expect(server.login.requestsTo('authorize')).toEqual([])
    },
  )

  test('is used if a text that is no list names S256', async () => {
    for (const supported of ['S256', 'plain S256']) {
      const server = await testProtectedServer()
      server.login.setFaults({ metadata: { code_challenge_methods_supported: supported } })
      const { client } = await open(server.url, { auth: createUser().auth })
      expect(await call(client)).toBe('fine')
      expect(server.login.requestsTo('authorize')[0]?.parameters.get('code_challenge_method')).toBe('S256')
    }
  })

  test('is used if insecureUnadvertisedPkce is set', async () => {
    const server = await testProtectedServer()
    server.login.setFaults({ metadata: { code_challenge_methods_supported: undefined } })
    const { client } = await open(server.url, { auth: createUser({ pkce: insecureUnadvertisedPkce }).auth })
    expect(await call(client)).toBe('fine')
    expect(server.login.requestsTo('authorize')[0]?.parameters.get('code_challenge_method')).toBe('S256')
  })
})

test('C59: the plain PKCE method is refused', async () => {
  const { error, user } = await failToConnect({
    before: ({ login }) => login.setFaults({ metadata: { code_challenge_methods_supported: ['plain'] } }),
  })
  expect(error).toMatchObject({ reason: 'pkce_unsupported' })
  expect(user.opened).toEqual([])
})

test('C59: challenge and state are new for each sign-in, and the verifier is long enough', async () => {
  const [first, second] = [await testProtectedServer(), await testProtectedServer()]
  const user = createUser()
  for (const server of [first, second]) await open(server.url, { auth: user.auth })
  const asked = user.opened.map((url) => new URL(url).searchParams)
  for (const name of ['state', 'code_challenge']) expect(new Set(asked.map((one) => one.get(name))).size).toBe(2)
  const [token] = first.login.requestsTo('token')
  expect(token?.parameters.get('code_verifier')?.length).toBeGreaterThanOrEqual(43)
})

describe('C60: the token endpoint responds with a redirect', () => {
  test.each([301, 302, 303, 307, 308])('%i to another origin: code and verifier are not sent there', async (status) => {
    const evil = await testProtectedServer()
    const { error, server } = await failToConnect({
      before: ({ login }) =>
        login.setFaults({ responses: { token: { status, headers: { location: `${evil.login.issuer}/token` }, body: '' } } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requestsTo('token')).toHaveLength(1)
    expect(evil.login.requests).toEqual([])
    expect(evil.requests).toEqual([])
  })

  test('307 to itself: it is not followed', async () => {
    const { error, server } = await failToConnect({
      before: ({ login }) =>
        login.setFaults({ responses: { token: ({ url }) => ({ status: 307, headers: { location: url } }) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requestsTo('token')).toHaveLength(1)
  })

  test('307 from the registration endpoint: the client metadata is not sent there', async () => {
    const evil = await testProtectedServer()
    const { error } = await failToConnect({
      before: ({ login }) =>
        login.setFaults({ responses: { register: { status: 307, headers: { location: `${evil.login.issuer}/register` } } } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'registration_failed' })
    expect(evil.login.requests).toEqual([])
  })
})

describe('C63: the response comes from', () => {
  test.each([
    ['another issuer', () => 'https://evil.example'],
    ['the same issuer with a slash', (issuer: string) => `${issuer}/`],
    ['the same issuer in capitals', (issuer: string) => issuer.toUpperCase()],
    ['the same issuer with another host name', (issuer: string) => issuer.replace('127.0.0.1', 'localhost')],
    ['no issuer, although the server advertises it', () => undefined],
    ['an empty issuer', () => ''],
  ])('%s: the code is not redeemed', async (_, iss) => {
    const { error, server } = await failToConnect({
      before: ({ login }) => login.setFaults({ redirect: { iss: iss(login.issuer) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'issuer_mismatch' })
    expect(server.login.requestsTo('authorize')).toHaveLength(1)
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('another issuer, with an error: its text is not shown', async () => {
    const { error } = await failToConnect({
      before: ({ login }) =>
        login.setFaults({
          redirect: {
            iss: 'https://evil.example',
            error: 'access_denied',
            error_description: 'Call 0800-EVIL',
            error_uri: 'https://evil.example',
            code: undefined,
          },
        }),
    })
    expect(error).toMatchObject({ reason: 'issuer_mismatch' })
    expect(JSON.stringify([error.message, error.stack, error.response, error.cause])).not.toMatch(/EVIL|evil\.example/)
  })

  test('another issuer, although the server does not advertise it', async () => {
    const { error, server } = await failToConnect({
      before: ({ login }) =>
        login.setFaults({
          metadata: { authorization_response_iss_parameter_supported: undefined },
          redirect: { iss: 'https://evil.example' },
        }),
    })
    expect(error).toMatchObject({ reason: 'issuer_mismatch' })
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('no issuer, and the server does not advertise it: the code is redeemed', async () => {
    const server = await testProtectedServer()
    server.login.setFaults({
      metadata: { authorization_response_iss_parameter_supported: undefined },
      redirect: { iss: undefined },
    })
    const { client } = await open(server.url, { auth: createUser().auth })
    expect(await call(client)).toBe('fine')
  })

  test('two issuers at once', async () => {
    const { error, server } = await failToConnect({
      user: {
        onReturn(url) {
          url.searchParams.append('iss', 'https://evil.example')
          return url
        },
      },
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requestsTo('token')).toEqual([])
  })
})

describe('C63: the state in the response is', () => {
  test.each<[string, (state: string) => string | undefined]>([
    ['another state', () => 'x'],
    ['the same with an additional character', (state) => `${state}x`],
    ['the same without its last character', (state) => state.slice(0, -1)],
    ['the same in capitals', (state) => state.toUpperCase()],
    ['missing', () => undefined],
    ['empty', () => ''],
  ])('%s: the code is not redeemed', async (_, change) => {
    const { error, server } = await failToConnect({
      user: {
        timeoutMs: 400,
        onReturn(url) {
          const state = change(url.searchParams.get('state') ?? '')
          if (state === undefined) url.searchParams.delete('state')
          else url.searchParams.set('state', state)
          return url
        },
      },
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(['state_mismatch', 'timed_out']).toContain(error.reason)
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('wrong: a forged response does not end the sign-in', async () => {
    const server = await testProtectedServer()
    const user = createUser({
      onReturn(url) {
        const forged = new URL(url)
        forged.searchParams.set('state', 'forged')
        forged.searchParams.set('code', 'forged')
        void fetch(forged).then(() => fetch(url))
        return undefined
      },
    })
    const { client } = await open(server.url, { auth: user.auth })
    expect(await call(client)).toBe('fine')
    expect(server.login.requestsTo('token').map(({ parameters }) => parameters.get('code'))).not.toContain('forged')
  })

  test('right, but it was used before: the port is closed', async () => {
    const server = await testProtectedServer()
    let redirect: URL | undefined
    const user = createUser({ onReturn: (url) => (redirect = url) })
    await open(server.url, { auth: user.auth })
    await expect(fetch(redirect!)).rejects.toThrow('fetch failed')
  })
})
