import { expect, test } from 'vitest'
import { type Exchange, type ExchangeContext, type Middleware, wrap } from './exchange.ts'
import { success } from './message.ts'

const context: ExchangeContext = { signal: new AbortController().signal, notify() {} }

test('without middleware an Exchange stays itself', () => {
  const exchange: Exchange = async ({ id }) => success(id, {})
  expect(wrap(exchange, [])).toBe(exchange)
})

test('the first middleware is the outermost, and may change request and answer', async () => {
  const order: string[] = []
  const layer =
    (name: string): Middleware =>
    async (request, inner, next) => {
      order.push(`in ${name}`)
      const response = await next({ ...request, method: request.method + name }, inner)
      order.push(`out ${name}`)
      return response
    }
  const exchange = wrap(async ({ id, method }) => success(id, { method }), [layer('a'), layer('b')])
  expect(await exchange({ jsonrpc: '2.0', id: 1, method: 'm' }, context)).toEqual(success(1, { method: 'mab' }))
  expect(order).toEqual(['in a', 'in b', 'out b', 'out a'])
})
