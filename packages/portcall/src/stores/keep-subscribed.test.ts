import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import type { Bus } from './bus.ts'
import { StoreUnavailableError } from './errors.ts'
import { keepSubscribed } from './keep-subscribed.ts'
import { createMemoryBus } from './memory/bus.ts'

/** Creates a bus whose subscriptions fail until `failures` of them have failed. */
function busThatComesUp(failures: number): Bus & { readonly attempts: number } {
  const bus = createMemoryBus()
  let attempts = 0
  return {
    publish: bus.publish,
    async subscribe(topic, onMessage) {
      if (attempts++ < failures) throw new StoreUnavailableError('away')
      return bus.subscribe(topic, onMessage)
    },
    get attempts() {
      return attempts
    },
  }
}

test('a subscription that begins while the bus is away is made when it is there', async () => {
  const bus = busThatComesUp(3)
  const received: string[] = []
  const errors: unknown[] = []
  let late = 0
  const onMessage = (message: string): void => void received.push(message)
  const onLate = (): void => void late++
  const kept = keepSubscribed({ bus, topic: 'a', onMessage, onLate, onError: (error) => errors.push(error) })
  onTestFinished(kept.end)
  await kept.firstAttempt
  expect(errors).toEqual([expect.any(StoreUnavailableError)])
  await eventually(() => expect(late).toBe(1))
  await bus.publish('a', 'hello')
  expect(received).toEqual(['hello'])
  kept.end()
  await bus.publish('a', 'again')
  expect({ received, errors: errors.length, attempts: bus.attempts }).toEqual({ received: ['hello'], errors: 1, attempts: 4 })
})

test('a subscription that succeeds at once is not late', async () => {
  const bus = createMemoryBus()
  const received: string[] = []
  const onLate = (): void => expect.unreachable()
  const kept = keepSubscribed({ bus, topic: 'a', onMessage: (message) => void received.push(message), onLate })
  await kept.firstAttempt
  await bus.publish('a', 'hello')
  kept.end()
  await bus.publish('a', 'again')
  expect(received).toEqual(['hello'])
})

test.each([0, 1])('a subscription that ends while it begins does not stay (%i failures)', async (failures) => {
  const bus = busThatComesUp(failures)
  const received: string[] = []
  const kept = keepSubscribed({ bus, topic: 'a', onMessage: (message) => void received.push(message) })
  kept.end()
  await kept.firstAttempt
  await bus.publish('a', 'hello')
  expect({ received, attempts: bus.attempts }).toEqual({ received: [], attempts: 1 })
})
