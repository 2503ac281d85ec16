import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readResponseId } from './unexpected-message.ts'

const truncate = (text: string): { unreadable: 'size'; head: string; tail: string } => ({
  unreadable: 'size',
  head: text.slice(0, 1000),
  tail: text.slice(-1000),
})
const large = { text: 'x'.repeat(3000), id: 99, nested: { id: 98 } }

test('the id of a response is found at its start or its end, whatever its result contains', () => {
  const id = fc.oneof(fc.maxSafeInteger(), fc.string())
  const results = fc.jsonValue().map((value) => ({ ...large, value, id: 97 }))
  fc.assert(
    fc.property(id, results, (id, result) => {
      for (const response of [
        { jsonrpc: '2.0', id, result },
        { id, jsonrpc: '2.0', error: result },
        { id, result },
        { result, jsonrpc: '2.0', id },
        { jsonrpc: '2.0', result, id },
        { error: result, id, jsonrpc: '2.0' },
      ]) {
        expect(readResponseId(truncate(JSON.stringify(response)))).toBe(id)
        expect(readResponseId(truncate(JSON.stringify(response, null, 1)))).toBe(id)
      }
    }),
  )
})

test('requests, notifications and ambiguous texts have no response id', () => {
  for (const other of [
    { jsonrpc: '2.0', id: 1, method: 'x', params: large },
    { method: 'x', params: { result: 1, ...large }, id: 1 },
    { jsonrpc: '2.0', method: 'x', params: large },
    { result: large, jsonrpc: '2.0' },
    { result: { text: large.text, last: { id: 5 } } },
    { result: large, id: 1, more: 2 },
    { result: large, id: null },
    { result: large, id: 1.5 },
    { result: `${large.text},"id":7}` },
    [{ jsonrpc: '2.0', id: 1, result: large }],
    large,
  ])
    expect(readResponseId(truncate(JSON.stringify(other)))).toBeUndefined()
  expect(readResponseId({ unreadable: 'size' })).toBeUndefined()
  expect(readResponseId(truncate('{"id":"\\x","result":1}'))).toBeUndefined()
})
