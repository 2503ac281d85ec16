import { expect, test } from 'vitest'
import { readEvents, readRpcResponse } from './messages.ts'

const RESPONSE = '{"jsonrpc":"2.0","id":1,"result":{}}'

test.each<[string, string, { event: string; data: string }[]]>([
  ['an event', 'event: endpoint\ndata: /messages\n\n', [{ event: 'endpoint', data: '/messages' }]],
  ['an event without a type', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
  [
    'CR and CRLF',
    'data: a\r\rdata:b\r\n\r\n',
    [
      { event: 'message', data: 'a' },
      { event: 'message', data: 'b' },
    ],
  ],
  ['a comment', ': open\n\n', []],
  ['a comment before an event', ': open\n\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
  ['a byte order mark', '\ufeffdata: a\n\n', [{ event: 'message', data: 'a' }]],
  ['an incomplete event', 'data: a\n\ndata: b\n', [{ event: 'message', data: 'a' }]],
  ['JSON', RESPONSE, []],
])('%s', (_, text, events) => {
  expect(readEvents(text)).toEqual(events)
})

test.each([
  ['JSON', RESPONSE],
  ['a batch', `[${RESPONSE}]`],
  ['a stream that starts with a comment', `: open\n\ndata: ${RESPONSE}\n\n`],
])('the response in %s', (_, body) => {
  expect(readRpcResponse({ body })).toEqual(JSON.parse(RESPONSE))
})
