import { describe, expect, test } from 'vitest'
import { createNotesServer, ERAS, HANDLERS, RESOURCE, startIssuer, whoami } from '../../../test-kit/auth/protected-server.ts'
import type { TestAuthorizationServer } from '../../testing/oauth/authorization-server.ts'
import { protect } from './protect.ts'
import type { VerifierInput } from './protection.ts'
import { introspection } from './verifiers/introspection.ts'
import { jwt } from './verifiers/jwt.ts'

type Claims = Readonly<Record<string, unknown>>

async function startServer(verify: (as: TestAuthorizationServer) => VerifierInput, tokenFormat: 'jwt' | 'opaque' = 'jwt') {
  const as = await startIssuer({ tokenFormat, clients: [{ client_id: 'rs', client_secret: 's' }] })
  const send = await HANDLERS.fetch(
    createNotesServer(),
    protect({ resource: RESOURCE, authorizationServers: [as.issuer], verify: verify(as) }),
  )
  const bearer = async (claims: Claims): Promise<string> =>
    `Bearer ${await as.issue({ resources: [RESOURCE], claims: { client_id: 'app', ...claims } })}`
  return {
    issuer: as.issuer,
    async principal(claims: Claims): Promise<unknown> {
      const response = await ERAS.modern(send, 'whoami', { authorization: await bearer(claims) })
      if (response.status !== 200) return [response.status, response.headers.get('www-authenticate')]
      return JSON.parse((await response.json()).result.content[0].text).principal
    },
    caller: async (claims: Claims) => whoami(send, await bearer(claims)),
  }
}

const verifiers = {
  jwt: (clientTokens: boolean) => startServer((as) => jwt({ issuer: as.issuer, jwksUri: `${as.issuer}/jwks`, clientTokens })),
  introspection: (clientTokens: boolean) =>
    startServer(
      (as) =>
        introspection({
          issuer: as.issuer,
          endpoint: `${as.issuer}/introspect`,
          clientId: 'rs',
          clientSecret: 's',
          clientTokens,
        }),
      'opaque',
    ),
}
const KINDS = ['jwt', 'introspection'] as const
const REFUSED = [401, expect.stringContaining('The token does not say whose it is')]
const NO_SUBJECTS = [undefined, null, '', {}, ['ann'], 1.5, 2 ** 60]

describe.each(KINDS)('the principal of a caller with a token for %s', (kind) => {
  test.each(NO_SUBJECTS)('is never that of the client if the subject is %j', async (sub) => {
    const { principal } = await verifiers[kind](false)
    expect(await principal({ sub })).toEqual(REFUSED)
  })

  test.each(NO_SUBJECTS)('is that of the client if clientTokens says so and the subject is %j', async (sub) => {
    const { principal, issuer } = await verifiers[kind](true)
    expect(await principal({ sub })).toBe(`client ${issuer}#app`)
  })

  test.each([
    { sid: 's1' },
    { session_state: 's1' },
    { auth_time: 1_700_000_000 },
    { amr: ['pwd'] },
    { act: { sub: 'service' } },
    { email: 'ann@example.com' },
    { preferred_username: 'ann' },
    { user_id: 7 },
    { upn: 'ann@example.com' },
  ])('is not that of the client if the token shows a user with %j', async (claims) => {
    const { principal } = await verifiers[kind](true)
    expect(await principal({ sub: undefined, ...claims })).toEqual(REFUSED)
  })

  test('is that of the subject, also if it is the client or a number', async () => {
    const { principal, issuer } = await verifiers[kind](false)
    expect(await principal({ sub: 'app' })).toBe(`${issuer}#app`)
    expect(await principal({ sub: 42 })).toBe(`${issuer}#42`)
  })
})

test('the user name of an introspection response identifies users in a namespace of their own', async () => {
  const { principal, caller, issuer } = await verifiers.introspection(true)
  const callers = await Promise.all(
    [{ username: 'ada' }, { username: 'bob' }, { username: 'app' }, { sub: 'ada' }, {}].map((claims) =>
      principal({ sub: undefined, ...claims }),
    ),
  )
  expect(callers).toEqual([
    `user ${issuer}#ada`,
    `user ${issuer}#bob`,
    `user ${issuer}#app`,
    `${issuer}#ada`,
    `client ${issuer}#app`,
  ])
  expect(await caller({ sub: undefined, username: 'ada' })).toMatchObject({ username: 'ada', clientId: 'app' })
})

test('the user name identifies the user if the subject is the client', async () => {
  const { principal, issuer } = await verifiers.introspection(false)
  expect(await principal({ sub: 'app', username: 'ada' })).toBe(`user ${issuer}#ada`)
  expect(await principal({ sub: 'app', username: 'app' })).toBe(`${issuer}#app`)
  expect(await principal({ sub: '17', username: 'ada' })).toBe(`${issuer}#17`)
})

test('the user name in a JWT, which no standard defines, identifies nobody', async () => {
  const { principal } = await verifiers.jwt(true)
  expect(await principal({ sub: undefined, username: 'ada' })).toEqual(REFUSED)
})

test('a custom verifier has to say whose a token is, too', async () => {
  const token = { audience: [RESOURCE], scopes: [], clientId: 'app' }
  const plain = await startServer((as) => async () => ({ ...token, issuer: as.issuer }))
  expect(await plain.principal({})).toEqual(REFUSED)
  const empty = await startServer((as) => async () => ({ ...token, issuer: as.issuer, subject: '' }))
  expect(await empty.principal({})).toEqual(REFUSED)
  const own = await startServer((as) => ({ clientTokens: true, verify: async () => ({ ...token, issuer: as.issuer }) }))
  expect(await own.principal({})).toBe(`client ${own.issuer}#app`)
})
