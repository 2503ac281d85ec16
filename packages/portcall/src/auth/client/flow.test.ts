import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { createMemoryStore } from '../../stores/memory-store.ts'
import { browser } from './browser.ts'
import type { AuthError } from './errors.ts'
import { headless, later, openRemote, type Protected, protect, startLogin } from './site.test-kit.ts'

const times = <T>(count: number, run: () => T): T[] => Array.from({ length: count }, run)
const grants = ({ login }: Pick<Protected, 'login'>) => login.asked('token').map(({ parameters }) => parameters.get('grant_type'))
const faultOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `none: ${String(value)}`,
    (error: AuthError) => error.fault ?? String(error),
  )

describe('a call without a token', () => {
  test('C50 signs in once, whoever waits for it, and names the resource everywhere', async () => {
    const site = await protect()
    const { call } = openRemote(site.url, browser({ open: headless }))
    expect(new Set(await Promise.all(times(50, () => call())))).toEqual(new Set([200]))
    expect(grants(site)).toEqual(['authorization_code'])
    const asked = [...site.login.asked('authorize'), ...site.login.asked('token')]
    expect(asked.map(({ parameters }) => parameters.getAll('resource'))).toEqual([[site.url], [site.url]])
    expect(new Set(site.calls.filter(({ status }) => status === 401).map(({ token }) => token))).toEqual(new Set([undefined]))
  })

  test('has a state and a challenge of its own in each attempt', async () => {
    const site = await protect()
    for (const _ of times(2, () => 0)) await openRemote(site.url, browser({ open: headless })).call()
    const [first, second] = site.login.asked('authorize').map(({ parameters }) => Object.fromEntries(parameters))
    for (const name of ['state', 'code_challenge', 'client_id']) expect(first?.[name]).not.toBe(second?.[name])
  })

  test('fails for all who wait when the user says no, who is asked once', async () => {
    const decide = vi.fn(() => ({ error: 'access_denied' }))
    const site = await protect({ decide })
    const { call } = openRemote(site.url, browser({ open: headless }))
    const faults = await Promise.all(times(10, () => faultOf(call())))
    expect(new Set(faults)).toEqual(new Set(['denied']))
    expect(decide).toHaveBeenCalledTimes(1)
  })

  test('gives the sign-in up when nobody waits for it any more', async () => {
    const site = await protect()
    const open = vi.fn(async () => {})
    const { call } = openRemote(site.url, browser({ open }))
    const controllers = times(3, () => new AbortController())
    const reasons = controllers.map(({ signal }) => faultOf(call(signal)))
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

  test('times out, and nothing listens any more', async () => {
    const site = await protect()
    let back = ''
    const open = (url: URL): void => void (back = url.searchParams.get('redirect_uri')!)
    const { call } = openRemote(site.url, browser({ open, timeoutMs: 50 }))
    expect(await faultOf(call())).toBe('timed_out')
    await expect(fetch(back)).rejects.toThrow()
  })
})

describe('an expired token', () => {
  test('C64 is refreshed once by 50 calls in three clients that share a store, and nobody signs in again', async () => {
    const site = await protect()
    const store = createMemoryStore()
    const open = vi.fn(headless)
    const clients = times(3, () => openRemote(site.url, browser({ store, open })))
    for (const { call } of clients) expect(await call()).toBe(200)
    expect(grants(site)).toEqual(['authorization_code'])
    await later(310_000, async () => {
      const calls = clients.flatMap(({ call }) => times(50, () => call()))
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
    })
    expect(grants(site)).toEqual(['authorization_code', 'refresh_token'])
    expect(site.login.asked('token').at(-1)?.parameters.get('resource')).toBe(site.url)
    expect(open).toHaveBeenCalledTimes(1)
  })

  test('is refreshed before it expires', async () => {
    const site = await protect({ lifetimes: { access: 100 } })
    const { call } = openRemote(site.url, browser({ open: headless, refreshAheadMs: 40_000 }))
    await call()
    await later(55_000, call)
    expect(grants(site)).toEqual(['authorization_code'])
    await later(65_000, call)
    expect(grants(site)).toEqual(['authorization_code', 'refresh_token'])
    expect(site.calls.map(({ status }) => status)).toEqual([401, 200, 200, 200])
  })

  test('that cannot be refreshed any more leads to one sign-in', async () => {
    const site = await protect()
    const open = vi.fn(headless)
    const { call } = openRemote(site.url, browser({ open }))
    await call()
    site.login.set({ answers: { token: refusesRefresh } })
    await later(310_000, async () => {
      expect(new Set(await Promise.all(times(10, () => call())))).toEqual(new Set([200]))
    })
    expect(grants(site)).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  test('that expires as it comes is tried, and one sign-in gives one call', async () => {
    const site = await protect({ scopes: ['offline_access'] })
    site.login.set({ token: { expires_in: 0 } })
    const { call } = openRemote(site.url, browser({ open: headless }))
    expect([await call(), await call()]).toEqual([200, 200])
    expect(site.calls.map(({ status }) => status)).toEqual([401, 200, 401, 200])
    expect(grants(site)).toEqual(['authorization_code', 'authorization_code'])
  })

  test('is not replaced by a sign-in when the token endpoint is out of order', async () => {
    const site = await protect()
    const open = vi.fn(headless)
    const { call } = openRemote(site.url, browser({ open }))
    await call()
    site.login.set({ answers: { token: { status: 503, body: '' } } })
    await later(310_000, async () => {
      expect(await faultOf(call())).toBe('token_refused')
    })
    expect(open).toHaveBeenCalledTimes(1)
  })
})

const refusesRefresh = ({ parameters }: { parameters: URLSearchParams }) =>
  parameters.get('grant_type') === 'refresh_token' ? { status: 400, body: { error: 'invalid_grant' } } : undefined

describe('a server that refuses', () => {
  test('C66 every token is not signed in to again and again', async () => {
    const site = await protect()
    site.answer = () => ({ status: 401 })
    const open = vi.fn(headless)
    const { call } = openRemote(site.url, browser({ open }))
    expect(await faultOf(call())).toBe('retries_exhausted')
    expect(await faultOf(call())).toBe('retries_exhausted')
    expect(open).toHaveBeenCalledTimes(1)
    expect(site.calls.length).toBe(3)
  })

  test('C66 a token that it took before is refreshed, then signed in to, then given up', async () => {
    const site = await protect()
    const { call } = openRemote(site.url, browser({ open: headless }))
    expect(await call()).toBe(200)
    site.answer = () => ({ status: 401 })
    expect(await faultOf(call())).toBe('retries_exhausted')
    expect(grants(site)).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  test('for lack of scopes is asked for those and the ones before, once', async () => {
    const site = await protect()
    site.needs = 'notes:read'
    const { call } = openRemote(site.url, browser({ open: headless }))
    expect(await call()).toBe(200)
    site.needs = 'notes:write'
    expect(new Set(await Promise.all(times(10, () => call())))).toEqual(new Set([200]))
    expect(site.login.asked('authorize').map(({ parameters }) => parameters.get('scope'))).toEqual([
      'notes:read',
      'notes:read notes:write',
    ])
  })

  test('C67 for lack of scopes that it has been given is believed', async () => {
    const site = await protect()
    const open = vi.fn(headless)
    const { call } = openRemote(site.url, browser({ open }))
    await call()
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' }
    site.answer = () => ({ status: 403, headers })
    expect([await call(), await call()]).toEqual([403, 403])
    expect(open).toHaveBeenCalledTimes(2)
  })

  test('C67 for lack of ever more scopes is given up after two tries', async () => {
    const site = await protect()
    const open = vi.fn(headless)
    const { call } = openRemote(site.url, browser({ open }))
    await call()
    let count = 0
    const headers = () => ({ 'www-authenticate': `Bearer error="insufficient_scope", scope="more${++count}"` })
    site.answer = () => ({ status: 403, headers: headers() })
    expect([await call(), await call()]).toEqual([403, 403])
    expect(open).toHaveBeenCalledTimes(3)
  })
})

test('C64 nothing of one authorization server is shown to the next one', async () => {
  const site = await protect()
  const store = createMemoryStore()
  const { call } = openRemote(site.url, browser({ store, open: headless }))
  expect(await call()).toBe(200)
  const [first, second] = [site.login, await startLogin()]
  site.login = second
  expect(await call()).toBe(200)
  expect(grants({ login: first })).toEqual(['authorization_code'])
  expect(grants({ login: second })).toEqual(['authorization_code'])
  const [before] = first.asked('authorize')
  expect(second.asked('register').length).toBe(1)
  expect(JSON.stringify(second.requests.map(({ parameters }) => [...parameters]))).not.toContain(
    before?.parameters.get('client_id'),
  )
  site.login = first
  expect(await openRemote(site.url, browser({ store, open: headless })).call()).toBe(200)
  expect(first.asked('register').length).toBe(1)
  expect(grants({ login: first })).toEqual(['authorization_code', 'authorization_code'])
})

test('tokens outlive the process in the store', async () => {
  const site = await protect()
  const store = createMemoryStore()
  await openRemote(site.url, browser({ store, open: headless })).call()
  const never = (): never => {
    throw new Error('nobody is to be asked')
  }
  expect(await openRemote(site.url, browser({ store, open: never })).call()).toBe(200)
  expect(site.calls.map(({ status }) => status)).toEqual([401, 200, 200])
  expect(await faultOf(openRemote(site.url, browser({ store, account: 'bob', open: never })).call())).toContain('nobody')
})
