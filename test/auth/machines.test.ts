/** Users who have no browser at hand, and programs that act for themselves. */
import { generateKeyPairSync } from 'node:crypto'
import { type ClientCredentialsOptions, clientCredentials, type DeviceCode, device } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { callText, type Place, testPlace, whoami } from './support/place.ts'
import { USER } from './support/provider.ts'
import { passTime } from './support/time.ts'

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const MACHINE = { client_id: 'nightly', redirect_uris: [], response_types: [], grant_types: ['client_credentials'] }
const SECRET = { ...MACHINE, client_secret: 's3cret & more' }

/** What a provider knows of a program, and what the program knows of itself. */
const PROGRAMS = [
  [
    'a secret in a header',
    { ...SECRET, token_endpoint_auth_method: 'client_secret_basic' },
    { clientSecret: SECRET.client_secret },
  ],
  [
    'a secret in the form',
    { ...SECRET, token_endpoint_auth_method: 'client_secret_post' },
    { clientSecret: SECRET.client_secret },
  ],
  [
    'a key',
    {
      ...MACHINE,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [publicKey.export({ format: 'jwk' })] },
    },
    { privateKey: PEM, algorithm: 'ES256' },
  ],
] as const

function programOf(
  { provider }: Place,
  proof: Partial<ClientCredentialsOptions['client']>,
): ReturnType<typeof clientCredentials> {
  return clientCredentials({ client: { clientId: MACHINE.client_id, issuer: provider.issuer, ...proof } })
}

describe.each(['2026-07-28', '2025-11-25'])('in %s', (revision) => {
  test('a user signs in on another device', async () => {
    const place = await testPlace()
    const shown: string[] = []
    const prompt = async ({ userCode, verificationUriComplete: url }: DeviceCode): Promise<void> => {
      shown.push(userCode)
      await createBrowser().open(String(url))
    }
    const client = await place.connect({ auth: device({ prompt }), revision })
    expect(await whoami(client)).toMatchObject({ subject: USER, scopes: ['notes:read'] })
    expect(shown).toEqual([expect.stringMatching(/^\w{4}-\w{4}$/)])
    expect(place.provider.grants).toEqual([DEVICE])
  })

  test.each(PROGRAMS)('a program gets in with %s, and asks nobody', async (_, metadata, proof) => {
    const place = await testPlace({ clients: [metadata as never] })
    const client = await place.connect({ auth: programOf(place, proof), revision })
    expect(await whoami(client)).toMatchObject({ clientId: MACHINE.client_id, scopes: ['notes:read'] })
    expect(await callText(client, 'write')).toBe('written')
    expect(place.provider.grants).toEqual(['client_credentials', 'client_credentials'])
    expect(place.provider.decisions).toBe(0)
  })

  test('a program whose token has expired, or was revoked, gets another', async () => {
    const [, metadata, proof] = PROGRAMS[0]
    const place = await testPlace({ clients: [metadata as never], accessSeconds: 60, tokens: 'opaque' })
    const client = await place.connect({ auth: programOf(place, proof), revision })
    await whoami(client)
    passTime(61_000)
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    expect(place.provider.grants).toHaveLength(2)
    place.provider.revokeAll()
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    expect(place.provider.grants).toHaveLength(3)
  })

  test('a program with a wrong secret does not get in', async () => {
    const [, metadata] = PROGRAMS[0]
    const place = await testPlace({ clients: [metadata as never] })
    const connecting = place.connect({ auth: programOf(place, { clientSecret: 'wrong' }), revision }).then(whoami)
    await expect(connecting).rejects.toMatchObject({ code: 'AUTH_FAILED', refusal: { error: 'invalid_client' } })
  })
})
