import { describe, expect, test } from 'vitest'
import { isSameIssuer, normalizeIssuer } from './issuer.ts'

describe('issuers are the same', () => {
  test.each([
    ['https://login.example.com', 'https://login.example.com/'],
    ['https://login.example.com', 'HTTPS://Login.Example.com'],
    ['https://login.example.com', 'https://login.example.com:443/'],
    ['http://127.0.0.1:80', 'http://127.0.0.1/'],
    ['https://login.example.com/?t=1', 'https://login.example.com?t=1'],
    ['https://Login.example.com/Realm', 'https://login.example.com/Realm'],
    ['api-key', 'api-key'],
  ])('%s and %s', (a, b) => {
    expect([isSameIssuer(a, b), isSameIssuer(b, a)]).toEqual([true, true])
    expect(normalizeIssuer(normalizeIssuer(a))).toBe(normalizeIssuer(b))
  })
})

describe('issuers differ', () => {
  test.each([
    ['https://login.example.com/a', 'https://login.example.com/a/'],
    ['https://login.example.com/a', 'https://login.example.com/A'],
    ['https://login.example.com/a', 'https://login.example.com/%61'],
    ['https://login.example.com/a', 'https://login.example.com//a'],
    ['https://login.example.com/a', 'https://login.example.com/b/../a'],
    ['https://login.example.com', 'http://login.example.com'],
    ['https://login.example.com', 'https://login.example.com:8443'],
    ['https://login.example.com', 'https://login.example.com.'],
    ['https://login.example.com', 'https://login.example.com?'],
    ['https://login.example.com', 'https://login.example.com/#'],
    ['https://login.example.com', 'https://user@login.example.com'],
    ['https://login.example.com', 'https:login.example.com'],
    ['https://login.example.com', 'https://login.example.com\\'],
    ['https://login.example.com', ' https://login.example.com'],
    ['https://login.example.com:80', 'https://login.example.com'],
    ['API-KEY', 'api-key'],
    ['', 'https://login.example.com'],
  ])('%s and %s', (a, b) => expect([isSameIssuer(a, b), isSameIssuer(b, a)]).toEqual([false, false]))
})
