import { expect, test } from 'vitest'
import { testSignIn, testWithToken } from '../../examples/testing-login.ts'
import { testMixUp } from '../../examples/testing-login-faults.ts'

test('a token that was made for a test', testWithToken)

test('a client that signs in finds out everything by itself', async () => {
  expect(await testSignIn()).toEqual(['metadata', 'register', 'authorize', 'token', 'jwks'])
})

test('an authorization server that says what it was told to say', async () => {
  expect(await testMixUp()).toBe('https://evil.example')
})
