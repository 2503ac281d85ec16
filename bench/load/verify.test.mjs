import { expect, test } from 'vitest'
import { faultOf, messagesOf } from './verify.mjs'

const ID = 10_000_000
const answer = (result) => [{ jsonrpc: '2.0', id: ID, result }]
const sum = (value) => answer({ content: [{ type: 'text', text: JSON.stringify({ sum: value }) }] })
const CHECK = { name: 'sum' }

test('a right answer has no fault', () => {
  expect(faultOf(sum(ID + 2), ID, CHECK)).toBeUndefined()
})

test.each([
  ['another sum', sum(3)],
  ['the answer to another request', [{ ...sum(ID + 2)[0], id: ID + 1 }]],
  ['an error', [{ jsonrpc: '2.0', id: ID, error: { code: -32603, message: 'Internal error' } }]],
  ['a tool that failed', answer({ content: [], isError: true })],
])('%s is a fault', (_, messages) => {
  expect(faultOf(messages, ID, CHECK)).toBeTypeOf('string')
})

test('notifications are counted', () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
  const check = { ...CHECK, notifications: 2 }
  expect(faultOf([notification, notification, ...sum(ID + 2)], ID, check)).toBeUndefined()
  expect(faultOf([notification, ...sum(ID + 2)], ID, check)).toBe('1 notifications')
})

test('a body is one message or a stream of events', () => {
  expect(messagesOf('{"id":1}')).toEqual([{ id: 1 }])
  expect(messagesOf('event: message\r\ndata: {"id":1}\r\n\r\nid: 7\ndata: \n\ndata: {"id":2}\n\n')).toEqual([
    { id: 1 },
    { id: 2 },
  ])
})
