import { expect, test } from 'vitest'
import { completeContents, completeParams, completeResult } from './resource-contents.ts'

const uri = 'a:b'

test.each([
  [{ uri }, { uri, text: '' }],
  [
    { uri, text: null, blob: null },
    { uri, text: '' },
  ],
  [
    { uri, mimeType: 'text/plain' },
    { uri, mimeType: 'text/plain', text: '' },
  ],
  [
    { uri, mimeType: 'application/ld+json' },
    { uri, mimeType: 'application/ld+json', text: '' },
  ],
  [
    { uri, mimeType: 'image/png' },
    { uri, mimeType: 'image/png', blob: '' },
  ],
  [
    { uri, mimeType: 'application/octet-stream' },
    { uri, mimeType: 'application/octet-stream', blob: '' },
  ],
  [
    { uri, text: 'a', blob: '' },
    { uri, text: 'a' },
  ],
  [
    { uri, text: '', blob: 'AA==' },
    { uri, blob: 'AA==' },
  ],
  [
    { uri, text: '', blob: '' },
    { uri, text: '' },
  ],
  [
    { uri, text: null, blob: 'AA==' },
    { uri, blob: 'AA==' },
  ],
])('completes contents: %j', (contents, expected) => {
  expect(completeContents(contents)).toEqual(expected)
  expect(completeContents(expected)).toBe(expected)
})

const bare = { type: 'resource', resource: { uri } }
const full = { type: 'resource', resource: { uri, text: '' } }
/** Results by their method, with contents that are not complete, and as they are read. */
const PATHS: [method: string, received: object, read: object][] = [
  [
    'resources/read',
    { contents: [{ uri }, { uri, text: 'a' }] },
    {
      contents: [
        { uri, text: '' },
        { uri, text: 'a' },
      ],
    },
  ],
  ['tools/call', { content: [bare, { type: 'text', text: 'a' }] }, { content: [full, { type: 'text', text: 'a' }] }],
  ['prompts/get', { messages: [{ role: 'user', content: bare }] }, { messages: [{ role: 'user', content: full }] }],
  ['tasks/get', { status: 'completed', result: { content: [bare] } }, { status: 'completed', result: { content: [full] } }],
  [
    'tools/call',
    { inputRequests: { a: { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: [bare] }] } } } },
    { inputRequests: { a: { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: [full] }] } } } },
  ],
]

test.each(PATHS)('completes the contents in a result of %s', (method, received, read) => {
  const before = structuredClone(received)
  expect(completeResult(method, received as never)).toEqual(read)
  expect(received).toEqual(before)
  expect(completeResult(method, read as never)).toBe(read)
})

test('completes the contents of tool results in messages', () => {
  const params = (block: object) => ({
    messages: [{ role: 'user', content: [{ type: 'tool_result', toolUseId: '1', content: [block] }] }],
  })
  expect(completeParams(params(bare))).toEqual(params(full))
})

test.each([
  ['tools/call', { content: 'no list', messages: 1, inputRequests: [], result: null }],
  ['tools/call', { content: [null, { type: 'resource' }, { type: 'resource', resource: 'a' }] }],
  ['resources/read', { contents: null }],
  ['prompts/get', { messages: [{}, 1, { content: null }] }],
])('leaves other results of %s as they are', (method, result) => {
  expect(completeResult(method, result)).toBe(result)
})

test.each([
  [{ type: 'text' }, { type: 'text', text: '' }],
  [
    { type: 'text', text: null },
    { type: 'text', text: '' },
  ],
  [
    { type: 'image', mimeType: 'image/png' },
    { type: 'image', mimeType: 'image/png', data: '' },
  ],
  [
    { type: 'audio', mimeType: 'audio/wav', data: 7 },
    { type: 'audio', mimeType: 'audio/wav', data: '' },
  ],
])('completes the block %j', (block, expected) => {
  const nested = (one: object) => ({ content: [one, { type: 'tool_result', toolUseId: '1', content: [one] }] })
  expect(completeResult('tools/call', nested(block))).toEqual(nested(expected))
  expect(completeResult('prompts/get', { messages: [{ role: 'user', content: block }] })).toEqual({
    messages: [{ role: 'user', content: expected }],
  })
})
