import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detachParts, stringify } from '../../../../util/src/memo.ts'
import { copySharedResults } from '../../jsonrpc/exchange.ts'
import { type Success, stringifyMessage, success } from '../../jsonrpc/message.ts'
import { createContext } from './own-context.ts'
import { setPartText } from './part-texts.ts'

test('a part that has a text is serialized with it, and all else as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const { part: _, ...rest } = value
      const part = ['as it was']
      setPartText(part, '[ "as it was" ]')
      const object = { ...rest, absent: undefined, part, symbol: Symbol('absent') }
      const text = stringify(object)
      expect(text).toContain('"part":[ "as it was" ]')
      expect(text).toBe(JSON.stringify({ ...rest, part: 0 }).replace(/"part":0\}$/, '"part":[ "as it was" ]}'))
    }),
  )
})

test('a copy without the texts of parts may be changed', () => {
  const value = { list: ['a'], object: { a: 1 }, other: ['b'] }
  setPartText(value.list, '["text"]')
  setPartText(value.object, '{"text":1}')
  expect(stringify(value)).toBe('{"list":["text"],"object":{"text":1},"other":["b"]}')
  const copy = detachParts(value)
  copy.list.push('c')
  expect(stringify(copy)).toBe('{"list":["a","c"],"object":{"a":1},"other":["b"]}')
  expect(value.list).toEqual(['a'])
  expect(detachParts(copy)).toBe(copy)
})

test('a part that is sent as a text is copied, so that the caller may change it', async () => {
  const result = { content: ['a'] }
  setPartText(result.content, '["a"]')
  const exchange = copySharedResults(async ({ id }) => success(id, result))
  const response = (await exchange(
    { jsonrpc: '2.0', id: 1, method: 'x' },
    createContext(new AbortController().signal, undefined),
  )) as Success
  ;(response.result.content as string[]).push('b')
  expect(stringifyMessage(response)).toBe('{"jsonrpc":"2.0","id":1,"result":{"content":["a","b"]}}')
  expect(result).toEqual({ content: ['a'] })
})
