/** The memory that abandoned sessions and many calls leave behind. `PORTCALL_SCALE=20` is the full run: 10,000 sessions, a million calls. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type Fleet, type Memory, startFleet } from './support/fleet.ts'
import { abandonSessions, callModern } from './support/load.ts'

const SCALE = Number(process.env.PORTCALL_SCALE ?? 1)
const SESSIONS = 500 * SCALE
const CALLS = 50_000 * SCALE
const IDLE_MS = 3000
const MB = 1_000_000
/** Variation of the heap that is not due to calls. */
const HEAP_VARIATION = 1.5 * MB
/** Memory that a call may leave behind. */
const BYTES_PER_CALL = 1

const fleets: Fleet[] = []
afterAll(async () => {
  for (const fleet of fleets) await fleet.stop()
})

async function start(kind: 'memory' | 'none'): Promise<Fleet['nodes'][0]> {
  const fleet = await startFleet([kind], 1, { IDLE_MS: String(IDLE_MS) })
  fleets.push(fleet)
  return fleet.nodes[0] as Fleet['nodes'][0]
}

/** Returns the memory once all connections are closed and all sessions have expired. */
const memoryWhenIdle = ({ memory }: Fleet['nodes'][0]): Promise<Memory> =>
  eventually(
    async () => {
      const result = await memory()
      expect(result.handles).not.toContain('TCPSocketWrap')
      expect(result.keys.filter((key) => !key.startsWith('http/node/'))).toEqual([])
      return result
    },
    { intervalMs: 500 },
  )

const report = (text: string): void => console.error(text)
const inMb = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

describe.each(['none', 'memory'] as const)('sessions that no client ends, stores: %s', (kind) => {
  test(`${SESSIONS} leave no memory behind after they have expired`, async () => {
    const node = await start(kind)
    await abandonSessions(node.url, 200)
    await sleep(2 * IDLE_MS)
    const before = await memoryWhenIdle(node)
    await abandonSessions(node.url, SESSIONS)
    const full = await node.memory()
    await sleep(IDLE_MS)
    const after = await memoryWhenIdle(node)
    report(
      `${SESSIONS} sessions: heap ${inMb(before.heap)}, ${inMb(full.heap)}, ${inMb(after.heap)}; resident ${inMb(after.rss)}`,
    )
    expect(after.handles).toEqual(before.handles)
    expect(after.heap - before.heap).toBeLessThan(20 * MB)
  })
})

test(`H65 ${CALLS} calls do not grow the heap`, async () => {
  const node = await start('none')
  await callModern(node.url, 20_000)
  const before = await memoryWhenIdle(node)
  const startedAt = performance.now()
  const heaps: number[] = []
  for (let part = 0; part < 10; part++) {
    await callModern(node.url, CALLS / 10)
    heaps.push((await node.memory()).heap)
  }
  const perSecond = (CALLS / (performance.now() - startedAt)) * 1000
  report(`${CALLS} calls, ${perSecond.toFixed(0)}/s: heap ${[before.heap, ...heaps].map(inMb).join(', ')}`)
  expect((heaps.at(-1) ?? 0) - before.heap).toBeLessThan(HEAP_VARIATION + BYTES_PER_CALL * CALLS)
  expect((await memoryWhenIdle(node)).handles).toEqual(before.handles)
})
