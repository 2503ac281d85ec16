import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ConnectionLost } from './errors.ts'
import { type Request, type RequestId, success } from './message.ts'
import { createOutgoing } from './outgoing.ts'

describe('requests that were sent', () => {
  test('S13, H44: an answer reaches who asked, 1 and "1" apart', async () => {
    const ids: RequestId[] = [1, '1', 0, '']
    const outgoing = createOutgoing({ nextId: () => ids.shift() ?? 'none left' })
    const sent: Request[] = []
    const asked = ['a', 'b', 'c', 'd'].map((method) => outgoing.ask(method, undefined, { send: (request) => sent.push(request) }))
    for (const { id, method } of sent.toReversed()) expect(outgoing.settle(success(id, { method }))).toBe(true)
    expect(await Promise.all(asked)).toEqual([
      success(1, { method: 'a' }),
      success('1', { method: 'b' }),
      success(0, { method: 'c' }),
      success('', { method: 'd' }),
    ])
    expect(outgoing.size).toBe(0)
  })

  test('H53, S18: an answer that nobody waits for is ignored', async () => {
    const outgoing = createOutgoing()
    const asked = outgoing.ask('m', undefined, { send() {} })
    for (const id of [2, '1', 0, -1]) expect(outgoing.settle(success(id, {}))).toBe(false)
    expect(outgoing.settle({ jsonrpc: '2.0', error: { code: -32700, message: '' } })).toBe(false)
    expect([outgoing.settle(success(1, {})), outgoing.settle(success(1, {}))]).toEqual([true, false])
    await asked
  })

  test('a signal that is aborted ends the wait and tells the id once; an answer that comes later is ignored', async () => {
    const outgoing = createOutgoing()
    const [controller, onAbort] = [new AbortController(), vi.fn()]
    const asked = outgoing.ask('m', undefined, { send() {}, caller: controller, onAbort })
    controller.abort('enough')
    await expect(asked).rejects.toBe('enough')
    expect([onAbort.mock.calls, outgoing.size, outgoing.settle(success(1, {}))]).toEqual([[[1]], 0, false])
  })

  test('a signal that is aborted after the answer does nothing', async () => {
    const outgoing = createOutgoing()
    const [controller, onAbort] = [new AbortController(), vi.fn()]
    const asked = outgoing.ask('m', undefined, { send() {}, caller: controller, onAbort })
    outgoing.settle(success(1, {}))
    controller.abort()
    expect(await asked).toEqual(success(1, {}))
    expect(onAbort).not.toHaveBeenCalled()
  })

  test('what was aborted from the start is not sent, and nobody is told', async () => {
    const outgoing = createOutgoing()
    const [send, onAbort] = [vi.fn(), vi.fn()]
    await expect(outgoing.ask('m', undefined, { send, caller: { signal: AbortSignal.abort('no') }, onAbort })).rejects.toBe('no')
    expect([send.mock.calls, onAbort.mock.calls, outgoing.size]).toEqual([[], [], 0])
  })

  test('what cannot be sent rejects and is forgotten', async () => {
    const outgoing = createOutgoing()
    const send = (): never => {
      throw new Error('no way out')
    }
    await expect(outgoing.ask('m', undefined, { send })).rejects.toThrow('no way out')
    expect(outgoing.size).toBe(0)
  })

  test('the end fails all that wait', async () => {
    const outgoing = createOutgoing()
    const asked = [1, 2].map(() => outgoing.ask('m', undefined, { send() {} }))
    outgoing.fail()
    for (const one of asked) await expect(one).rejects.toBeInstanceOf(ConnectionLost)
    expect(outgoing.size).toBe(0)
  })

  test('any interleaving of answers, aborts and ends settles each request once and leaves nothing behind', async () => {
    const step = fc.record({ what: fc.constantFrom('ask', 'settle', 'abort', 'tick', 'fail'), at: fc.nat(9) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const outgoing = createOutgoing()
        const outcomes: string[][] = []
        const controllers: AbortController[] = []
        const told: unknown[] = []
        for (const { what, at } of steps) {
          if (what === 'tick') await Promise.resolve()
          else if (what === 'fail') outgoing.fail()
          else if (what === 'settle') outgoing.settle(success(at, {}))
          else if (what === 'abort') controllers[at]?.abort('aborted')
          else {
            const [outcome, controller]: [string[], AbortController] = [[], new AbortController()]
            outcomes.push(outcome)
            controllers.push(controller)
            const asked = outgoing.ask('m', undefined, { send() {}, caller: controller, onAbort: (id) => told.push(id) })
            asked.then(
              () => outcome.push('answered'),
              (error: unknown) => outcome.push(error === 'aborted' ? 'aborted' : 'lost'),
            )
          }
        }
        outgoing.fail()
        await new Promise((resolve) => void setTimeout(resolve, 0))
        expect(outgoing.size).toBe(0)
        expect(outcomes.map(({ length }) => length)).toEqual(outcomes.map(() => 1))
        expect(told.length).toBe(outcomes.flat().filter((outcome) => outcome === 'aborted').length)
      }),
    )
  })
})
