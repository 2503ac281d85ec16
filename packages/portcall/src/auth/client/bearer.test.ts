import { expect, test } from 'vitest'
import { token } from './bearer.ts'
import { insecureHttp } from './http/reach.ts'

const endpoint = new URL('https://api.example.com/mcp')
const request = { method: 'POST', url: endpoint }
const answer = (status: number) => ({ status, header: () => undefined })

test('a token is asked for anew for each request', async () => {
  let count = 0
  const authorizer = token(() => `t${++count}`).authorizer(endpoint)
  expect([await authorizer.headers(request), await authorizer.headers(request)]).toEqual([
    { authorization: 'Bearer t1' },
    { authorization: 'Bearer t2' },
  ])
})

test('a refused token is replaced once, and only by another one', async () => {
  const asked: unknown[] = []
  const source = (given: { refused?: string }) => {
    asked.push(given.refused)
    return given.refused === 'old' ? 'new' : 'old'
  }
  const authorizer = token(source).authorizer(endpoint)
  const sent = { ...request, headers: { ...(await authorizer.headers(request)) }, retries: 0 }
  expect(await authorizer.answered(answer(403), sent)).toBe(false)
  expect(await authorizer.answered(answer(401), sent)).toBe(true)
  expect(asked).toEqual([undefined, 'old'])
  expect(await authorizer.headers(request)).toEqual({ authorization: 'Bearer new' })
  expect(await authorizer.answered(answer(401), { ...sent, retries: 1 })).toBe(false)

  const stubborn = token(() => 'same').authorizer(endpoint)
  const again = { ...request, headers: { ...(await stubborn.headers(request)) }, retries: 0 }
  expect(await stubborn.answered(answer(401), again)).toBe(false)
})

test('a token does not travel without https to another machine, unless that is wanted', () => {
  const provider = token(() => 't')
  const plain = new URL('http://api.example.com/mcp')
  expect(() => provider.authorizer(plain)).toThrow(expect.objectContaining({ code: 'AUTH_FAILED', fault: 'address_refused' }))
  expect(() => provider.authorizer(new URL('http://localhost:3000/mcp'))).not.toThrow()
  expect(() => provider.authorizer(new URL('https://10.0.0.5/mcp'))).not.toThrow()
  expect(() => token(() => 't', { allow: [insecureHttp] }).authorizer(plain)).not.toThrow()
})
