import { afterEach, describe, expect, test } from 'vitest'
import { authorizationServer, type TestAuthorizationServer } from '../../testing.ts'
import { type ProtectedSite, protectedSite, send } from './protected.test-kit.ts'
import { workload } from './workload.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

/** A platform that vouches for its workloads, and a protected endpoint whose authorization server believes it. */
async function start(): Promise<{ platform: TestAuthorizationServer; site: ProtectedSite }> {
  const platform = await authorizationServer()
  const site = await protectedSite({ trusted: [{ issuer: platform.issuer, keys: () => platform.keys }] })
  running.push(platform, site)
  return { platform, site }
}

const refused = { code: 'AUTH_FAILED', fault: 'token_refused', refusal: { error: 'invalid_grant' } }

describe('a program that its platform vouches for', () => {
  test('AUX-007 sends the assertion and the resource, and neither an id nor a secret', async () => {
    const { platform, site } = await start()
    const assertion = () => platform.sign({ sub: 'job', aud: site.login.issuer, jti: crypto.randomUUID() })
    expect(await send(workload({ assertion: async () => `${await assertion()}\n` }), site.endpoint)).toBe(200)
    expect(site.callers).toMatchObject([{ sub: 'job', aud: site.endpoint.href }])
    const [asked] = site.login.asked('token')
    expect([...asked!.parameters.keys()].sort()).toEqual(['assertion', 'grant_type', 'resource'])
    expect(asked?.parameters.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    expect(asked?.headers).not.toHaveProperty('authorization')
    expect(site.login.asked('register')).toEqual([])
  })

  test.each([
    ['of another audience', { aud: 'https://other.example.com' }],
    ['that has expired', { exp: 1 }],
  ])('AUX-008 says that an assertion %s was refused, and tries nothing else', async (_, claims) => {
    const { platform, site } = await start()
    const assertion = await platform.sign({ sub: 'job', aud: site.login.issuer, ...claims })
    const auth = workload({ assertion: () => assertion, issuer: site.login.issuer })
    for (let calls = 0; calls < 3; calls++) await expect(send(auth, site.endpoint)).rejects.toMatchObject(refused)
    expect(site.login.asked('token')).toHaveLength(1)
  })

  test('AUX-008 tries again with another assertion', async () => {
    const { platform, site } = await start()
    const claims = { sub: 'job', aud: [site.login.issuer, 'https://other.example.com'] }
    const assertions = [await platform.sign({ ...claims, exp: 1 }), await platform.sign(claims)]
    const auth = workload({ assertion: () => assertions.shift() ?? '' })
    await expect(send(auth, site.endpoint)).rejects.toMatchObject(refused)
    expect(await send(auth, site.endpoint)).toBe(200)
  })

  test('C64 shows the assertion to nobody that it is not for, whoever the server names', async () => {
    const { platform, site } = await start()
    const claims = { sub: 'job', aud: 'https://login.example.com' }
    const assertion = () => platform.sign(claims)
    const misled = [workload({ assertion }), workload({ assertion, issuer: 'https://login.example.com' })]
    for (const auth of misled) {
      const sent = send(auth, site.endpoint)
      await expect(sent).rejects.toMatchObject({ code: 'AUTH_FAILED', fault: 'token_refused' })
      await expect(sent).rejects.toThrow(site.login.issuer)
    }
    await expect(send(workload({ assertion: () => 'opaque' }), site.endpoint)).rejects.toThrow('no JWT')
    expect(site.login.asked('token')).toEqual([])
  })

  test('AUX-007 takes the address of the issuer with and without a slash, and that of the token endpoint, for its audience', async () => {
    const { platform, site } = await start()
    for (const end of ['/', '/token']) {
      const assertion = () => platform.sign({ sub: 'job', aud: site.login.issuer + end })
      await send(workload({ assertion }), site.endpoint).catch(() => {})
    }
    expect(site.login.asked('token')).toHaveLength(2)
  })

  test('fails as its source fails', async () => {
    const { site } = await start()
    const auth = workload({ assertion: () => Promise.reject(new Error('no such file')) })
    await expect(send(auth, site.endpoint)).rejects.toThrow('no such file')
    expect(site.login.asked('token')).toEqual([])
  })
})
