import { expect, test } from 'vitest'
import { createPoller, type Poller } from './poller.ts'

const INTERVAL_MS = 60_000

/** Creates a poller that records when it polls. */
function createRecordingPoller(): Poller & { readonly polledAt: number[] } {
  const polledAt: number[] = []
  const poll = async (): Promise<void> => void polledAt.push(performance.now())
  const onError = (error: unknown): void => expect.unreachable(String(error))
  return { polledAt, ...createPoller({ intervalMs: INTERVAL_MS, poll, onError }) }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

const expectPolls = (poller: { readonly polledAt: number[] }, count: number): Promise<unknown> =>
  expect.poll(() => poller.polledAt.length, { interval: 1 }).toBe(count)

/** Blocks for a fraction of a millisecond, within one turn of the event loop. */
function block(): void {
  const end = performance.now() + 0.13
  while (performance.now() < end);
}

test('it never polls before the time it was set to, not even by a fraction of a millisecond', async () => {
  const pollers = Array.from({ length: 300 }, (_, at) => {
    const ms = 20 + (at % 7)
    const poller = createRecordingPoller()
    const dueAt = performance.now() + ms
    poller.pollIn(ms)
    block()
    return { dueAt, poller }
  })
  // Nothing else may wake the event loop meanwhile, because that delays timers.
  await wait(60)
  for (const { poller } of pollers) await expectPolls(poller, 1)
  expect(pollers.filter(({ dueAt, poller }) => (poller.polledAt[0] ?? 0) < dueAt)).toHaveLength(0)
  for (const { poller } of pollers) await poller.close()
})

test('it polls at the earliest time that it was set to', async () => {
  const poller = createRecordingPoller()
  poller.pollIn(INTERVAL_MS)
  poller.pollIn(5)
  poller.pollIn(INTERVAL_MS)
  await expectPolls(poller, 1)
  await poller.close()
})

test('requests during a poll lead to one more poll, and a closed poller does not poll', async () => {
  const poller = createRecordingPoller()
  poller.pollNow()
  poller.pollNow()
  poller.pollNow()
  await expectPolls(poller, 2)
  await poller.close()
  poller.pollNow()
  poller.pollIn(1)
  await wait(20)
  expect(poller.polledAt).toHaveLength(2)
})
