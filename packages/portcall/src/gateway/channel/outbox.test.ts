import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Notification, notification } from '../../jsonrpc/message.ts'
import { createOutbox } from './outbox.ts'

const message = (seq: number): Notification => notification('x', { seq })

function setUp({ maxPerMinute = 2, notify = (_: Notification): void => {} } = {}) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sent: unknown[] = []
  const controller = new AbortController()
  const outbox = createOutbox({
    maxPerMinute,
    signal: controller.signal,
    notify(each) {
      notify(each)
      sent.push(each.params?.seq)
    },
  })
  return { outbox, sent, controller }
}

describe('the messages to a host', () => {
  test('beyond the rate wait for the next minute, and keep their order', async () => {
    const { outbox, sent } = setUp()
    const all = Promise.all([1, 2, 3, 4, 5].map(() => outbox.send(message)))
    await vi.advanceTimersByTimeAsync(59_999)
    expect(sent).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual([1, 2, 3, 4])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toEqual([1, 2, 3, 4, 5])
    await all
  })

  test('are sent again while the host does not read', async () => {
    let failures = 3
    const { outbox, sent } = setUp({
      notify() {
        if (failures-- > 0) throw new Error('The client does not read its messages')
      },
    })
    const both = Promise.all([outbox.send(message), outbox.send(message)])
    await vi.advanceTimersByTimeAsync(1500)
    await both
    expect(sent).toEqual([1, 2])
  })

  test('end with the host', async () => {
    const { outbox, controller, sent } = setUp({ maxPerMinute: 1 })
    await outbox.send(message)
    const waiting = outbox.send(message)
    const outcome = expect(waiting).rejects.toThrow('left')
    await vi.advanceTimersByTimeAsync(1)
    controller.abort(new Error('The host has left'))
    await outcome
    await expect(outbox.send(message)).rejects.toThrow('left')
    expect(sent).toEqual([1])
  })
})
