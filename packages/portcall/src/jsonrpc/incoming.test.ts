import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Exchange, ExchangeContext } from './exchange.ts'
import { type Carried, createIncoming, type Incoming } from './incoming.ts'
import { notification, type Request, type RequestId, type Response, success } from './message.ts'

const carried: Carried = { notify() {} }
const request = (id: RequestId, method = 'm'): Request => ({ jsonrpc: '2.0', id, method })

interface Held {
  id: RequestId
  context: ExchangeContext
  finish(fails?: boolean): void
}

/** An Exchange whose requests are finished by hand. */
function createHeld(): { exchange: Exchange; held: Held[] } {
  const held: Held[] = []
  const exchange: Exchange = ({ id }, context) =>
    new Promise<Response>((resolve, reject) => {
      held.push({ id, context, finish: (fails) => (fails ? reject(new Error('a secret')) : resolve(success(id, { id }))) })
    })
  return { exchange, held }
}

describe('requests being answered', () => {
  test('S13, H44: 1 and "1" are two requests', async () => {
    const { exchange, held } = createHeld()
    const incoming = createIncoming(exchange)
    const answers = [1, '1', 0, ''].map((id) => incoming.handle(request(id), carried))
    expect(incoming.size).toBe(4)
    expect(incoming.cancel('1')).toBe(true)
    for (const { finish } of held.toReversed()) finish()
    expect(await Promise.all(answers)).toEqual([success(1, { id: 1 }), undefined, success(0, { id: 0 }), success('', { id: '' })])
    expect(incoming.size).toBe(0)
  })

  test('S14, H45: an id in use is refused, and the first request is left alone', async () => {
    const { exchange, held } = createHeld()
    const incoming = createIncoming(exchange)
    const first = incoming.handle(request(1), carried)
    expect(await incoming.handle(request(1), carried)).toMatchObject({ id: 1, error: { code: -32600 } })
    expect([held.length, incoming.size]).toEqual([1, 1])
    held[0]?.finish()
    expect(await first).toEqual(success(1, { id: 1 }))
    const again = incoming.handle(request(1), carried)
    held[1]?.finish()
    expect(await again).toEqual(success(1, { id: 1 }))
  })

  test('S15: cancelling an id that came twice ends the first, for the second never ran', async () => {
    const { exchange, held } = createHeld()
    const incoming = createIncoming(exchange)
    const [first, second] = [incoming.handle(request(1), carried), incoming.handle(request(1), carried)]
    incoming.cancel(1)
    held[0]?.finish()
    expect([await first, await second]).toMatchObject([undefined, { error: { code: -32600 } }])
  })

  test('S16, H52: a cancelled request sends neither answer nor notification, whether its signal was read or not', async () => {
    for (const reads of [true, false]) {
      const { exchange, held } = createHeld()
      const incoming = createIncoming(exchange)
      const notify = vi.fn()
      const answer = incoming.handle(request(1), { notify })
      const context = held[0]?.context
      const early = reads ? context?.signal : undefined
      expect(incoming.cancel(1, 'enough')).toBe(true)
      void context?.notify(notification('late'))
      expect([context?.signal.aborted, context?.signal.reason]).toEqual([true, 'enough'])
      if (early) expect(context?.signal).toBe(early)
      held[0]?.finish()
      expect([await answer, notify.mock.calls]).toEqual([undefined, []])
    }
  })

  test('S17, H50: cancelling what is not there does nothing', async () => {
    const { exchange, held } = createHeld()
    const incoming = createIncoming(exchange)
    const answer = incoming.handle(request(0), carried)
    for (const id of ['0', 1, null, undefined, {}, [0], 'x'.repeat(10_000)]) expect(incoming.cancel(id)).toBe(false)
    held[0]?.finish()
    expect(await answer).toEqual(success(0, { id: 0 }))
    expect(incoming.cancel(0)).toBe(false)
  })

  test('S17: id 0 can be cancelled', async () => {
    const { exchange, held } = createHeld()
    const incoming = createIncoming(exchange)
    const answer = incoming.handle(request(0), carried)
    expect(incoming.cancel(0)).toBe(true)
    expect(held[0]?.context.signal.reason).toMatchObject({ name: 'AbortError' })
    held[0]?.finish()
    expect(await answer).toBeUndefined()
  })

  test('H42: what an Exchange throws, at once or later, is a generic error', async () => {
    const throws: Exchange = () => {
      throw new Error('a secret')
    }
    for (const exchange of [throws, async () => throws(request(1), {} as ExchangeContext)]) {
      const incoming = createIncoming(exchange)
      expect(await incoming.handle(request(1), carried)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'Internal error' },
      })
      expect(incoming.size).toBe(0)
    }
  })

  test('the context carries what came along', async () => {
    const auth = { principal: 'ann' }
    const http = { header: () => undefined }
    const seen: unknown[] = []
    const incoming = createIncoming(async ({ id }, context) => {
      seen.push(context.auth, context.http, context.ask, context.release)
      void context.notify(notification('n'))
      return success(id, {})
    })
    const notify = vi.fn()
    await incoming.handle(request(1), { notify, auth, http })
    expect(seen).toEqual([auth, http, undefined, undefined])
    expect(notify.mock.calls).toEqual([[notification('n')]])
  })

  test('idle resolves when the last request is done', async () => {
    const { exchange, held } = createHeld()
    const incoming = createIncoming(exchange)
    await incoming.idle()
    const answers = [1, 2].map((id) => incoming.handle(request(id), carried))
    let idle = false
    void incoming.idle().then(() => (idle = true))
    held[0]?.finish()
    await answers[0]
    expect(idle).toBe(false)
    held[1]?.finish()
    await Promise.all([answers[1], incoming.idle()])
    expect([idle, incoming.size]).toEqual([true, 0])
  })
})

/** What the register should hold: for each id in use, whether it was cancelled. */
type Model = Map<RequestId, { cancelled: boolean }>

interface Real {
  incoming: Incoming
  held: Held[]
  answers: Map<Held, Promise<Response | undefined>>
}

const ids = fc.constantFrom<RequestId>(0, 1, '0', '1', '')

const commands = [
  ids.map((id) => ({
    check: () => true,
    toString: () => `handle ${JSON.stringify(id)}`,
    async run(model: Model, { incoming, held, answers }: Real) {
      const before = held.length
      const answer = incoming.handle(request(id), carried)
      if (model.has(id)) {
        expect(await answer).toMatchObject({ id, error: { code: -32600 } })
        expect(held.length).toBe(before)
        return
      }
      model.set(id, { cancelled: false })
      const started = held.at(-1)
      if (started) answers.set(started, answer)
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
    toString: () => `finish ${JSON.stringify(id)}${fails ? ' badly' : ''}`,
    async run(model: Model, { held, answers }: Real) {
      const one = held.findLast((candidate) => candidate.id === id)
      const expected = fails ? { id, error: { code: -32603 } } : { id, result: { id } }
      one?.finish(fails)
      const answer = one && (await answers.get(one))
      if (model.get(id)?.cancelled) expect(answer).toBeUndefined()
      else expect(answer).toMatchObject(expected)
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

test('any interleaving of requests, cancellations and ends leaves nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (sequence) => {
      const { exchange, held } = createHeld()
      const real: Real = { incoming: createIncoming(exchange), held, answers: new Map() }
      const model: Model = new Map()
      await fc.asyncModelRun(() => ({ model, real }), sequence)
      expect(real.incoming.size).toBe(model.size)
      const idle = real.incoming.idle()
      for (const { finish } of held) finish()
      await Promise.all([idle, ...real.answers.values()])
      expect(real.incoming.size).toBe(0)
    }),
  )
})
