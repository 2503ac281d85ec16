/** Users who have no browser at hand, and programs that act for themselves. */
import { device } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { testPlace, whoami } from './support/place.ts'
import { USER } from './support/provider.ts'

describe.each(['2026-07-28', '2025-11-25'])('in %s', (revision) => {
  test('a user signs in on another device', async () => {
    const place = await testPlace()
    const shown: string[] = []
    const prompt = async ({
      userCode,
      verificationUriComplete,
    }: {
      userCode: string
      verificationUriComplete?: URL
    }): Promise<void> => {
      shown.push(userCode)
      await createBrowser().open(verificationUriComplete!.href)
    }
    const client = await place.connect({ auth: device({ prompt }), revision })
    expect(await whoami(client)).toMatchObject({ subject: USER, scopes: ['notes:read'] })
    expect(shown).toEqual([expect.stringMatching(/^\w{4}-\w{4}$/)])
    expect(place.provider.grants).toEqual(['urn:ietf:params:oauth:grant-type:device_code'])
  })
})
