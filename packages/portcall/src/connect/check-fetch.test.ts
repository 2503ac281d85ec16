import { expect, test } from 'vitest'
import type { HttpFetch } from '../transports/http/client/types.ts'
import { connect } from './connect.ts'

const open = (fetch: unknown): Promise<unknown> => connect('http://127.0.0.1:9/mcp', { fetch: fetch as HttpFetch })
const transfer = (response: unknown) => () => ({ response, cancel() {} })

test.each([
  ['x', 'string'],
  [42, 'number'],
  [{}, 'an Object'],
])('a fetch option that is no function is a TypeError: %j', async (fetch, what) => {
  const error = await open(fetch).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain(`The option fetch must be a function, not ${what}`)
})

test.each<[string, unknown, string]>([
  ['of the platform', globalThis.fetch, 'must return { response, cancel }, not a Promise'],
  ['that returns a response', () => new Response('x'), 'must return { response, cancel }, not a Response'],
  ['that returns nothing', () => {}, 'must return { response, cancel }, not undefined'],
  [
    'with a response of the platform',
    transfer(Promise.resolve(new Response('x'))),
    'must be { status, header, body }, not a Response',
  ],
  ['without a response', transfer(Promise.resolve(undefined)), 'must be { status, header, body }, not undefined'],
])('a fetch option %s is explained', async (_, fetch, message) => {
  await expect(open(fetch)).rejects.toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringContaining(message) })
})

test('the error of a fetch option is the cause of the connection error', async () => {
  const cause = new Error('no network')
  const fail = (): never => {
    throw cause
  }
  await expect(open(fail)).rejects.toMatchObject({ code: 'CONNECTION_LOST', cause })
})
