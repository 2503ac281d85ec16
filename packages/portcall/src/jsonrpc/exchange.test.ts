import { expect, test, vi } from 'vitest'
import { LazyAbort } from '../../../util/src/abort.ts'
import { markImmutable } from '../../../util/src/memo.ts'
import {
  applyMiddleware,
  copySharedResults,
  deriveContext,
  type Exchange,
  type ExchangeContext,
  type Middleware,
} from './exchange.ts'
import { notification, type Success, success } from './message.ts'

const context: ExchangeContext = { signal: new AbortController().signal, notify() {} }

test('without middleware, applyMiddleware returns the Exchange itself', () => {
  const exchange: Exchange = async ({ id }) => success(id, {})
  expect(applyMiddleware(exchange, [])).toBe(exchange)
})

test('the first middleware is the outermost, and may change the request and the response', async () => {
  const order: string[] = []
  const layer =
    (name: string): Middleware =>
    async (request, inner, next) => {
      order.push(`in ${name}`)
      const response = await next({ ...request, method: request.method + name }, inner)
      order.push(`out ${name}`)
      return response
    }
  const exchange = applyMiddleware(async ({ id, method }) => success(id, { method }), [layer('a'), layer('b')])
  expect(await exchange({ jsonrpc: '2.0', id: 1, method: 'm' }, context)).toEqual(success(1, { method: 'mab' }))
  expect(order).toEqual(['in a', 'in b', 'out b', 'out a'])
})

test('a derived context replaces only the members in the overrides', () => {
  const notify = vi.fn()
  const controller = new AbortController()
  let reads = 0
  const original: ExchangeContext = {
    get signal() {
      reads++
      return controller.signal
    },
    notify,
    ask: async () => success(1, {}),
    auth: { principal: 'ann' },
    outgoing: { headers: { 'X-A': '1' } },
  }
  const derived = deriveContext(original, { auth: { principal: 'bob' }, ask: undefined })
  expect(reads).toBe(0)
  expect([derived.auth, derived.ask, derived.outgoing]).toEqual([{ principal: 'bob' }, undefined, original.outgoing])
  void derived.notify(notification('n'))
  expect(notify.mock.calls).toEqual([[notification('n')]])
  expect([derived.signal, reads]).toEqual([controller.signal, 1])
})

test('an own signal replaces both ways to subscribe to an abort', () => {
  const abort = new LazyAbort()
  const original: ExchangeContext = {
    get signal() {
      return abort.signal
    },
    onAbort: (listener) => abort.onAbort(listener),
    notify() {},
  }
  const { signal } = new AbortController()
  expect(deriveContext(original, { signal })).toMatchObject({ signal, onAbort: undefined })
  const listener = vi.fn()
  deriveContext(original, {}).onAbort?.(listener)
  abort.abort('enough')
  expect(listener.mock.calls).toEqual([['enough']])
})

test('a shared result is copied, so that the caller may change it', async () => {
  const result = markImmutable({ tools: ['a'] })
  const exchange = copySharedResults(async ({ id }) => success(id, result))
  const response = (await exchange({ jsonrpc: '2.0', id: 1, method: 'x' }, context)) as Success
  response.result.tools = []
  expect(result).toEqual({ tools: ['a'] })
})
