import { afterEach, describe, expect, test } from 'vitest'
import { type DpopServer, send, startDpopServer } from '../../../../test-kit/auth/dpop-server.ts'
import { authorizationServer, type TestAuthorizationServer } from '../../../testing/oauth/authorization-server.ts'
import { workloadIdentity } from './workload-identity.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

/** A platform that issues assertions, and a protected endpoint whose authorization server trusts it. */
async function start(): Promise<{ platform: TestAuthorizationServer; server: DpopServer }> {
  const platform = await authorizationServer()
  const server = await startDpopServer({ trustedIssuers: [{ issuer: platform.issuer, keys: () => platform.keys }] })
  running.push(platform, server)
  return { platform, server }
}

const refused = { code: 'AUTH_FAILED', reason: 'token_refused', response: { error: 'invalid_grant' } }

describe('a workload', () => {
  test('AUX-007 sends the assertion and the resource, but no client id and no secret', async () => {
    const { platform, server } = await start()
    const assertion = () => platform.sign({ sub: 'job', aud: server.login.issuer, jti: crypto.randomUUID() })
    expect(await send(workloadIdentity({ assertion: async () => `${await assertion()}\n` }), server.endpoint)).toBe(200)
    expect(server.acceptedClaims).toMatchObject([{ sub: 'job', aud: server.endpoint.href }])
    const [request] = server.login.requestsTo('token')
    expect([...request!.parameters.keys()].sort()).toEqual(['assertion', 'grant_type', 'resource'])
    expect(request?.parameters.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(server.login.requestsTo('register')).toEqual([])
  })

  test.each([
    ['of another audience', { aud: 'https://other.example.com' }],
    ['that has expired', { exp: 1 }],
  ])('AUX-008 reports that an assertion %s was refused, and tries nothing else', async (_, claims) => {
    const { platform, server } = await start()
    const assertion = await platform.sign({ sub: 'job', aud: server.login.issuer, ...claims })
    const auth = workloadIdentity({ assertion: () => assertion, issuer: server.login.issuer })
    for (let calls = 0; calls < 3; calls++) await expect(send(auth, server.endpoint)).rejects.toMatchObject(refused)
    expect(server.login.requestsTo('token')).toHaveLength(1)
  })

  test('AUX-008 tries again with another assertion', async () => {
    const { platform, server } = await start()
    const claims = { sub: 'job', aud: [server.login.issuer, 'https://other.example.com'] }
    const assertions = [await platform.sign({ ...claims, exp: 1 }), await platform.sign(claims)]
    const auth = workloadIdentity({ assertion: () => assertions.shift() ?? '' })
    await expect(send(auth, server.endpoint)).rejects.toMatchObject(refused)
    expect(await send(auth, server.endpoint)).toBe(200)
  })

  test('C64 sends the assertion only to its audience, whatever authorization server is named', async () => {
    const { platform, server } = await start()
    const claims = { sub: 'job', aud: 'https://login.example.com' }
    const assertion = () => platform.sign(claims)
    const misled = [workloadIdentity({ assertion }), workloadIdentity({ assertion, issuer: 'https://login.example.com' })]
    for (const auth of misled) {
      const sent = send(auth, server.endpoint)
      await expect(sent).rejects.toMatchObject({ code: 'AUTH_FAILED', reason: 'token_refused' })
      await expect(sent).rejects.toThrow(server.login.issuer)
    }
    await expect(send(workloadIdentity({ assertion: () => 'opaque' }), server.endpoint)).rejects.toThrow('not a JWT')
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('AUX-007 accepts the issuer, with or without a trailing slash, and the token endpoint as the audience', async () => {
    const { platform, server } = await start()
    for (const end of ['/', '/token']) {
      const assertion = () => platform.sign({ sub: 'job', aud: server.login.issuer + end })
      await send(workloadIdentity({ assertion }), server.endpoint).catch(() => {})
    }
    expect(server.login.requestsTo('token')).toHaveLength(2)
  })

  test('rejects with the error of its assertion function', async () => {
    const { server } = await start()
    const auth = workloadIdentity({ assertion: () => Promise.reject(new Error('no such file')) })
    await expect(send(auth, server.endpoint)).rejects.toThrow('no such file')
    expect(server.login.requestsTo('token')).toEqual([])
  })
})
