import { describe, expect, test } from 'vitest'
import { Response } from './response.mjs'

const HEAD = 'HTTP/1.1 200 OK\r\nmcp-session-id: abc\r\n'
const SIZED = `${HEAD}content-length: 7\r\n\r\n{"a":1}`
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\ndata: {}\n\r\n10\r\ndata: {"a":10}\n\n\r\n0\r\n\r\n`
const EMPTY = 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'

/** Returns after which pieces a response was complete. */
function completions(text, size) {
  const response = new Response()
  response.begin(true)
  const complete = []
  for (let at = 0; at < text.length; at += size) complete.push(response.push(Buffer.from(text.slice(at, at + size))))
  return { response, complete }
}

describe.each([
  ['with a length', SIZED, '{"a":1}'],
  ['in chunks', CHUNKED, 'data: {}\ndata: {"a":10}\n\n'],
  ['without a body', EMPTY, ''],
])('a response %s', (_, text, body) => {
  test.each([1, 2, 3, 5, 7, 1000])('is complete with its last byte, in pieces of %i', (size) => {
    const { response, complete } = completions(text, size)
    expect(complete.indexOf(true)).toBe(complete.length - 1)
    expect(response.body()).toBe(body)
  })
})

test('status and headers are there, and the next response begins anew', () => {
  const { response } = completions(SIZED, 1000)
  expect([response.status, response.header('Mcp-Session-Id')]).toEqual([200, 'abc'])
  response.begin(true)
  expect(response.push(Buffer.from(EMPTY))).toBe(true)
  expect([response.status, response.header('mcp-session-id')]).toEqual([202, undefined])
})
