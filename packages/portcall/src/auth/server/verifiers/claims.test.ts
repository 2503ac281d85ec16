import { describe, expect, test } from 'vitest'
import { readClaims } from './claims.ts'

const ISSUER = 'https://login.example.com'

describe('the binding of a token', () => {
  test.each([
    [{ jkt: 'x' }],
    [{ jkt: 'x', 'kc-jkt-type': 'DPoP' }],
    [{ jkt: 'x', vendor: { any: 1 }, 'x5t#other': 'y', toString: 'z' }],
  ])('is the key thumbprint in %j', (cnf) => expect(readClaims({ cnf }, ISSUER).keyThumbprint).toBe('x'))

  test.each([
    [{ jkt: 'x', 'x5t#S256': 'y' }],
    [{ jkt: 'x', jwk: {} }],
    [{ jkt: 'x', jwe: 'y' }],
    [{ jkt: 'x', jku: 'https://keys.example.com' }],
    [{ jkt: 'x', kid: 'y' }],
    [{ 'kc-jkt-type': 'DPoP' }],
    [{ 'x5t#S256': 'y' }],
    [{ jkt: '' }],
    [{ jkt: 1 }],
    [{}],
    [[]],
    ['x'],
    [null],
  ])('is not supported in %j', (cnf) => expect(() => readClaims({ cnf }, ISSUER)).toThrow('bound in an unsupported way'))

  test('is none without cnf', () => expect(readClaims({}, ISSUER).keyThumbprint).toBeUndefined())
})

test.each([
  [1_700_000_000, 1_700_000_000],
  ['1700000000', 1_700_000_000],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
  [[1], undefined],
])('the expiry %j is read as %j', (exp, expected) => expect(readClaims({ exp }, ISSUER).expiresAt).toBe(expected))
