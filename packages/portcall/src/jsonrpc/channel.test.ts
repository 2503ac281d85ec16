import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Channel, channelPair } from './channel.ts'
import { notification } from './message.ts'

const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))

function listen(channel: Channel): unknown[] {
  const seen: unknown[] = []
  channel.receive(
    (received) => void seen.push('value' in received ? (received.value as { method: string }).method : received),
    () => void seen.push('close'),
  )
  return seen
}

describe('a pair of channels', () => {
  test('messages cross as copies', async () => {
    const [left, right] = channelPair()
    const params = { text: 'before' }
    let value: unknown
    right.receive(
      (received) => {
        value = 'value' in received && received.value
      },
      () => {},
    )
    void left.send(notification('n', params))
    params.text = 'after'
    await settle()
    expect(value).toEqual(notification('n', { text: 'before' }))
  })

  test('nothing is delivered before the call that sends has returned', () => {
    const [left, right] = channelPair()
    const seen = listen(right)
    void left.send(notification('n'))
    expect(seen).toEqual([])
  })

  test('any order of sending, receiving and closing delivers what was sent before the close, in order, and closes once', async () => {
    const step = fc.constantFrom('send', 'tick', 'receive', 'close near', 'close far')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const [near, far] = channelPair()
        const sent: string[] = []
        let seen: unknown[] | undefined
        for (const [at, what] of steps.entries()) {
          if (what === 'tick') await Promise.resolve()
          else if (what === 'receive') seen ??= listen(far)
          else if (what === 'send') {
            if (!steps.slice(0, at).some((earlier) => earlier.startsWith('close'))) sent.push(`${at}`)
            void near.send(notification(`${at}`))
          } else void (what === 'close near' ? near : far).close()
        }
        seen ??= listen(far)
        await settle()
        expect(seen).toEqual(steps.some((what) => what.startsWith('close')) ? [...sent, 'close'] : sent)
      }),
    )
  })
})
