/** Servers that refuse every token or keep demanding more scopes. */
import { readChallenges } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, failureOf, open } from '../client/support/connection.ts'
import { legacy, type Methods, modern } from '../client/support/eras.ts'
import type { Handler } from '../client/support/raw-server.ts'
import { timed } from '../support/time.ts'
import { failToConnect } from './support/fail-to-connect.ts'
import { testProtectedServer } from './support/protected-server.ts'
import { createUser } from './support/user.ts'

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]

describe('C65: a challenge that is expensive to parse', () => {
  const EXPENSIVE: ReadonlyArray<readonly [what: string, header: string]> = [
    ['quotes', `Bearer realm="${'\\"'.repeat(6000)}`],
    ['unterminated quotes', `Bearer ${'a="'.repeat(4000)}`],
    ['commas', `Bearer ${','.repeat(12_000)}`],
    ['blanks', `Bearer ${' '.repeat(12_000)}x`],
    ['words', `Bearer ${'a '.repeat(6000)}`],
    ['words with a comma', `Bearer ${'a=a,'.repeat(3000)}`],
    ['one word', `Bearer ${'a'.repeat(12_000)}"`],
    ['equals signs', `Bearer ${'='.repeat(12_000)}x`],
    ['a word and signs of equality', `Bearer ${'a'.repeat(6000)}${'='.repeat(6000)}x`],
    ['schemes', 'Bearer, '.repeat(1500)],
  ]

  test.each(EXPENSIVE)('for its %s is parsed quickly', async (_, header) => {
    expect(await timed(async () => readChallenges(header))).toBeLessThan(5000)
    expect(await timed(async () => readChallenges(header.repeat(20)))).toBeLessThan(5000)
  })

  test.each(EXPENSIVE)('for its %s does not prevent discovery at the well-known URL', async (_, header) => {
    const server = await testProtectedServer({ challenge: () => header })
    const { client } = await open(server.url, { auth: createUser().auth })
    expect(await call(client)).toBe('fine')
  })
})

describe.each(ERAS)('a server of %s', (_, serve) => {
  test('C66: that accepts no token causes no endless retries', async () => {
    const { error, user, server } = await failToConnect({ serve: serve({}), accepts: () => false })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'retries_exhausted' })
    expect(user.opened).toHaveLength(1)
    expect(server.login.requestsTo('token')).toHaveLength(1)
    expect(server.tokens.length).toBeLessThanOrEqual(2)
  })

  test('C66: that accepts tokens for lists, but not for calls, causes no endless retries', async () => {
    const isCall = (request: { message: { method?: string } }): boolean => request.message.method === 'tools/call'
    const server = await testProtectedServer({ serve: serve({}), accepts: (_token, request) => !isCall(request) })
    const user = createUser()
    const { client } = await open(server.url, { auth: user.auth })
    for (let at = 0; at < 5; at++) expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requestsTo('token').length).toBeLessThan(15)
    expect(user.opened.length).toBeLessThan(8)
  })

  test('C67: that always demands another scope causes two sign-ins at most', async () => {
    let count = 0
    const server = await testProtectedServer({
      serve: serve({
        'tools/call': (_request, { send }) =>
          send(403, { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="more:${++count}"` }, 'no'),
      }),
    })
    const user = createUser()
    const { client } = await open(server.url, { auth: user.auth })
    const signedIn = user.opened.length
    for (let at = 0; at < 4; at++) expect(await failureOf(client.callTool('echo'))).toBeInstanceOf(Error)
    expect(user.opened.length - signedIn).toBeLessThanOrEqual(2)
    expect(count).toBeLessThanOrEqual(8)
  })

  test('C67: that demands a granted scope again causes no further sign-in', async () => {
    const server = await testProtectedServer({
      serve: serve({
        'tools/call': (_request, { send }) =>
          send(403, { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="notes:write"' }, 'no'),
      }),
    })
    const user = createUser()
    const { client } = await open(server.url, { auth: user.auth })
    expect(await failureOf(client.callTool('echo'))).toBeInstanceOf(Error)
    expect(await failureOf(client.callTool('echo'))).toBeInstanceOf(Error)
    expect(user.opened).toHaveLength(2)
    expect(new URL(user.opened[1]!).searchParams.get('scope')?.split(' ').sort()).toEqual(['notes:read', 'notes:write'])
  })

  test('C67: that demands another scope once gets both', async () => {
    const includesWrite = (scope: string | null): boolean => scope?.split(' ').includes('notes:write') ?? false
    const server = await testProtectedServer({
      serve: serve({
        'tools/call'(request, answer) {
          const requested = server.login.requestsTo('authorize').at(-1)?.parameters.get('scope') ?? null
          if (includesWrite(requested)) return serve({})(request, answer)
          answer.send(403, { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="notes:write"' }, 'no')
        },
      }),
    })
    const { client } = await open(server.url, { auth: createUser().auth })
    expect(await call(client)).toBe('fine')
  })
})

test('C66: 50 concurrent calls with a refused token share one refresh, without a sign-in', async () => {
  const refused = new Set<string>()
  const server = await testProtectedServer({ accepts: (token) => !refused.has(token) })
  const user = createUser()
  const { client } = await open(server.url, { auth: user.auth })
  await call(client)
  for (const token of server.tokens) refused.add(token)
  const calls = Array.from({ length: 50 }, () => call(client))
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['fine']))
  expect(server.login.requestsTo('token').map(({ parameters }) => parameters.get('grant_type'))).toEqual([
    'authorization_code',
    'refresh_token',
  ])
  expect(user.opened).toHaveLength(1)
})
