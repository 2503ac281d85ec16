import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answeredId } from './noise.ts'

const cut = (text: string): { unreadable: 'size'; head: string; tail: string } => ({
  unreadable: 'size',
  head: text.slice(0, 1000),
  tail: text.slice(-1000),
})
const big = { text: 'x'.repeat(3000), id: 99, nested: { id: 98 } }

test('the id of an answer is told from its beginning or its end, whatever is inside', () => {
  const id = fc.oneof(fc.maxSafeInteger(), fc.string())
  const inside = fc.jsonValue().map((value) => ({ ...big, value, id: 97 }))
  fc.assert(
    fc.property(id, inside, (id, result) => {
      for (const answer of [
        { jsonrpc: '2.0', id, result },
        { id, jsonrpc: '2.0', error: result },
        { id, result },
        { result, jsonrpc: '2.0', id },
        { jsonrpc: '2.0', result, id },
        { error: result, id, jsonrpc: '2.0' },
      ]) {
        expect(answeredId(cut(JSON.stringify(answer)))).toBe(id)
        expect(answeredId(cut(JSON.stringify(answer, null, 1)))).toBe(id)
      }
    }),
  )
})

test('requests, notifications and what cannot be told for sure have none', () => {
  for (const other of [
    { jsonrpc: '2.0', id: 1, method: 'x', params: big },
    { method: 'x', params: { result: 1, ...big }, id: 1 },
    { jsonrpc: '2.0', method: 'x', params: big },
    { result: big, jsonrpc: '2.0' },
    { result: { text: big.text, last: { id: 5 } } },
    { result: big, id: 1, more: 2 },
    { result: big, id: null },
    { result: big, id: 1.5 },
    { result: `${big.text},"id":7}` },
    [{ jsonrpc: '2.0', id: 1, result: big }],
    big,
  ])
    expect(answeredId(cut(JSON.stringify(other)))).toBeUndefined()
  expect(answeredId({ unreadable: 'size' })).toBeUndefined()
  expect(answeredId(cut('{"id":"\\x","result":1}'))).toBeUndefined()
})
