import { describe, expect, test, vi } from 'vitest'
import {
  atLaterTime,
  headlessBrowser,
  openClient,
  type ProtectedServer,
  startAuthorizationServer,
  startProtectedServer,
} from '../../../test-kit/auth/scripted-protected-server.ts'
import { eventually } from '../../../test-kit/eventually.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import type { AuthError } from './errors.ts'
import { browserSignIn } from './grants/browser-sign-in.ts'

const times = <T>(count: number, run: () => T): T[] => Array.from({ length: count }, run)
const grants = ({ login }: Pick<ProtectedServer, 'login'>) =>
  login.requestsTo('token').map(({ parameters }) => parameters.get('grant_type'))
const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `none: ${String(value)}`,
    (error: AuthError) => error.reason ?? String(error),
  )

describe('a call without a token', () => {
  test('C50 shares one sign-in between concurrent calls, and sends the resource with each request', async () => {
    const server = await startProtectedServer()
    const { call } = openClient(server.url, browserSignIn({ open: headlessBrowser }))
    expect(new Set(await Promise.all(times(50, () => call())))).toEqual(new Set([200]))
    expect(grants(server)).toEqual(['authorization_code'])
    const requests = [...server.login.requestsTo('authorize'), ...server.login.requestsTo('token')]
    expect(requests.map(({ parameters }) => parameters.getAll('resource'))).toEqual([[server.url], [server.url]])
    expect(new Set(server.calls.filter(({ status }) => status === 401).map(({ token }) => token))).toEqual(new Set([undefined]))
  })

  test('uses a new state and a new challenge for each sign-in', async () => {
    const server = await startProtectedServer()
    for (const _ of times(2, () => 0)) await openClient(server.url, browserSignIn({ open: headlessBrowser })).call()
    const [first, second] = server.login.requestsTo('authorize').map(({ parameters }) => Object.fromEntries(parameters))
    for (const name of ['state', 'code_challenge', 'client_id']) expect(first?.[name]).not.toBe(second?.[name])
  })

  test('fails all concurrent calls when the user denies access, and asks once', async () => {
    const decide = vi.fn(() => ({ error: 'access_denied' }))
    const server = await startProtectedServer({ decide })
    const { call } = openClient(server.url, browserSignIn({ open: headlessBrowser }))
    const faults = await Promise.all(times(10, () => reasonOf(call())))
    expect(new Set(faults)).toEqual(new Set(['denied']))
    expect(decide).toHaveBeenCalledTimes(1)
  })

  test('aborts the sign-in when all calls are aborted', async () => {
    const server = await startProtectedServer()
    const open = vi.fn(async () => {})
    const { call } = openClient(server.url, browserSignIn({ open }))
    const controllers = times(3, () => new AbortController())
    const reasons = controllers.map(({ signal }) => reasonOf(call(signal)))
    await eventually(() => expect(open).toHaveBeenCalled())
    const [[url]] = open.mock.calls as unknown as [[URL]]
    const listener = url.searchParams.get('redirect_uri')!
    for (const controller of controllers) {
      expect((await fetch(listener)).status).toBe(400)
      controller.abort('changed my mind')
    }
    expect(await Promise.all(reasons)).toEqual(times(3, () => 'changed my mind'))
    await eventually(() => expect(fetch(listener)).rejects.toThrow())
  })

  test('times out and closes the port', async () => {
    const server = await startProtectedServer()
    let redirectUri = ''
    const open = (url: URL): void => void (redirectUri = url.searchParams.get('redirect_uri')!)
    const { call } = openClient(server.url, browserSignIn({ open, timeoutMs: 50 }))
    expect(await reasonOf(call())).toBe('timed_out')
    await expect(fetch(redirectUri)).rejects.toThrow()
  })
})

describe('an expired token', () => {
  test('C64 is refreshed once for 50 calls of each of three clients with a shared store, without another sign-in', async () => {
    const server = await startProtectedServer()
    const store = createMemoryStore()
    const open = vi.fn(headlessBrowser)
    const clients = times(3, () => openClient(server.url, browserSignIn({ store, open })))
    for (const { call } of clients) expect(await call()).toBe(200)
    expect(grants(server)).toEqual(['authorization_code'])
    await atLaterTime(310_000, async () => {
      const calls = clients.flatMap(({ call }) => times(50, () => call()))
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
    })
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    expect(server.login.requestsTo('token').at(-1)?.parameters.get('resource')).toBe(server.url)
    expect(open).toHaveBeenCalledTimes(1)
  })

  test('is refreshed before it expires', async () => {
    const server = await startProtectedServer({ accessTokenTtlMs: 100_000 })
    const { call } = openClient(server.url, browserSignIn({ open: headlessBrowser, refreshAheadMs: 40_000 }))
    await call()
    await atLaterTime(55_000, call)
    expect(grants(server)).toEqual(['authorization_code'])
    await atLaterTime(65_000, call)
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    expect(server.calls.map(({ status }) => status)).toEqual([401, 200, 200, 200])
  })

  test('leads to one sign-in when it can no longer be refreshed', async () => {
    const server = await startProtectedServer()
    const open = vi.fn(headlessBrowser)
    const { call } = openClient(server.url, browserSignIn({ open }))
    await call()
    server.login.setFaults({ responses: { token: rejectRefresh } })
    await atLaterTime(310_000, async () => {
      expect(new Set(await Promise.all(times(10, () => call())))).toEqual(new Set([200]))
    })
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  test('is used for one call when it expires immediately', async () => {
    const server = await startProtectedServer({ scopes: ['offline_access'] })
    server.login.setFaults({ token: { expires_in: 0 } })
    const { call } = openClient(server.url, browserSignIn({ open: headlessBrowser }))
    expect([await call(), await call()]).toEqual([200, 200])
    expect(server.calls.map(({ status }) => status)).toEqual([401, 200, 401, 200])
    expect(grants(server)).toEqual(['authorization_code', 'authorization_code'])
  })

  test('does not lead to a sign-in while the token endpoint fails', async () => {
    const server = await startProtectedServer()
    const open = vi.fn(headlessBrowser)
    const { call } = openClient(server.url, browserSignIn({ open }))
    await call()
    server.login.setFaults({ responses: { token: { status: 503, body: '' } } })
    await atLaterTime(310_000, async () => {
      expect(await reasonOf(call())).toBe('token_refused')
    })
    expect(open).toHaveBeenCalledTimes(1)
  })
})

const rejectRefresh = ({ parameters }: { parameters: URLSearchParams }) =>
  parameters.get('grant_type') === 'refresh_token' ? { status: 400, body: { error: 'invalid_grant' } } : undefined

describe('a server that rejects', () => {
  test('C66 every token does not cause repeated sign-ins', async () => {
    const server = await startProtectedServer()
    server.respond = () => ({ status: 401 })
    const open = vi.fn(headlessBrowser)
    const { call } = openClient(server.url, browserSignIn({ open }))
    expect(await reasonOf(call())).toBe('retries_exhausted')
    expect(await reasonOf(call())).toBe('retries_exhausted')
    expect(open).toHaveBeenCalledTimes(1)
    expect(server.calls.length).toBe(3)
  })

  test('C66 a token that it accepted before leads to one refresh and one sign-in, then to an error', async () => {
    const server = await startProtectedServer()
    const { call } = openClient(server.url, browserSignIn({ open: headlessBrowser }))
    expect(await call()).toBe(200)
    server.respond = () => ({ status: 401 })
    expect(await reasonOf(call())).toBe('retries_exhausted')
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  test('a token for missing scopes leads to one request for these and the previous scopes', async () => {
    const server = await startProtectedServer()
    server.requiredScope = 'notes:read'
    const { call } = openClient(server.url, browserSignIn({ open: headlessBrowser }))
    expect(await call()).toBe(200)
    server.requiredScope = 'notes:write'
    expect(new Set(await Promise.all(times(10, () => call())))).toEqual(new Set([200]))
    expect(server.login.requestsTo('authorize').map(({ parameters }) => parameters.get('scope'))).toEqual([
      'notes:read',
      'notes:read notes:write',
    ])
  })

  test('C67 a token for scopes that were requested already gets no new token', async () => {
    const server = await startProtectedServer()
    const open = vi.fn(headlessBrowser)
    const { call } = openClient(server.url, browserSignIn({ open }))
    await call()
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' }
    server.respond = () => ({ status: 403, headers })
    expect([await call(), await call()]).toEqual([403, 403])
    expect(open).toHaveBeenCalledTimes(2)
  })

  test('C67 tokens for ever more scopes gets two new tokens at most', async () => {
    const server = await startProtectedServer()
    const open = vi.fn(headlessBrowser)
    const { call } = openClient(server.url, browserSignIn({ open }))
    await call()
    let count = 0
    const headers = () => ({ 'www-authenticate': `Bearer error="insufficient_scope", scope="more${++count}"` })
    server.respond = () => ({ status: 403, headers: headers() })
    expect([await call(), await call()]).toEqual([403, 403])
    expect(open).toHaveBeenCalledTimes(3)
  })
})

test('C64 credentials of one authorization server are not sent to another', async () => {
  const server = await startProtectedServer()
  const store = createMemoryStore()
  const { call } = openClient(server.url, browserSignIn({ store, open: headlessBrowser }))
  expect(await call()).toBe(200)
  const [first, second] = [server.login, await startAuthorizationServer()]
  server.login = second
  expect(await call()).toBe(200)
  expect(grants({ login: first })).toEqual(['authorization_code'])
  expect(grants({ login: second })).toEqual(['authorization_code'])
  const [before] = first.requestsTo('authorize')
  expect(second.requestsTo('register').length).toBe(1)
  expect(JSON.stringify(second.requests.map(({ parameters }) => [...parameters]))).not.toContain(
    before?.parameters.get('client_id'),
  )
  server.login = first
  expect(await openClient(server.url, browserSignIn({ store, open: headlessBrowser })).call()).toBe(200)
  expect(first.requestsTo('register').length).toBe(1)
  expect(grants({ login: first })).toEqual(['authorization_code', 'authorization_code'])
})

test('tokens in the store are used by later processes', async () => {
  const server = await startProtectedServer()
  const store = createMemoryStore()
  await openClient(server.url, browserSignIn({ store, open: headlessBrowser })).call()
  const failToOpen = (): never => {
    throw new Error('unexpected sign-in')
  }
  expect(await openClient(server.url, browserSignIn({ store, open: failToOpen })).call()).toBe(200)
  expect(server.calls.map(({ status }) => status)).toEqual([401, 200, 200])
  expect(await reasonOf(openClient(server.url, browserSignIn({ store, account: 'bob', open: failToOpen })).call())).toContain(
    'unexpected sign-in',
  )
})
