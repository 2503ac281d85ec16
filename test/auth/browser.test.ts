/** Users who sign in with their browser. */
import { type BrowserOptions, browser } from 'portcall/auth/client'
import { memory } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { callText, type Place, testPlace, whoami } from './support/place.ts'
import { USER } from './support/provider.ts'
import { passTime } from './support/time.ts'

/** A user, whose browser remembers who they are. */
function createUser(options: BrowserOptions = {}) {
  const window = createBrowser()
  const opened: URL[] = []
  const open = async (url: URL): Promise<void> => {
    opened.push(url)
    await window.open(url.href)
  }
  return { opened, auth: browser({ timeoutMs: 10_000, open, ...options }) }
}

const refreshes = ({ provider }: Place): number => provider.grants.filter((grant) => grant === 'refresh_token').length

describe.each(['2026-07-28', '2025-11-25'])('in %s', (revision) => {
  test('a user signs in, once for all processes that share a store', async () => {
    const place = await testPlace()
    const { store } = memory()
    const first = createUser({ store })
    const client = await place.connect({ auth: first.auth, revision })
    expect(await whoami(client)).toMatchObject({ subject: USER, scopes: ['notes:read'] })
    expect(first.opened[0]?.searchParams.get('resource')).toBe(place.url)

    const second = createUser({ store })
    expect(await whoami(await place.connect({ auth: second.auth, revision }))).toMatchObject({ subject: USER })
    expect(second.opened).toEqual([])
    expect(place.provider.grants).toEqual(['authorization_code'])
  })

  test('an expired token is refreshed, again and again, and each refresh token is used once', async () => {
    const place = await testPlace({ accessSeconds: 60 })
    const user = createUser()
    const client = await place.connect({ auth: user.auth, revision })
    await whoami(client)
    for (let round = 1; round <= 3; round++) {
      passTime(61_000)
      await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
      expect(place.provider.grants).toEqual(['authorization_code', ...Array.from({ length: round }, () => 'refresh_token')])
    }
    expect(user.opened).toHaveLength(1)
  })

  test('keys are rolled over while users go on', async () => {
    const place = await testPlace()
    const store = memory().store
    const client = await place.connect({ auth: createUser({ store }).auth, revision })
    await whoami(client)
    await place.provider.rotateKeys()
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(place.provider.grants).toEqual(['authorization_code'])
    const other = await place.connect({ auth: createUser().auth, revision })
    expect(await whoami(other)).toMatchObject({ subject: USER })
    expect(await whoami(client)).toMatchObject({ subject: USER })
  })

  test('when the old key is withdrawn, its tokens are refused and refreshed', async () => {
    const place = await testPlace()
    const user = createUser()
    const client = await place.connect({ auth: user.auth, revision })
    await whoami(client)
    await place.provider.rotateKeys({ forget: true })
    await whoami(await place.connect({ auth: createUser().auth, revision }))
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(refreshes(place)).toBe(1)
    expect(user.opened).toHaveLength(1)
  })

  test('when access is revoked, the server hears of it, and the user is asked again', async () => {
    const place = await testPlace({ tokens: 'opaque' })
    const user = createUser()
    const client = await place.connect({ auth: user.auth, revision })
    expect(await whoami(client)).toMatchObject({ subject: USER })
    place.provider.revokeAll()
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(place.provider.grants).toEqual(['authorization_code', 'authorization_code'])
    expect(user.opened).toHaveLength(2)
  })

  test('more scopes are asked for when they are needed, with those that were given', async () => {
    const place = await testPlace()
    const user = createUser()
    const client = await place.connect({ auth: user.auth, revision })
    expect((await whoami(client)).scopes).toEqual(['notes:read'])
    expect(await callText(client, 'write')).toBe('written')
    expect((await whoami(client)).scopes.sort()).toEqual(['notes:read', 'notes:write'])
    expect(user.opened).toHaveLength(2)
  })

  test('tokens are bound to a key, of which each request has a proof, also after a refresh', async () => {
    const place = await testPlace({ accessSeconds: 60, protect: { dpop: { required: true, nonce: true } } })
    const user = createUser({ dpop: true })
    const client = await place.connect({ auth: user.auth, revision })
    expect(await whoami(client)).toMatchObject({ subject: USER })
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    passTime(61_000)
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(refreshes(place)).toBe(1)
    expect(user.opened).toHaveLength(1)
  })
})
