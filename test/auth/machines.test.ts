/** Users without a browser, and programs that act on their own behalf. */
import { generateKeyPairSync } from 'node:crypto'
import { type ClientCredentialsOptions, clientCredentials, type DeviceAuthorization, deviceCode } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { USER } from './support/provider.ts'
import { callText, startTestServer, type TestServer, whoami } from './support/test-server.ts'
import { advanceClock } from './support/time.ts'

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const MACHINE = { client_id: 'nightly', redirect_uris: [], response_types: [], grant_types: ['client_credentials'] }
const SECRET = { ...MACHINE, client_secret: 's3cret & more' }

/** The registration of a program with the provider, and its own credentials. */
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
  { provider }: TestServer,
  proof: Partial<ClientCredentialsOptions['client']>,
): ReturnType<typeof clientCredentials> {
  return clientCredentials({ client: { clientId: MACHINE.client_id, issuer: provider.issuer, ...proof } })
}

describe.each(['2026-07-28', '2025-11-25'])('in %s', (protocolVersion) => {
  test('a user signs in on another device', async () => {
    const server = await startTestServer()
    const shown: string[] = []
    const prompt = async ({ userCode, verificationUriComplete: url }: DeviceAuthorization): Promise<void> => {
      shown.push(userCode)
      await createBrowser().open(String(url))
    }
    const client = await server.connect({ auth: deviceCode({ prompt }), protocolVersion })
    expect(await whoami(client)).toMatchObject({ subject: USER, scopes: ['notes:read'] })
    expect(shown).toEqual([expect.stringMatching(/^\w{4}-\w{4}$/)])
    expect(server.provider.grants).toEqual([DEVICE])
  })

  test.each(PROGRAMS)('a program authenticates with %s, without interaction', async (_, metadata, proof) => {
    const server = await startTestServer({ clients: [metadata as never] })
    const client = await server.connect({ auth: programOf(server, proof), protocolVersion })
    expect(await whoami(client)).toMatchObject({ clientId: MACHINE.client_id, scopes: ['notes:read'] })
    expect(await callText(client, 'write')).toBe('written')
    expect(server.provider.grants).toEqual(['client_credentials', 'client_credentials'])
    expect(server.provider.decisions).toBe(0)
  })

  test('a program whose token has expired or was revoked gets a new one', async () => {
    const [, metadata, proof] = PROGRAMS[0]
    const server = await startTestServer({ clients: [metadata as never], accessSeconds: 60, tokens: 'opaque' })
    const client = await server.connect({ auth: programOf(server, proof), protocolVersion })
    await whoami(client)
    advanceClock(61_000)
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    expect(server.provider.grants).toHaveLength(2)
    server.provider.revokeAll()
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    expect(server.provider.grants).toHaveLength(3)
  })

  test('a program with a wrong secret is refused', async () => {
    const [, metadata] = PROGRAMS[0]
    const server = await startTestServer({ clients: [metadata as never] })
    const connecting = server.connect({ auth: programOf(server, { clientSecret: 'wrong' }), protocolVersion }).then(whoami)
    await expect(connecting).rejects.toMatchObject({ code: 'AUTH_FAILED', response: { error: 'invalid_client' } })
  })
})
