import { describe, expect, test, vi } from 'vitest'
import { openClient, startProtectedServer } from '../../../../test-kit/auth/scripted-protected-server.ts'
import { eventually } from '../../../../test-kit/eventually.ts'
import { createMemoryStore } from '../../../stores/memory/store.ts'
import { type AuthorizationCodeOptions, authorizationCode } from './authorization-code.ts'

const REDIRECT = 'https://app.example.com/callback'

/** The web server of a program, which sends its user to the sign-in page instead of waiting. */
class RedirectError extends Error {
  readonly url: URL

  constructor(url: URL) {
    super('The user has to sign in')
    this.url = url
  }
}

/** Creates the provider of one process. Its call fails with the URL to sign in at. */
function processWith(store = createMemoryStore(), options: Partial<AuthorizationCodeOptions> = {}) {
  const authorize = async (url: URL): Promise<never> => {
    throw new RedirectError(url)
  }
  return authorizationCode({ redirectUri: REDIRECT, authorize, store, account: 'ann', ...options })
}

/** Returns the URL that the authorization server sends the user to. */
async function signInAt(url: URL | undefined): Promise<string> {
  const response = await fetch(url ?? '', { redirect: 'manual' })
  return response.headers.get('location') ?? ''
}

/** Makes a call that starts a sign-in, and returns the response to it. */
async function startSignIn(server: { url: string }, auth: ReturnType<typeof processWith>): Promise<string> {
  const error = await openClient(server.url, auth)
    .call()
    .then(
      () => undefined,
      (reason: RedirectError) => reason,
    )
  return signInAt(error?.url)
}

describe('a sign-in', () => {
  test('is finished by another process, and the tokens are used by all', async () => {
    const server = await startProtectedServer()
    const store = createMemoryStore()
    const response = await startSignIn(server, processWith(store))
    await processWith(store).finishSignIn(response)
    for (const auth of [processWith(store), processWith(store)]) expect(await openClient(server.url, auth).call()).toBe(200)
    expect(server.login.requestsTo('token')).toHaveLength(1)
  })

  test('is finished by another process while the call waits for it', async () => {
    const server = await startProtectedServer()
    const store = createMemoryStore()
    let url: URL | undefined
    const authorize = async (started: URL): Promise<undefined> => void (url = started)
    const waiting = openClient(server.url, processWith(store, { authorize })).call()
    await eventually(() => expect(url).toBeDefined())
    await processWith(store).finishSignIn(new URL(await signInAt(url)))
    expect(await waiting).toBe(200)
    expect(server.login.requestsTo('token')).toHaveLength(1)
  })

  test('fails in the process that waits, with the error of the process that finished it', async () => {
    const server = await startProtectedServer({ decide: () => ({ error: 'access_denied' }) })
    const store = createMemoryStore()
    let url: URL | undefined
    const authorize = async (started: URL): Promise<undefined> => void (url = started)
    const waiting = openClient(server.url, processWith(store, { authorize })).call()
    await eventually(() => expect(url).toBeDefined())
    const denied = { reason: 'denied', response: { error: 'access_denied' } }
    const outcomes = [processWith(store).finishSignIn(await signInAt(url)), waiting]
    await Promise.all(outcomes.map((outcome) => expect(outcome).rejects.toMatchObject(denied)))
  })

  test('is finished once, however often and by however many processes', async () => {
    const server = await startProtectedServer()
    const store = createMemoryStore()
    const response = await startSignIn(server, processWith(store))
    const finishing = Array.from({ length: 5 }, () => processWith(store).finishSignIn(response))
    const results = await Promise.allSettled(finishing)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(processWith(store).finishSignIn(response)).rejects.toMatchObject({ reason: 'state_mismatch' })
    expect(server.login.requestsTo('token')).toHaveLength(1)
  })

  test('of one account is not finished for another one, so nobody signs in as somebody else', async () => {
    const server = await startProtectedServer()
    const store = createMemoryStore()
    const response = await startSignIn(server, processWith(store, { account: 'mallory' }))
    await expect(processWith(store).finishSignIn(response)).rejects.toMatchObject({ reason: 'state_mismatch' })
    expect(server.login.requestsTo('token')).toHaveLength(0)
    await processWith(store, { account: 'mallory' }).finishSignIn(response)
  })

  test('C63 is not finished with a response of another issuer, and its code goes nowhere', async () => {
    const [server, evil] = [await startProtectedServer(), await startProtectedServer()]
    const store = createMemoryStore()
    const response = new URL(await startSignIn(server, processWith(store)))
    response.searchParams.set('iss', evil.login.issuer)
    await expect(processWith(store).finishSignIn(response)).rejects.toMatchObject({ reason: 'issuer_mismatch' })
    expect([server, evil].flatMap(({ login }) => login.requestsTo('token'))).toEqual([])
  })

  test.each([
    ['no state', 'code=x'],
    ['an unknown state', 'code=x&state=y'],
    ['two states', 'code=x&state=y&state=z'],
  ])('is not finished with %s', async (_, query) => {
    await expect(processWith().finishSignIn(new URLSearchParams(query))).rejects.toMatchObject({ reason: 'state_mismatch' })
  })

  test('is not finished after it has expired', async () => {
    const server = await startProtectedServer()
    let ahead = 0
    const store = createMemoryStore({ now: () => Date.now() + ahead })
    const response = await startSignIn(server, processWith(store, { signInTtlMs: 60_000 }))
    ahead = 61_000
    await expect(processWith(store).finishSignIn(response)).rejects.toMatchObject({ reason: 'state_mismatch' })
  })

  test('keeps its verifier until it is finished, and not its state', async () => {
    const server = await startProtectedServer()
    const store = createMemoryStore()
    const keys = vi.fn(store.set)
    const response = new URL(await startSignIn(server, processWith({ ...store, set: keys })))
    const state = response.searchParams.get('state') ?? ''
    expect(JSON.stringify(keys.mock.calls)).not.toContain(state)
    await processWith(store).finishSignIn(response)
    const [key = ''] = await store.list('portcall:sign-in:')
    expect(await store.get(key)).not.toContain('verifier')
  })

  test('with DPoP is finished by another process if the key is persisted', async () => {
    const server = await startProtectedServer()
    for (const persist of [true, false]) {
      const store = createMemoryStore()
      const response = await startSignIn(server, processWith(store, { dpop: { persist } }))
      const finishing = processWith(store, { dpop: { persist } }).finishSignIn(response)
      if (persist) await finishing
      else await expect(finishing).rejects.toMatchObject({ reason: 'token_refused' })
    }
    expect(server.login.requestsTo('token').map(({ headers }) => typeof headers.dpop)).toContain('string')
  })
})
