import { describe, expect, test } from 'vitest'
import { authorizationKey, authorizationOf, coversAuthorization, credentialKey, TOKEN_DIGEST } from './authorization-key.ts'
import type { Auth } from './exchange.ts'

const ada: Auth = { principal: 'iss#ada', clientId: 'app', scopes: ['read', 'write'], claims: { groups: ['dev'], acr: '1' } }

describe('authorizationKey', () => {
  test.each<[string, Auth]>([
    ['another principal', { ...ada, principal: 'iss#eve' }],
    ['another client', { ...ada, clientId: 'other' }],
    ['fewer scopes', { ...ada, scopes: ['read'] }],
    ['more scopes', { ...ada, scopes: ['read', 'write', 'admin'] }],
    ['scopes that join to the same text', { ...ada, scopes: ['read write'] }],
    ['another claim', { ...ada, claims: { groups: ['ops'], acr: '1' } }],
    ['a claim less', { ...ada, claims: { groups: ['dev'] } }],
    ['scopes that are only a claim', { ...ada, claims: { ...(ada.claims as object), scp: ['admin'] } }],
    ['another member', { ...ada, tenant: 'acme' }],
    ['a member with the name of a token id, deeper', { ...ada, profile: { jti: 1, scope: 'a' } }],
    ['a set', { ...ada, roles: new Set(['admin']) }],
    ['another set', { ...ada, roles: new Set(['user']) }],
    ['a map', { ...ada, roles: new Map([['admin', true]]) }],
    ['a large number', { ...ada, level: 1n }],
  ])('differs for %s', (_what, other) => {
    expect(authorizationKey(other)).not.toBe(authorizationKey(ada))
  })

  test('differs between any two of many callers', () => {
    const values = [undefined, 'a', 'b', ['a'], ['a', 'b'], { a: 1 }, new Set(['a']), new Set(['b']), 1, true, null]
    const auths = values.flatMap((one) => values.map((other): Auth => ({ principal: 'p', one, claims: { other } })))
    expect(new Set(auths.map(authorizationKey)).size).toBe(auths.length)
  })

  test.each<[string, Auth]>([
    ['the same token', { ...ada }],
    ['scopes in another order, and twice', { ...ada, scopes: ['write', 'read', 'read'] }],
    ['members in another order', { claims: { acr: '1', groups: ['dev'] }, ...ada }],
    [
      'a renewed token',
      { ...ada, expiresAt: 5, claims: { ...(ada.claims as object), exp: 5, iat: 1, nbf: 1, jti: 'x', uti: 'y' } },
    ],
  ])('is the same for %s', (_what, other) => {
    expect(authorizationKey(other)).toBe(authorizationKey(ada))
  })

  test('nobody differs from everybody, and members may contain themselves', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    expect(authorizationKey(undefined)).toBe('')
    expect(authorizationKey({ principal: '' })).not.toBe('')
    expect(authorizationKey({ ...ada, cyclic })).not.toBe(authorizationKey(ada))
  })
})

test('an authorization covers one with fewer scopes, and no other', () => {
  const earlier = authorizationOf({ ...ada, scopes: ['read'] })
  expect(coversAuthorization(ada, earlier)).toBe(true)
  expect(coversAuthorization({ ...ada, scopes: ['read'] }, authorizationOf(ada))).toBe(false)
  for (const other of [{ ...ada, clientId: 'other' }, { ...ada, claims: {} }, undefined])
    expect(coversAuthorization(other, earlier)).toBe(false)
  expect(coversAuthorization(ada, authorizationOf(undefined))).toBe(false)
})

test('a token that is sent on has a key of its own for what servers answer, and none for what the caller did', () => {
  const withToken = (digest: string): Auth => ({ ...ada, [TOKEN_DIGEST]: digest })
  const [one, renewed] = [withToken('a'), withToken('b')]
  expect(credentialKey(one)).not.toBe(credentialKey(renewed))
  expect(credentialKey(ada)).toBe(authorizationKey(ada))
  expect(authorizationKey(one)).toBe(authorizationKey(renewed))
  expect(coversAuthorization(renewed, authorizationOf(one))).toBe(true)
})
