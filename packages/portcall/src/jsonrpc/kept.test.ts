import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Exchange, ExchangeContext } from './exchange.ts'
import { derive, encode, handOut, keep } from './kept.ts'
import type { RequestId, Success } from './message.ts'

const respond = (result: object, id: RequestId = 1): Success => ({ jsonrpc: '2.0', id, result: result as Success['result'] })

test('what is made of a kept object is made once for each purpose, and is kept too', () => {
  const value = keep({ tools: [] })
  const make = vi.fn(() => ({ made: true }))
  const first = derive(value, 'a', make)
  expect(derive(value, 'a', make)).toBe(first)
  expect(derive(value, 'b', make)).not.toBe(first)
  expect(make).toHaveBeenCalledTimes(2)
  expect(derive(first, 'c', make)).toBe(derive(first, 'c', make))
})

test('of any other object everything is made anew', () => {
  const value = { tools: [] }
  const make = vi.fn(() => ({ made: true }))
  expect(derive(value, 'a', make)).not.toBe(derive(value, 'a', make))
  expect(make).toHaveBeenCalledTimes(2)
})

test('a kept result is written like any other', () => {
  const ids = fc.oneof(fc.string(), fc.integer())
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), ids, ids, (result, one, other) => {
      const kept = keep({ ...result })
      for (const id of [one, other])
        expect(JSON.parse(encode(respond(kept, id)))).toEqual(JSON.parse(JSON.stringify(respond(result, id))))
    }),
  )
})

test('who is handed a result may change it', async () => {
  const kept = keep({ tools: ['a'] })
  const exchange: Exchange = handOut(async ({ id }) => respond(kept, id))
  const context: ExchangeContext = { signal: new AbortController().signal, notify() {} }
  const response = (await exchange({ jsonrpc: '2.0', id: 1, method: 'x' }, context)) as Success
  response.result.tools = []
  expect(encode(respond(kept))).toBe('{"jsonrpc":"2.0","id":1,"result":{"tools":["a"]}}')
})

test('notifications are written whole whatever came before, the first one too', async () => {
  vi.resetModules()
  const { encode: encodeAnew } = await import('./kept.ts')
  for (const method of ['', 'a', 'a', '"', '', 'a']) {
    const message = { jsonrpc: '2.0', method, params: { at: method } } as const
    expect(JSON.parse(encodeAnew(message))).toEqual(message)
  }
})
