import { expect, test } from 'vitest'
import type { Lane } from './lane.ts'
import { type LoadPlan, runLoad } from './run-load.ts'

const PLAN: LoadPlan = { warmUpMs: 0, durationMs: 60_000, maxCalls: Number.POSITIVE_INFINITY, perSecond: undefined }

/** Creates lanes that count their calls together. */
function createLanes(count: number, respond: () => Promise<undefined>): { lanes: Lane[]; sent: () => number } {
  let sent = 0
  const call = (): Promise<undefined> => {
    sent++
    return respond()
  }
  return { lanes: Array.from({ length: count }, () => ({ call, close: () => undefined })), sent: () => sent }
}

const soon = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, 1, undefined))

for (const perSecond of [undefined, 10_000])
  for (const connections of [1, 3, 20])
    test(`sends as many calls as asked for: ${connections} connections, ${perSecond ?? 'no'} rate`, async () => {
      const { lanes, sent } = createLanes(connections, soon)
      const { calls, pending, unsent } = await runLoad(lanes, { ...PLAN, maxCalls: 10, perSecond }, new AbortController().signal)
      expect({ calls, pending, unsent, sent: sent() }).toEqual({ calls: 10, pending: 0, unsent: 0, sent: 10 })
    })

test('no more calls are due than fit in the time', async () => {
  for (let round = 0; round < 5; round++) {
    const { lanes } = createLanes(2, soon)
    const { calls, unsent, pending } = await runLoad(
      lanes,
      { ...PLAN, durationMs: 100, perSecond: 200 },
      new AbortController().signal,
    )
    expect(calls + unsent + pending).toBe(20)
  }
})

test('without a duration, ends with the last call', async () => {
  const { lanes } = createLanes(2, soon)
  const plan = { ...PLAN, durationMs: Number.POSITIVE_INFINITY, maxCalls: 10 }
  expect(await runLoad(lanes, plan, new AbortController().signal)).toMatchObject({ calls: 10 })
})

test('calls of the warm-up do not count', async () => {
  const { lanes, sent } = createLanes(20, soon)
  const plan = { ...PLAN, warmUpMs: 50, maxCalls: 10 }
  const { calls, pending } = await runLoad(lanes, plan, new AbortController().signal)
  expect({ calls, pending }).toEqual({ calls: 10, pending: 0 })
  expect(sent()).toBeGreaterThan(10)
})

test('counts calls that get no response', async () => {
  const { lanes } = createLanes(4, () => new Promise(() => undefined))
  const measurement = await runLoad(lanes, { ...PLAN, durationMs: 100 }, new AbortController().signal)
  expect(measurement).toMatchObject({ calls: 0, pending: 4 })
  expect(measurement.longestWaitMs).toBeGreaterThan(90)
})
