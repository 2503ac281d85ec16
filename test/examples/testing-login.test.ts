import { expect, test } from 'vitest'
import { testSignIn, testWithToken } from '../../examples/testing-login.ts'
import { testMixUp } from '../../examples/testing-login-faults.ts'

test('a token issued for a test', testWithToken)

test('a client discovers and signs in by itself', async () => {
  expect(await testSignIn()).toEqual(['metadata', 'register', 'authorize', 'token', 'jwks'])
})

test('an authorization server with configured faults', async () => {
  expect(await testMixUp()).toBe('https://evil.example')
})
