import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Exchange, ExchangeContext } from './exchange.ts'
import { createIncomingRequests, type IncomingRequests, PeerRequestContext, type RequestSender } from './incoming-requests.ts'
import { notification, type Request, type RequestId, type Response, success } from './message.ts'

const contextOf = (sender: Partial<RequestSender> = {}): PeerRequestContext => new PeerRequestContext({ notify() {}, ...sender })
const request = (id: RequestId, method = 'm'): Request => ({ jsonrpc: '2.0', id, method })

interface RunningRequest {
  id: RequestId
  context: ExchangeContext
  finish(fails?: boolean): void
}

/** Creates an Exchange whose requests are finished by the test. */
function createManualExchange(): { exchange: Exchange; running: RunningRequest[] } {
  const running: RunningRequest[] = []
  const exchange: Exchange = ({ id }, context) =>
    new Promise<Response>((resolve, reject) => {
      running.push({ id, context, finish: (fails) => (fails ? reject(new Error('a secret')) : resolve(success(id, { id }))) })
    })
  return { exchange, running }
}

describe('incoming requests', () => {
  test('S13, H44: 1 and "1" are two requests', async () => {
    const { exchange, running } = createManualExchange()
    const incoming = createIncomingRequests(exchange)
    const responses = [1, '1', 0, ''].map((id) => incoming.handle(request(id), contextOf()))
    expect(incoming.size).toBe(4)
    expect(incoming.cancel('1')).toBe(true)
    for (const { finish } of running.toReversed()) finish()
    expect(await Promise.all(responses)).toEqual([
      success(1, { id: 1 }),
      undefined,
      success(0, { id: 0 }),
      success('', { id: '' }),
    ])
    expect(incoming.size).toBe(0)
  })

  test('S14, H45: a request whose id is in use is refused, without affecting the first one', async () => {
    const { exchange, running } = createManualExchange()
    const incoming = createIncomingRequests(exchange)
    const first = incoming.handle(request(1), contextOf())
    expect(await incoming.handle(request(1), contextOf())).toMatchObject({ id: 1, error: { code: -32600 } })
    expect([running.length, incoming.size]).toEqual([1, 1])
    running[0]?.finish()
    expect(await first).toEqual(success(1, { id: 1 }))
    const again = incoming.handle(request(1), contextOf())
    running[1]?.finish()
    expect(await again).toEqual(success(1, { id: 1 }))
  })

  test('S15: cancelling an id that was sent twice cancels the first request, because the second one never ran', async () => {
    const { exchange, running } = createManualExchange()
    const incoming = createIncomingRequests(exchange)
    const [first, second] = [incoming.handle(request(1), contextOf()), incoming.handle(request(1), contextOf())]
    incoming.cancel(1)
    running[0]?.finish()
    expect([await first, await second]).toMatchObject([undefined, { error: { code: -32600 } }])
  })

  test('S16, H52: a cancelled request sends neither a response nor notifications, whether its signal was read or not', async () => {
    for (const readsSignal of [true, false]) {
      const { exchange, running } = createManualExchange()
      const incoming = createIncomingRequests(exchange)
      const notify = vi.fn()
      const response = incoming.handle(request(1), contextOf({ notify }))
      const context = running[0]?.context
      const early = readsSignal ? context?.signal : undefined
      expect(incoming.cancel(1, 'enough')).toBe(true)
      void context?.notify(notification('late'))
      expect([context?.signal.aborted, context?.signal.reason]).toEqual([true, 'enough'])
      if (early) expect(context?.signal).toBe(early)
      running[0]?.finish()
      expect([await response, notify.mock.calls]).toEqual([undefined, []])
    }
  })

  test('S17, H50: cancelling an unknown id does nothing', async () => {
    const { exchange, running } = createManualExchange()
    const incoming = createIncomingRequests(exchange)
    const response = incoming.handle(request(0), contextOf())
    for (const id of ['0', 1, null, undefined, {}, [0], 'x'.repeat(10_000)]) expect(incoming.cancel(id)).toBe(false)
    running[0]?.finish()
    expect(await response).toEqual(success(0, { id: 0 }))
    expect(incoming.cancel(0)).toBe(false)
  })

  test('S17: id 0 can be cancelled', async () => {
    const { exchange, running } = createManualExchange()
    const incoming = createIncomingRequests(exchange)
    const response = incoming.handle(request(0), contextOf())
    expect(incoming.cancel(0)).toBe(true)
    expect(running[0]?.context.signal.reason).toMatchObject({ name: 'AbortError' })
    running[0]?.finish()
    expect(await response).toBeUndefined()
  })

  test('H42: an error that an Exchange throws, synchronously or not, becomes a generic error', async () => {
    const throws: Exchange = () => {
      throw new Error('a secret')
    }
    for (const exchange of [throws, async () => throws(request(1), {} as ExchangeContext)]) {
      const incoming = createIncomingRequests(exchange)
      expect(await incoming.handle(request(1), contextOf())).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'Internal error' },
      })
      expect(incoming.size).toBe(0)
    }
  })

  test('the context sends notifications and requests to the peer', async () => {
    const seen: unknown[] = []
    const incoming = createIncomingRequests(async ({ id }, context) => {
      void context.notify(notification('n'))
      seen.push(await context.ask?.('m', { a: 1 }))
      return success(id, {})
    })
    const sendRequest = vi.fn(async () => success(7, {}))
    const notify = vi.fn()
    const context = contextOf({ notify, request: sendRequest })
    await incoming.handle(request(1), context)
    expect(seen).toEqual([success(7, {})])
    expect(sendRequest.mock.calls).toEqual([['m', { a: 1 }, context]])
    expect(notify.mock.calls).toEqual([[notification('n')]])
    expect(contextOf().ask).toBeUndefined()
  })
})

/** The expected state: for each id in use, whether it was cancelled. */
type Model = Map<RequestId, { cancelled: boolean }>

interface Real {
  incoming: IncomingRequests
  running: RunningRequest[]
  responses: Map<RunningRequest, Promise<Response | undefined>>
}

const ids = fc.constantFrom<RequestId>(0, 1, '0', '1', '')

const commands = [
  ids.map((id) => ({
    check: () => true,
    toString: () => `handle ${JSON.stringify(id)}`,
    async run(model: Model, { incoming, running, responses }: Real) {
      const before = running.length
      const response = incoming.handle(request(id), contextOf())
      if (model.has(id)) {
        expect(await response).toMatchObject({ id, error: { code: -32600 } })
        expect(running.length).toBe(before)
        return
      }
      model.set(id, { cancelled: false })
      const started = running.at(-1)
      if (started) responses.set(started, response)
    },
  })),
  ids.map((id) => ({
    check: () => true,
    toString: () => `cancel ${JSON.stringify(id)}`,
    async run(model: Model, { incoming }: Real) {
      expect(incoming.cancel(id)).toBe(model.has(id))
      model.set(id, { cancelled: true })
      if (!incoming.cancel(id)) model.delete(id)
    },
  })),
  fc.tuple(ids, fc.boolean()).map(([id, fails]) => ({
    check: (model: Readonly<Model>) => model.has(id),
    toString: () => `finish ${JSON.stringify(id)}${fails ? ' with an error' : ''}`,
    async run(model: Model, { running, responses }: Real) {
      const one = running.findLast((candidate) => candidate.id === id)
      const expected = fails ? { id, error: { code: -32603 } } : { id, result: { id } }
      one?.finish(fails)
      const response = one && (await responses.get(one))
      if (model.get(id)?.cancelled) expect(response).toBeUndefined()
      else expect(response).toMatchObject(expected)
      model.delete(id)
    },
  })),
  fc.constant({
    check: () => true,
    toString: () => 'cancel all',
    async run(model: Model, { incoming }: Real) {
      incoming.cancelAll()
      for (const id of model.keys()) model.set(id, { cancelled: true })
    },
  }),
]

test('any interleaving of requests, cancellations and completions releases everything', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (sequence) => {
      const { exchange, running } = createManualExchange()
      const real: Real = { incoming: createIncomingRequests(exchange), running, responses: new Map() }
      const model: Model = new Map()
      await fc.asyncModelRun(() => ({ model, real }), sequence)
      expect(real.incoming.size).toBe(model.size)
      for (const { finish } of running) finish()
      await Promise.all(real.responses.values())
      expect(real.incoming.size).toBe(0)
    }),
  )
})
