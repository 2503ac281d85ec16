/** Authorization responses that are not what they should be, and codes that somebody else could use. */
import { insecureUnadvertisedPkce } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { failToConnect } from './support/attempt.ts'
import { testProtected } from './support/protected.ts'
import { createUser } from './support/user.ts'

describe('C58: PKCE that is not said to be supported', () => {
  test.each([[undefined], [[]], ['S256'], [null]])('as %j is refused before anybody signs in', async (supported) => {
    const { error, user, server } = await failToConnect({
      before: ({ login }) => login.set({ metadata: { code_challenge_methods_supported: supported } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'pkce_unsupported' })
    expect(user.opened).toEqual([])
    expect(server.login.asked('authorize')).toEqual([])
  })

  test('is used nevertheless, when the host says so aloud', async () => {
    const server = await testProtected()
    server.login.set({ metadata: { code_challenge_methods_supported: undefined } })
    const { client } = await open(server.url, { auth: createUser({ pkce: insecureUnadvertisedPkce }).auth })
    expect(await call(client)).toBe('fine')
    expect(server.login.asked('authorize')[0]?.parameters.get('code_challenge_method')).toBe('S256')
  })
})

test('C59: PKCE without hashing is not PKCE', async () => {
  const { error, user } = await failToConnect({
    before: ({ login }) => login.set({ metadata: { code_challenge_methods_supported: ['plain'] } }),
  })
  expect(error).toMatchObject({ fault: 'pkce_unsupported' })
  expect(user.opened).toEqual([])
})

test('C59: the challenge and the state are new for each attempt, and the verifier is long', async () => {
  const [first, second] = [await testProtected(), await testProtected()]
  const user = createUser()
  for (const server of [first, second]) await open(server.url, { auth: user.auth })
  const asked = user.opened.map((url) => new URL(url).searchParams)
  for (const name of ['state', 'code_challenge']) expect(new Set(asked.map((one) => one.get(name))).size).toBe(2)
  const [token] = first.login.asked('token')
  expect(token?.parameters.get('code_verifier')?.length).toBeGreaterThanOrEqual(43)
})

describe('C60: the token endpoint answers with a redirect', () => {
  test.each([301, 302, 303, 307, 308])('%i to another place: code and verifier do not go there', async (status) => {
    const evil = await testProtected()
    const { error, server } = await failToConnect({
      before: ({ login }) =>
        login.set({ answers: { token: { status, headers: { location: `${evil.login.issuer}/token` }, body: '' } } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.asked('token')).toHaveLength(1)
    expect(evil.login.requests).toEqual([])
    expect(evil.requests).toEqual([])
  })

  test('307 to itself: it is not followed for ever', async () => {
    const { error, server } = await failToConnect({
      before: ({ login }) => login.set({ answers: { token: ({ url }) => ({ status: 307, headers: { location: url } }) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.asked('token')).toHaveLength(1)
  })

  test('307 from the registration: what the client says of itself does not go there', async () => {
    const evil = await testProtected()
    const { error } = await failToConnect({
      before: ({ login }) =>
        login.set({ answers: { register: { status: 307, headers: { location: `${evil.login.issuer}/register` } } } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'registration_failed' })
    expect(evil.login.requests).toEqual([])
  })
})

describe('C63: the response comes from', () => {
  test.each([
    ['another issuer', () => 'https://evil.example'],
    ['one that is written with a slash', (issuer: string) => `${issuer}/`],
    ['one that is written in capitals', (issuer: string) => issuer.toUpperCase()],
    ['one with another name of the host', (issuer: string) => issuer.replace('127.0.0.1', 'localhost')],
    ['nobody, though the server says that it tells', () => undefined],
    ['nobody, in an empty word', () => ''],
  ])('%s: the code is not redeemed', async (_, iss) => {
    const { error, server } = await failToConnect({
      before: ({ login }) => login.set({ redirect: { iss: iss(login.issuer) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'issuer_mismatch' })
    expect(server.login.asked('authorize')).toHaveLength(1)
    expect(server.login.asked('token')).toEqual([])
  })

  test('another issuer, in an error: nothing that it says is shown', async () => {
    const { error } = await failToConnect({
      before: ({ login }) =>
        login.set({
          redirect: {
            iss: 'https://evil.example',
            error: 'access_denied',
            error_description: 'Call 0800-EVIL',
            error_uri: 'https://evil.example',
            code: undefined,
          },
        }),
    })
    expect(error).toMatchObject({ fault: 'issuer_mismatch' })
    expect(JSON.stringify([error.message, error.stack, error.refusal, error.cause])).not.toMatch(/EVIL|evil\.example/)
  })

  test('another issuer, though the server does not say that it tells', async () => {
    const { error, server } = await failToConnect({
      before: ({ login }) =>
        login.set({
          metadata: { authorization_response_iss_parameter_supported: undefined },
          redirect: { iss: 'https://evil.example' },
        }),
    })
    expect(error).toMatchObject({ fault: 'issuer_mismatch' })
    expect(server.login.asked('token')).toEqual([])
  })

  test('nobody, and the server does not say that it tells: that is as it always was', async () => {
    const server = await testProtected()
    server.login.set({ metadata: { authorization_response_iss_parameter_supported: undefined }, redirect: { iss: undefined } })
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
    expect(server.login.asked('token')).toEqual([])
  })
})

describe('C63: the state in the response is', () => {
  test.each<[string, (state: string) => string | undefined]>([
    ['another one', () => 'x'],
    ['the same with a letter more', (state) => `${state}x`],
    ['the same with a letter less', (state) => state.slice(0, -1)],
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
    expect(['state_mismatch', 'timed_out']).toContain(error.fault)
    expect(server.login.asked('token')).toEqual([])
  })

  test('wrong: a response that somebody slips in does not end the attempt', async () => {
    const server = await testProtected()
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
    expect(server.login.asked('token').map(({ parameters }) => parameters.get('code'))).not.toContain('forged')
  })

  test('right, but it was used before: nothing listens any more', async () => {
    const server = await testProtected()
    let place: URL | undefined
    const user = createUser({ onReturn: (url) => (place = url) })
    await open(server.url, { auth: user.auth })
    await expect(fetch(place!)).rejects.toThrow('fetch failed')
  })
})
