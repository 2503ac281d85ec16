import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Channel, channelPair } from './channel.ts'
import { notification } from './message.ts'

const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))

function listen(channel: Channel): unknown[] {
  const seen: unknown[] = []
  channel.receive(
    (input) => void seen.push('value' in input ? (input.value as { method: string }).method : input),
    () => void seen.push('close'),
  )
  return seen
}

describe('channelPair', () => {
  test('messages are copied', async () => {
    const [left, right] = channelPair()
    const params = { text: 'before' }
    let value: unknown
    right.receive(
      (input) => {
        value = 'value' in input && input.value
      },
      () => {},
    )
    void left.send(notification('n', params))
    params.text = 'after'
    await settle()
    expect(value).toEqual(notification('n', { text: 'before' }))
  })

  test('a message is delivered only after send has returned', () => {
    const [left, right] = channelPair()
    const seen = listen(right)
    void left.send(notification('n'))
    expect(seen).toEqual([])
  })

  test('delivers the messages sent before the close, in order, and closes once, in any order of calls', async () => {
    const step = fc.constantFrom('send', 'tick', 'receive', 'close near', 'close far')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const [near, far] = channelPair()
        const sent: string[] = []
        let seen: unknown[] | undefined
        for (const [at, action] of steps.entries()) {
          if (action === 'tick') await Promise.resolve()
          else if (action === 'receive') seen ??= listen(far)
          else if (action === 'send') {
            if (!steps.slice(0, at).some((earlier) => earlier.startsWith('close'))) sent.push(`${at}`)
            void near.send(notification(`${at}`))
          } else void (action === 'close near' ? near : far).close()
        }
        seen ??= listen(far)
        await settle()
        expect(seen).toEqual(steps.some((action) => action.startsWith('close')) ? [...sent, 'close'] : sent)
      }),
    )
  })
})
