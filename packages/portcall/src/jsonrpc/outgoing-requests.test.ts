import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ConnectionLostError } from './errors.ts'
import { type Request, type RequestId, success } from './message.ts'
import { createOutgoingRequests } from './outgoing-requests.ts'

describe('outgoing requests', () => {
  test('S13, H44: a response resolves its request, and 1 and "1" are two ids', async () => {
    const ids: RequestId[] = [1, '1', 0, '']
    const outgoing = createOutgoingRequests({ nextId: () => ids.shift() ?? 'no id left' })
    const sent: Request[] = []
    const pending = ['a', 'b', 'c', 'd'].map((method) =>
      outgoing.request(method, undefined, { send: (request) => sent.push(request) }),
    )
    for (const { id, method } of sent.toReversed()) expect(outgoing.settle(success(id, { method }))).toBe(true)
    expect(await Promise.all(pending)).toEqual([
      success(1, { method: 'a' }),
      success('1', { method: 'b' }),
      success(0, { method: 'c' }),
      success('', { method: 'd' }),
    ])
    expect(outgoing.size).toBe(0)
  })

  test('H53, S18: a response without a pending request is ignored', async () => {
    const outgoing = createOutgoingRequests()
    const pending = outgoing.request('m', undefined, { send() {} })
    for (const id of [2, '1', 0, -1]) expect(outgoing.settle(success(id, {}))).toBe(false)
    expect(outgoing.settle({ jsonrpc: '2.0', error: { code: -32700, message: '' } })).toBe(false)
    expect([outgoing.settle(success(1, {})), outgoing.settle(success(1, {}))]).toEqual([true, false])
    await pending
  })

  test('aborting rejects the request and sends one cancellation; a later response is ignored', async () => {
    const outgoing = createOutgoingRequests()
    const [controller, sendCancellation] = [new AbortController(), vi.fn()]
    const pending = outgoing.request('m', undefined, { send() {}, abortSource: controller, sendCancellation })
    controller.abort('enough')
    await expect(pending).rejects.toBe('enough')
    expect([sendCancellation.mock.calls, outgoing.size, outgoing.settle(success(1, {}))]).toEqual([[[1]], 0, false])
  })

  test('aborting after the response does nothing', async () => {
    const outgoing = createOutgoingRequests()
    const [controller, sendCancellation] = [new AbortController(), vi.fn()]
    const pending = outgoing.request('m', undefined, { send() {}, abortSource: controller, sendCancellation })
    outgoing.settle(success(1, {}))
    controller.abort()
    expect(await pending).toEqual(success(1, {}))
    expect(sendCancellation).not.toHaveBeenCalled()
  })

  test('a request that is aborted from the start is not sent, and neither is a cancellation', async () => {
    const outgoing = createOutgoingRequests()
    const [send, sendCancellation] = [vi.fn(), vi.fn()]
    await expect(
      outgoing.request('m', undefined, { send, abortSource: { signal: AbortSignal.abort('no') }, sendCancellation }),
    ).rejects.toBe('no')
    expect([send.mock.calls, sendCancellation.mock.calls, outgoing.size]).toEqual([[], [], 0])
  })

  test('a request that cannot be sent is rejected and removed', async () => {
    const outgoing = createOutgoingRequests()
    const send = (): never => {
      throw new Error('not connected')
    }
    await expect(outgoing.request('m', undefined, { send })).rejects.toThrow('not connected')
    expect(outgoing.size).toBe(0)
  })

  test('rejectAll rejects all pending requests', async () => {
    const outgoing = createOutgoingRequests()
    const pending = [1, 2].map(() => outgoing.request('m', undefined, { send() {} }))
    outgoing.rejectAll()
    for (const promise of pending) await expect(promise).rejects.toBeInstanceOf(ConnectionLostError)
    expect(outgoing.size).toBe(0)
  })

  test('any interleaving of responses, aborts and disconnects settles each request once and releases everything', async () => {
    const step = fc.record({ action: fc.constantFrom('request', 'settle', 'abort', 'tick', 'disconnect'), at: fc.nat(9) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const outgoing = createOutgoingRequests()
        const outcomes: string[][] = []
        const controllers: AbortController[] = []
        const cancelled: unknown[] = []
        for (const { action, at } of steps) {
          if (action === 'tick') await Promise.resolve()
          else if (action === 'disconnect') outgoing.rejectAll()
          else if (action === 'settle') outgoing.settle(success(at, {}))
          else if (action === 'abort') controllers[at]?.abort('aborted')
          else {
            const [outcome, controller]: [string[], AbortController] = [[], new AbortController()]
            outcomes.push(outcome)
            controllers.push(controller)
            const pending = outgoing.request('m', undefined, {
              send() {},
              abortSource: controller,
              sendCancellation: (id) => cancelled.push(id),
            })
            pending.then(
              () => outcome.push('resolved'),
              (error: unknown) => outcome.push(error === 'aborted' ? 'aborted' : 'lost'),
            )
          }
        }
        outgoing.rejectAll()
        await new Promise((resolve) => void setTimeout(resolve, 0))
        expect(outgoing.size).toBe(0)
        expect(outcomes.map(({ length }) => length)).toEqual(outcomes.map(() => 1))
        expect(cancelled.length).toBe(outcomes.flat().filter((outcome) => outcome === 'aborted').length)
      }),
    )
  })
})
