import { describe, expect, test } from 'vitest'
import {
  atLaterTime,
  headlessBrowser,
  openClient,
  type ProtectedServer,
  startProtectedServer,
} from '../../../test-kit/auth/scripted-protected-server.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import type { EndpointFault } from '../../testing/oauth/faults.ts'
import type { OAuthRequest } from '../../testing/oauth/request.ts'
import type { AuthError } from './errors.ts'
import { type AuthorizationCodeOptions, authorizationCode } from './grants/authorization-code.ts'
import { type BrowserSignInOptions, browserSignIn } from './grants/browser-sign-in.ts'
import { deviceCode } from './grants/device-code.ts'

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.reason ?? String(error),
  )
const HOUR = 3_600_000
const isRefresh = ({ parameters }: OAuthRequest): boolean => parameters.get('grant_type') === 'refresh_token'
const onRefresh =
  (fault: Exclude<EndpointFault, (request: OAuthRequest) => unknown>): EndpointFault =>
  (request) =>
    isRefresh(request) ? fault : undefined
const count = ({ login }: ProtectedServer) => ({
  registered: login.requestsTo('register').length,
  signIns: login.requestsTo('authorize').length,
  refreshes: login.requestsTo('token').filter(isRefresh).length,
})

/** A protected server, and calls of a user of one store. */
async function start(options: BrowserSignInOptions = {}, serverOptions: Parameters<typeof startProtectedServer>[0] = {}) {
  const server = await startProtectedServer(serverOptions)
  const { store } = memoryStores()
  const provider = (more: BrowserSignInOptions = {}) => browserSignIn({ open: headlessBrowser, store, ...options, ...more })
  let clock = 0
  return {
    server,
    store,
    provider,
    call: (more?: BrowserSignInOptions) => openClient(server.url, provider(more)).call(),
    /** Calls when the access token has expired. */
    later: (more?: BrowserSignInOptions) => atLaterTime((clock += HOUR / 4), () => openClient(server.url, provider(more)).call()),
  }
}

describe('F3 a refresh', () => {
  test.each([
    [400, { error: 'invalid_request' }],
    [400, { error: 'invalid_refresh_token' }],
    [400, { error: 'server_error' }],
    [400, { message: 'Invalid refresh token' }],
    [400, { error: { code: 42, message: 'expired' } }],
    [400, '<html>'],
    [401, ''],
    [403, { detail: 'no' }],
    [404, ''],
    [422, { detail: [] }],
    [200, { error: 'bad_refresh_token' }],
    [500, { error: 'invalid_grant' }],
  ])('that is refused with %j %j leads to a new sign-in', async (status, body) => {
    const { server, call, later } = await start()
    await call()
    server.login.setFaults({ responses: { token: onRefresh({ status, body }) } })
    expect(await later()).toBe(200)
    expect(count(server).signIns).toBe(2)
  })

  test.each([
    [408, ''],
    [425, ''],
    [429, { error: 'invalid_request' }],
    [429, ''],
    [500, ''],
    [502, '<html>'],
    [503, { error: 'server_error' }],
    [400, { error: 'temporarily_unavailable' }],
    [200, '<html>'],
  ])('that fails with %j %j is an error, and works later', async (status, body) => {
    const { server, call, later } = await start()
    await call()
    server.login.setFaults({ responses: { token: onRefresh({ status, body }) } })
    expect(await reasonOf(later())).toBe('token_refused')
    server.login.setFaults({})
    expect(await later()).toBe(200)
    expect(count(server).signIns).toBe(1)
  })

  test.each([
    ['without resource', { error: 'invalid_target' }, (form: URLSearchParams) => !form.has('resource')],
    ['without resource', { error: 'invalid_request' }, (form: URLSearchParams) => !form.has('resource')],
    ['without resource', '<html>', (form: URLSearchParams) => !form.has('resource')],
    ['with scope', { error: 'invalid_scope' }, (form: URLSearchParams) => form.get('scope') === 'read'],
    [
      'with scope',
      { error: 'invalid_request', error_description: 'scope is required' },
      (form: URLSearchParams) => form.get('scope') === 'read' && form.has('resource'),
    ],
    [
      'with scope and without resource',
      { error: 'invalid_request' },
      (form: URLSearchParams) => form.has('scope') && !form.has('resource'),
    ],
  ])('is repeated %s where the server answers %j, which is remembered', async (_, body, accepts) => {
    const { server, call, later } = await start({ scopes: ['read'] })
    await call()
    server.login.setFaults({
      responses: { token: (request) => (isRefresh(request) && !accepts(request.parameters) ? { status: 400, body } : undefined) },
    })
    expect(await later()).toBe(200)
    const before = count(server)
    expect(await later()).toBe(200)
    expect(count(server)).toEqual({ ...before, refreshes: before.refreshes + 1 })
    expect(before.signIns).toBe(1)
  })
})

describe('F2 a registration that the server has forgotten', () => {
  test.each(['invalid_client', 'unauthorized_client'])('is replaced after %s at a refresh', async (error) => {
    const { server, call, later } = await start()
    await call()
    server.login.setFaults({ responses: { token: onRefresh({ status: 401, body: { error } }) } })
    expect(await later()).toBe(200)
    expect(count(server)).toMatchObject({ registered: 2, signIns: 2 })
  })

  test('is replaced by the next sign-in after one that nobody returned from', async () => {
    const { server, call, later } = await start()
    await call()
    const [first] = server.login.requestsTo('authorize')
    const dead = first?.parameters.get('client_id')
    server.login.setFaults({
      responses: {
        token: onRefresh({ status: 400, body: { error: 'invalid_grant' } }),
        authorize: ({ parameters }) => (parameters.get('client_id') === dead ? { status: 422, body: '<html>' } : undefined),
      },
    })
    const open = async (url: URL) => void (await fetch(url, { redirect: 'manual' }))
    expect(await reasonOf(later({ open, timeoutMs: 50 }))).toBe('timed_out')
    expect(await later()).toBe(200)
    expect(count(server).registered).toBe(2)
  })

  test('is replaced at once if the code is refused', async () => {
    const { server, call, later } = await start()
    await call()
    const dead = server.login.requestsTo('authorize')[0]?.parameters.get('client_id')
    server.login.setFaults({
      responses: {
        token: (request) => {
          if (isRefresh(request)) return { status: 400, body: { error: 'invalid_grant' } }
          return request.parameters.get('client_id') === dead ? { status: 401, body: { error: 'invalid_client' } } : undefined
        },
      },
    })
    expect(await later()).toBe(200)
    expect(count(server).registered).toBe(2)
  })

  test('is kept while users return, also without signing in', async () => {
    const { server, call } = await start()
    server.login.setFaults({ redirect: { code: undefined, error: 'access_denied' } })
    expect(await reasonOf(call())).toBe('denied')
    server.login.setFaults({})
    expect(await call()).toBe(200)
    expect(count(server).registered).toBe(1)
  })

  test('is replaced by a program that shows the page itself, when the time of a sign-in is over', async () => {
    const server = await startProtectedServer()
    const { store } = memoryStores()
    const authorize: AuthorizationCodeOptions['authorize'] = async () => {
      throw new Error('Sign in first')
    }
    const provider = () => authorizationCode({ redirectUri: 'http://127.0.0.1:7777/cb', store, signInTtlMs: 600_000, authorize })
    const call = () => reasonOf(openClient(server.url, provider()).call())
    await call()
    await call()
    expect(server.login.requestsTo('register').length).toBe(1)
    await atLaterTime(700_000, call)
    expect(server.login.requestsTo('register').length).toBe(2)
  })

  test('is replaced by a device sign-in', async () => {
    const server = await startProtectedServer({ pollIntervalMs: 0 })
    const { store } = memoryStores()
    const prompt = async ({ verificationUriComplete }: { verificationUriComplete?: URL }) =>
      void (await fetch(verificationUriComplete!))
    const call = () => openClient(server.url, deviceCode({ store, prompt })).call()
    server.login.setFaults({ responses: { device: ({ parameters }) => fast(parameters) } })
    const dead = new Set<string | null>()
    const fast = (parameters: URLSearchParams) =>
      dead.has(parameters.get('client_id')) ? { status: 401, body: { error: 'invalid_client' } } : undefined
    expect(await call()).toBe(200)
    dead.add(server.login.requestsTo('device')[0]!.parameters.get('client_id'))
    server.login.setFaults({
      responses: {
        device: ({ parameters }) => fast(parameters),
        token: onRefresh({ status: 400, body: { error: 'invalid_grant' } }),
      },
    })
    expect(await atLaterTime(HOUR, call)).toBe(200)
    expect(server.login.requestsTo('register').length).toBe(2)
  }, 60_000)
})

describe('signing out', () => {
  test('revokes and forgets the tokens, and the registration', async () => {
    const { server, store, provider } = await start()
    const auth = provider()
    const client = openClient(server.url, auth)
    await client.call()
    expect(await auth.signOut(server.url)).toEqual({ wasSignedIn: true, revoked: true })
    expect(server.login.requestsTo('revoke').map(({ parameters }) => parameters.get('token_type_hint'))).toEqual([
      'refresh_token',
      'access_token',
    ])
    expect(await store.list('')).toEqual([])
    expect(await client.call()).toBe(200)
    expect(count(server)).toMatchObject({ registered: 2, signIns: 2 })
    expect(await provider().signOut(new URL('/other', server.url))).toEqual({ wasSignedIn: false, revoked: false })
  })

  test.each([
    ['has no revocation endpoint', { metadata: { revocation_endpoint: undefined } }],
    ['fails', { responses: { revoke: { status: 503 } } }],
    ['cannot be reached', { responses: { revoke: { reset: true } } }],
  ])('forgets the tokens also if the server %s', async (_, faults) => {
    const { server, store, provider, call } = await start()
    server.login.setFaults(faults)
    await call()
    expect(await provider().signOut(server.url)).toEqual({ wasSignedIn: true, revoked: false })
    expect(await store.list('')).toEqual([])
  })
})

describe('F4 an imperfect optional member costs no token', () => {
  const BAD = [undefined, null, '', ' ', 'x', 7, -1, 1e300, true, [], ['a'], {}]
  const cases = (['token_type', 'refresh_token', 'expires_in', 'scope', 'id_token'] as const).flatMap((name) =>
    BAD.filter((value) => name !== 'token_type' || value !== 'x').map((value) => [name, value] as const),
  )
  test.each(cases)('at sign-in and refresh: %s is %j', async (name, value) => {
    const { server, call, later } = await start()
    server.login.setFaults({ token: { [name]: value } })
    expect(await call()).toBe(200)
    expect(await later()).toBe(200)
  })

  const members = [
    'client_secret',
    'client_secret_expires_at',
    'token_endpoint_auth_method',
    'client_id_issued_at',
    'redirect_uris',
    'grant_types',
    'scope',
  ] as const
  test.each(members.flatMap((name) => BAD.map((value) => [name, value] as const)))(
    'at registration: %s is %j',
    async (name, value) => {
      const known = { client_id: 'known', redirect_uris: ['http://127.0.0.1/callback'], client_secret: 'x' }
      const { server, call } = await start({}, { clients: [name === 'client_secret' && value === 'x' ? known : publicClient] })
      server.login.setFaults({ responses: { register: { status: 201, body: { client_id: 'known', [name]: value } } } })
      expect(await call()).toBe(200)
    },
  )
})

const publicClient = { client_id: 'known', redirect_uris: ['http://127.0.0.1/callback'], token_endpoint_auth_method: 'none' }

describe('S1 the authentication method of a registration', () => {
  const methodOf = ({ login }: ProtectedServer, at = 0) =>
    (login.requestsTo('register')[at]?.body as { token_endpoint_auth_method?: string } | undefined)?.token_endpoint_auth_method

  test.each([
    [['client_secret_post', 'client_secret_basic'], 'client_secret_post'],
    [['client_secret_basic', 'client_secret_post'], 'client_secret_basic'],
    [['private_key_jwt', 'client_secret_post'], 'client_secret_post'],
    [['client_secret_basic', 'none'], 'none'],
    ['client_secret_post', 'client_secret_post'],
    [undefined, 'none'],
    [['tls_client_auth'], 'none'],
  ])('is chosen from %j as %s', async (listed, expected) => {
    const { server, call } = await start()
    server.login.setFaults({ metadata: { token_endpoint_auth_methods_supported: listed } })
    expect(await call()).toBe(200)
    expect(methodOf(server)).toBe(expected)
  })

  test('is replaced by the next one if the server refuses it', async () => {
    const { server, call } = await start()
    server.login.setFaults({
      metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] },
      responses: {
        token: ({ headers }) => (headers.authorization ? { status: 401, body: { error: 'invalid_client' } } : undefined),
      },
    })
    expect(await call()).toBe(200)
    expect([methodOf(server, 0), methodOf(server, 1)]).toEqual(['client_secret_basic', 'client_secret_post'])
  })

  test('and every other member is what the user says', async () => {
    const registrationMetadata = {
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code'],
      response_types: ['code', 'none'],
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/other'],
      scope: 'a b',
      client_name: 'Mine',
    }
    const { server, call } = await start({ registrationMetadata, scopes: ['a'] })
    expect(await call()).toBe(200)
    expect(server.login.requestsTo('register').map(({ body }) => body)).toEqual([registrationMetadata])
  })

  test.each([
    ['refuses an id in the form', true],
    ['looks for the id in the form', false],
  ])('can send the secret in a header to a server that %s', async (_, refuses) => {
    const { server, call, later } = await start()
    server.login.setFaults({
      metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic'] },
      responses: {
        token({ headers, parameters }) {
          if (!headers.authorization?.startsWith('Basic ')) return { status: 401, body: { error: 'invalid_client' } }
          if (refuses && parameters.has('client_id')) return { status: 400, body: { error: 'invalid_request' } }
          return refuses || parameters.has('client_id') ? undefined : { status: 401, body: { error: 'invalid_client' } }
        },
      },
    })
    expect(await call()).toBe(200)
    expect(await later()).toBe(200)
    expect(server.login.requestsTo('register')).toHaveLength(1)
  })
})

describe('S2 the scopes of a registration', () => {
  const scopes = ({ login }: ProtectedServer) =>
    login.requestsTo('register').map(({ body }) => (body as { scope?: string }).scope)
  /** Refuses requests for scopes that the client is not registered for. */
  const strict = ({ login }: ProtectedServer) => {
    login.setFaults({
      responses: {
        authorize: ({ parameters }) => {
          const registered = login.requestsTo('register').at(-1)?.body as { scope?: string } | undefined
          const allowed = registered?.scope?.split(' ') ?? []
          const isAllowed = (parameters.get('scope') ?? '').split(' ').every((scope) => allowed.includes(scope))
          const back = `${parameters.get('redirect_uri')}?error=invalid_scope&state=${parameters.get('state')}&iss=${encodeURIComponent(login.issuer)}`
          return isAllowed ? undefined : { status: 302, headers: { location: back }, body: '' }
        },
      },
    })
  }

  test('are those of the sign-in and of the resource', async () => {
    const { server, call } = await start()
    server.metadata = { scopes_supported: ['read', 'write'] }
    server.requiredScope = 'read'
    strict(server)
    expect(await call()).toBe(200)
    server.requiredScope = 'write'
    expect(await call()).toBe(200)
    expect(scopes(server)).toEqual(['read write'])
  })

  test('grow with a new registration when a sign-in needs more', async () => {
    const { server, call } = await start()
    server.requiredScope = 'read'
    strict(server)
    expect(await call()).toBe(200)
    server.requiredScope = 'admin'
    expect(await call()).toBe(200)
    expect(scopes(server)).toEqual(['read', 'read admin'])
  })

  test('are replaced if the server refuses those of a stored registration', async () => {
    const { server, call, store } = await start()
    await call()
    const [key = ''] = await store.list('portcall:client:')
    const { scope: _, ...old } = JSON.parse((await store.get(key)) ?? '{}')
    await store.set(key, JSON.stringify(old))
    server.requiredScope = 'read'
    strict(server)
    expect(await call()).toBe(200)
    expect(scopes(server)).toEqual([undefined, 'read'])
  })

  test('are left out if the server refuses them', async () => {
    const { server, call } = await start({ scopes: ['read'] })
    server.metadata = { scopes_supported: ['read', 'write'] }
    server.login.setFaults({
      responses: {
        register: ({ body }) =>
          (body as { scope?: string }).scope === undefined ? undefined : { status: 403, body: { error: 'insufficient_scope' } },
      },
    })
    expect(await call()).toBe(200)
    expect(scopes(server)).toEqual(['read write', 'read', undefined])
  })
})

describe('S6 offline_access', () => {
  const asked = ({ login }: ProtectedServer) => login.requestsTo('authorize').map(({ parameters }) => parameters.get('scope'))
  const listed = { scopes: ['read', 'offline_access'] }

  test('is requested again without, if the server refuses it at the token endpoint, which is remembered', async () => {
    const { server, call, later } = await start({ scopes: ['read'] }, listed)
    server.login.setFaults({
      responses: {
        token: () =>
          asked(server).at(-1)?.includes('offline_access') ? { status: 400, body: { error: 'not_allowed' } } : undefined,
      },
    })
    expect(await call()).toBe(200)
    expect(await later()).toBe(200)
    expect(asked(server)).toEqual(['read offline_access', 'read', 'read'])
  })

  test('is not requested if the user says so', async () => {
    const { server, call } = await start({ scopes: ['read'], offlineAccess: false }, listed)
    expect(await call()).toBe(200)
    expect(asked(server)).toEqual(['read'])
  })

  test('is requested if the user names it', async () => {
    const { server, call } = await start({ scopes: ['read', 'offline_access'], offlineAccess: false }, listed)
    server.login.setFaults({ responses: { token: { status: 400, body: { error: 'not_allowed' } } } })
    expect(await reasonOf(call())).toBe('token_refused')
    expect(asked(server)).toEqual(['read offline_access'])
  })

  test('is no reason to ask again when the user declines', async () => {
    const { server, call } = await start({ scopes: ['read'] }, listed)
    server.login.setFaults({ redirect: { code: undefined, error: 'access_denied' } })
    expect(await reasonOf(call())).toBe('denied')
    expect(asked(server)).toHaveLength(1)
  })

  test('is remembered as refused when another process finishes the sign-in', async () => {
    const server = await startProtectedServer(listed)
    const { store } = memoryStores()
    let page: URL | undefined
    const authorize: AuthorizationCodeOptions['authorize'] = async (url) => {
      page = url
      throw new Error('Sign in first')
    }
    const provider = () => authorizationCode({ redirectUri: 'http://127.0.0.1:7777/cb', store, scopes: ['read'], authorize })
    await reasonOf(openClient(server.url, provider()).call())
    server.login.setFaults({ responses: { token: { status: 400, body: { error: 'not_allowed' } } } })
    const response = await fetch(page!, { redirect: 'manual' })
    expect(await reasonOf(provider().finishSignIn(response.headers.get('location')!))).toBe('token_refused')
    await reasonOf(openClient(server.url, provider()).call())
    expect(page?.searchParams.get('scope')).toBe('read')
  })
})

test('S7 the error about a refused token says why, cut and printable', async () => {
  const { server, call } = await start()
  const challenge = `Bearer error="invalid_token", error_description="The audience is wrong\t${'x'.repeat(500)}"`
  server.respond = () => ({ status: 401, headers: { 'www-authenticate': challenge } })
  const error = await call().catch((thrown: AuthError) => thrown)
  expect(error).toMatchObject({
    reason: 'retries_exhausted',
    message: expect.stringMatching(/ refuses an access token that was just issued: invalid_token: The audience is wrong x+$/),
    response: { error: 'invalid_token', description: expect.stringContaining('The audience is wrong') },
  })
  expect((error as AuthError).message.length).toBeLessThan(450)
})
