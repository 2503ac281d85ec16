import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
import { isSuccess, type Request, type Response, success } from '../jsonrpc/message.ts'
import { createMemoryStore } from '../stores/memory/store.ts'
import { concurrencyLimit } from './concurrency-limit.ts'
import { rateLimit } from './rate-limit.ts'
import { resultSizeLimit } from './result-size-limit.ts'

const contextOf = (principal?: string): ExchangeContext => ({
  signal: new AbortController().signal,
  notify() {},
  ...(principal && { auth: { principal } }),
})
const toolCall = (name = 'search', id = 1): Request => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
const complete = async ({ id }: Request): Promise<Response> => success(id, { resultType: 'complete', content: [] })

/** Sends requests one after the other and returns whether each was let through. */
async function outcomes(middleware: Middleware, requests: ReadonlyArray<[Request, ExchangeContext]>): Promise<boolean[]> {
  const allowed: boolean[] = []
  for (const [request, context] of requests) {
    const response = await middleware(request, context, complete)
    allowed.push(isSuccess(response) && response.result.isError !== true)
  }
  return allowed
}

describe('rateLimit', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('lets the limit through at once, then one request for each share of the interval', async () => {
    const limit = rateLimit({ limit: 3, intervalMs: 3000 })
    const burst = (n: number) => outcomes(limit, new Array(n).fill([toolCall(), contextOf()]))
    expect(await burst(4)).toEqual([true, true, true, false])
    vi.advanceTimersByTime(1000)
    expect(await burst(2)).toEqual([true, false])
    vi.advanceTimersByTime(60_000)
    expect(await burst(4)).toEqual([true, true, true, false])
  })

  test('lets exactly the limit through at once, whatever the interval', async () => {
    vi.setSystemTime(1_764_100_000_123)
    for (const limit of [7, 9, 11, 13, 60, 600, 7000]) {
      for (const intervalMs of [1000, 60_000, 86_400_000]) {
        const allowed = await outcomes(rateLimit({ limit, intervalMs }), new Array(limit + 1).fill([toolCall(), contextOf()]))
        expect([limit, intervalMs, allowed.lastIndexOf(true)]).toEqual([limit, intervalMs, limit - 1])
      }
    }
  })

  test('counts each principal, and applies to the selected methods and tools only', async () => {
    const limit = rateLimit({ limit: 1, tools: ['search'] })
    const list: Request = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect(
      await outcomes(limit, [
        [toolCall(), contextOf('ada')],
        [toolCall(), contextOf('ada')],
        [toolCall(), contextOf('bob')],
        [toolCall(), contextOf()],
        [toolCall('other'), contextOf('ada')],
        [list, contextOf('ada')],
      ]),
    ).toEqual([true, false, true, true, true, true])
  })

  test('tells the model, or the client, when to try again', async () => {
    const limit = rateLimit({ limit: 1, intervalMs: 5000, methods: ['tools/call', 'resources/read'], key: () => 'all' })
    await limit(toolCall(), contextOf(), complete)
    expect(await limit(toolCall(), contextOf(), complete)).toMatchObject({
      result: { resultType: 'complete', isError: true, content: [{ text: 'Rate limit exceeded. Try again in 5 s' }] },
    })
    const read: Request = { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'memo://1' } }
    expect(await limit(read, contextOf(), complete)).toMatchObject({ error: { code: -32603, data: { retryAfterMs: 5000 } } })
  })

  test('is exact for concurrent requests of several processes with one store', async () => {
    const store = createMemoryStore()
    const processes = Array.from({ length: 4 }, () => rateLimit({ limit: 25, store }))
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, i) => processes[i % 4]!(toolCall('search', i), contextOf('ada'), complete)),
    )
    expect(responses.filter((response) => isSuccess(response) && !response.result.isError)).toHaveLength(25)
  })

  test('never lets more through than the limit in any interval plus what was restored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(2000), { maxLength: 40 }), async (limit, pauses) => {
        const intervalMs = 1000
        const middleware = rateLimit({ limit, intervalMs })
        const start = Date.now()
        let allowed = 0
        for (const pause of pauses) {
          vi.advanceTimersByTime(pause)
          if ((await outcomes(middleware, [[toolCall(), contextOf()]]))[0]) allowed++
          expect(allowed).toBeLessThanOrEqual(limit + ((Date.now() - start) * limit) / intervalMs + 1e-6)
        }
      }),
    )
  })

  test('refuses limits that let nothing through', () => {
    for (const limit of [0, -1, Number.NaN]) expect(() => rateLimit({ limit })).toThrow(RangeError)
  })
})

describe.each([
  { where: 'in this process', options: () => ({}) },
  { where: 'in a store', options: () => ({ store: createMemoryStore() }) },
])('concurrencyLimit $where', ({ options }) => {
  /** Returns an Exchange whose requests run until they are released, and what runs. */
  function gate() {
    const running: Array<() => void> = []
    const next = (request: Request): Promise<Response> =>
      new Promise((resolve) => void running.push(() => resolve(complete(request))))
    return { running, next }
  }

  test('runs the limit at once, queues further requests in order, and refuses the rest', async () => {
    const limit = concurrencyLimit({ limit: 1, maxQueued: 2, ...options() })
    const { running, next } = gate()
    const order: number[] = []
    const send = (id: number) =>
      limit(toolCall('search', id), contextOf(), (request) => {
        order.push(id)
        return next(request)
      })
    const [first, second, third] = [send(1), send(2), send(3)]
    expect(await send(4)).toMatchObject({ result: { isError: true, content: [{ text: expect.stringContaining('1 at once') }] } })
    for (const response of [first, second, third]) {
      await eventually(() => expect(running).toHaveLength(1))
      running.shift()?.()
      expect(await response).toMatchObject({ result: { content: [] } })
    }
    expect(order).toEqual([1, 2, 3])
  })

  test('a request that waits too long is refused, and one that is aborted leaves the queue', async () => {
    const limit = concurrencyLimit({ limit: 1, maxQueued: 1, queueTimeoutMs: 20, ...options() })
    const { running, next } = gate()
    const first = limit(toolCall(), contextOf(), next)
    expect(await limit(toolCall(), contextOf(), next)).toMatchObject({ result: { isError: true } })
    const controller = new AbortController()
    const aborted = limit(toolCall(), { ...contextOf(), signal: controller.signal }, next)
    controller.abort(new Error('cancelled'))
    await expect(aborted).rejects.toThrow('cancelled')
    running.shift()?.()
    await first
    const again = limit(toolCall(), contextOf(), next)
    await eventually(() => expect(running).toHaveLength(1))
    running.shift()?.()
    expect(await again).toMatchObject({ result: { content: [] } })
  })

  test('releases the place of a request that fails', async () => {
    const limit = concurrencyLimit({ limit: 1, ...options() })
    const fail = () => limit(toolCall(), contextOf(), () => Promise.reject(new Error('lost')))
    await expect(fail()).rejects.toThrow('lost')
    await expect(fail()).rejects.toThrow('lost')
  })
})

test('concurrencyLimit is exact over the processes that share a store', async () => {
  const store = createMemoryStore()
  const processes = Array.from({ length: 3 }, () => concurrencyLimit({ limit: 4, maxQueued: 100, store, name: 'shared' }))
  let [running, most] = [0, 0]
  const next = async (request: Request): Promise<Response> => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 2))
    running--
    return complete(request)
  }
  const requests = Array.from({ length: 90 }, (_, at) => processes[at % 3]?.(toolCall('search', at), contextOf('ada'), next))
  expect(
    (await Promise.all(requests)).filter((response) => response && isSuccess(response) && !response.result.isError),
  ).toHaveLength(90)
  expect(most).toBe(4)
  expect(await store.count('portcall:shared:')).toBe(0)
})

describe('resultSizeLimit', () => {
  const respond =
    (text: string) =>
    async (request: Request): Promise<Response> =>
      success(request.id, { content: [{ type: 'text', text }] })

  test('lets small results through, and replaces large ones', async () => {
    const limit = resultSizeLimit({ maxBytes: 200 })
    expect(await limit(toolCall(), contextOf(), respond('x'.repeat(100)))).toMatchObject({
      result: { content: [{ text: 'x'.repeat(100) }] },
    })
    for (const text of ['x'.repeat(200), '語'.repeat(80)])
      expect(await limit(toolCall(), contextOf(), respond(text))).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining('more than the limit of 200') }] },
      })
  })
})
