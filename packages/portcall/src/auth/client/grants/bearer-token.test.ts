import { expect, test } from 'vitest'
import { insecureHttp } from '../http/address-policy.ts'
import { bearerToken } from './bearer-token.ts'

const endpoint = new URL('https://api.example.com/mcp')
const request = { method: 'POST', url: endpoint }
const response = (status: number) => ({ status, header: () => undefined })

test('requests a token for each request', async () => {
  let count = 0
  const authorizer = bearerToken(() => `t${++count}`).authorizer(endpoint)
  expect([await authorizer.headers(request), await authorizer.headers(request)]).toEqual([
    { authorization: 'Bearer t1' },
    { authorization: 'Bearer t2' },
  ])
})

test('replaces a rejected token once, and only by a different one', async () => {
  const rejected: unknown[] = []
  const source = (request: { rejectedToken?: string }) => {
    rejected.push(request.rejectedToken)
    return request.rejectedToken === 'old' ? 'new' : 'old'
  }
  const authorizer = bearerToken(source).authorizer(endpoint)
  const sent = { ...request, headers: { ...(await authorizer.headers(request)) }, retries: 0 }
  expect(await authorizer.onResponse(response(403), sent)).toBe(false)
  expect(await authorizer.onResponse(response(401), sent)).toBe(true)
  expect(rejected).toEqual([undefined, 'old'])
  expect(await authorizer.headers(request)).toEqual({ authorization: 'Bearer new' })
  expect(await authorizer.onResponse(response(401), { ...sent, retries: 1 })).toBe(false)

  const unchanged = bearerToken(() => 'same').authorizer(endpoint)
  const again = { ...request, headers: { ...(await unchanged.headers(request)) }, retries: 0 }
  expect(await unchanged.onResponse(response(401), again)).toBe(false)
})

test('refuses to send tokens to another machine without https, unless insecureHttp allows it', () => {
  const provider = bearerToken(() => 't')
  const insecure = new URL('http://api.example.com/mcp')
  expect(() => provider.authorizer(insecure)).toThrow(expect.objectContaining({ code: 'AUTH_FAILED', reason: 'address_refused' }))
  expect(() => provider.authorizer(new URL('http://localhost:3000/mcp'))).not.toThrow()
  expect(() => provider.authorizer(new URL('https://10.0.0.5/mcp'))).not.toThrow()
  expect(() => bearerToken(() => 't', { allow: [insecureHttp] }).authorizer(insecure)).not.toThrow()
})
