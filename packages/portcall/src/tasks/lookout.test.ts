import { expect, test } from 'vitest'
import { createLookout } from './lookout.ts'

const POLL_MS = 60_000

/** A lookout that writes down when it looks. */
function watched(): { readonly looks: number[]; look(): void; lookIn(ms: number): void; close(): Promise<void> } {
  const looks: number[] = []
  const lookThrough = async (): Promise<void> => void looks.push(performance.now())
  return { looks, ...createLookout({ pollMs: POLL_MS, lookThrough, onError: (error) => expect.unreachable(String(error)) }) }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

const looked = (lookout: { readonly looks: number[] }, times: number): Promise<unknown> =>
  expect.poll(() => lookout.looks.length, { interval: 1 }).toBe(times)

/** Makes time pass by a part of a millisecond, within one turn of the event loop. */
function dawdle(): void {
  const until = performance.now() + 0.13
  while (performance.now() < until);
}

test('it looks never before it was told to, by no part of a millisecond', async () => {
  const told = Array.from({ length: 300 }, (_, at) => {
    const ms = 20 + (at % 7)
    const lookout = watched()
    const due = performance.now() + ms
    lookout.lookIn(ms)
    dawdle()
    return { due, lookout }
  })
  // Nothing else wakes the event loop meanwhile: what does makes timers late.
  await wait(60)
  for (const { lookout } of told) await looked(lookout, 1)
  expect(told.filter(({ due, lookout }) => (lookout.looks[0] ?? 0) < due)).toHaveLength(0)
  for (const { lookout } of told) await lookout.close()
})

test('the earliest time counts', async () => {
  const lookout = watched()
  lookout.lookIn(POLL_MS)
  lookout.lookIn(5)
  lookout.lookIn(POLL_MS)
  await looked(lookout, 1)
  await lookout.close()
})

test('what is told while it looks is looked at once more, and a closed one looks no more', async () => {
  const lookout = watched()
  lookout.look()
  lookout.look()
  lookout.look()
  await looked(lookout, 2)
  await lookout.close()
  lookout.look()
  lookout.lookIn(1)
  await wait(20)
  expect(lookout.looks).toHaveLength(2)
})
