/** Users who sign in with a browser. */
import { type BrowserSignInOptions, browserSignIn } from 'portcall/auth/client'
import { memoryStores } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { USER } from './support/provider.ts'
import { callText, startTestServer, type TestServer, whoami } from './support/test-server.ts'
import { advanceClock } from './support/time.ts'

/** Creates a user whose browser stores the session of the provider. */
function createUser(options: BrowserSignInOptions = {}) {
  const browser = createBrowser()
  const opened: URL[] = []
  const open = async (url: URL): Promise<void> => {
    opened.push(url)
    await browser.open(url.href)
  }
  return { opened, auth: browserSignIn({ timeoutMs: 10_000, open, ...options }) }
}

const refreshes = ({ provider }: TestServer): number => provider.grants.filter((grant) => grant === 'refresh_token').length

describe.each(['2026-07-28', '2025-11-25'])('in %s', (protocolVersion) => {
  test('a user signs in once for all processes that share a store', async () => {
    const server = await startTestServer()
    const { store } = memoryStores()
    const first = createUser({ store })
    const client = await server.connect({ auth: first.auth, protocolVersion })
    expect(await whoami(client)).toMatchObject({ subject: USER, scopes: ['notes:read'] })
    expect(first.opened[0]?.searchParams.get('resource')).toBe(server.url)

    const second = createUser({ store })
    expect(await whoami(await server.connect({ auth: second.auth, protocolVersion }))).toMatchObject({ subject: USER })
    expect(second.opened).toEqual([])
    expect(server.provider.grants).toEqual(['authorization_code'])
  })

  test('an expired token is refreshed repeatedly, and each refresh token is used once', async () => {
    const server = await startTestServer({ accessSeconds: 60 })
    const user = createUser()
    const client = await server.connect({ auth: user.auth, protocolVersion })
    await whoami(client)
    for (let round = 1; round <= 3; round++) {
      advanceClock(61_000)
      await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
      expect(server.provider.grants).toEqual(['authorization_code', ...Array.from({ length: round }, () => 'refresh_token')])
    }
    expect(user.opened).toHaveLength(1)
  })

  test('key rotation does not interrupt users', async () => {
    const server = await startTestServer()
    const store = memoryStores().store
    const client = await server.connect({ auth: createUser({ store }).auth, protocolVersion })
    await whoami(client)
    await server.provider.rotateKeys()
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(server.provider.grants).toEqual(['authorization_code'])
    const other = await server.connect({ auth: createUser().auth, protocolVersion })
    expect(await whoami(other)).toMatchObject({ subject: USER })
    expect(await whoami(client)).toMatchObject({ subject: USER })
  })

  test('tokens of a removed key are refused and refreshed', async () => {
    const server = await startTestServer()
    const user = createUser()
    const client = await server.connect({ auth: user.auth, protocolVersion })
    await whoami(client)
    await server.provider.rotateKeys({ forget: true })
    await whoami(await server.connect({ auth: createUser().auth, protocolVersion }))
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(refreshes(server)).toBe(1)
    expect(user.opened).toHaveLength(1)
  })

  test('a revoked token leads to a new sign-in', async () => {
    const server = await startTestServer({ tokens: 'opaque' })
    const user = createUser()
    const client = await server.connect({ auth: user.auth, protocolVersion })
    expect(await whoami(client)).toMatchObject({ subject: USER })
    server.provider.revokeAll()
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(server.provider.grants).toEqual(['authorization_code', 'authorization_code'])
    expect(user.opened).toHaveLength(2)
  })

  test('additional scopes are requested on demand, together with the granted ones', async () => {
    const server = await startTestServer()
    const user = createUser()
    const client = await server.connect({ auth: user.auth, protocolVersion })
    expect((await whoami(client)).scopes).toEqual(['notes:read'])
    expect(await callText(client, 'write')).toBe('written')
    expect((await whoami(client)).scopes.sort()).toEqual(['notes:read', 'notes:write'])
    expect(user.opened).toHaveLength(2)
  })

  test('tokens are bound to a key, and each request has a proof, also after a refresh', async () => {
    const server = await startTestServer({ accessSeconds: 60, protect: { dpop: { required: true, nonce: true } } })
    const user = createUser({ dpop: true })
    const client = await server.connect({ auth: user.auth, protocolVersion })
    expect(await whoami(client)).toMatchObject({ subject: USER })
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    advanceClock(61_000)
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(refreshes(server)).toBe(1)
    expect(user.opened).toHaveLength(1)
  })
})
