/** What is left of many sessions that nobody ends, and of many calls. `PORTCALL_SCALE=20` is the whole: 10,000 sessions, a million calls. */
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
/** What a heap does for reasons of its own, and what each call may leave behind. */
const SWING = 1.5 * MB
const BYTES_A_CALL = 1

const begun: Fleet[] = []
afterAll(async () => {
  for (const fleet of begun) await fleet.stop()
})

async function start(kind: 'memory' | 'none'): Promise<Fleet['nodes'][0]> {
  const fleet = await startFleet([kind], 1, { IDLE_MS: String(IDLE_MS) })
  begun.push(fleet)
  return fleet.nodes[0] as Fleet['nodes'][0]
}

/** What is held when all connections are closed and all sessions have expired. */
const atRest = ({ memory }: Fleet['nodes'][0]): Promise<Memory> =>
  eventually(async () => {
    const found = await memory()
    expect(found.handles).not.toContain('TCPSocketWrap')
    expect(found.keys.filter((key) => !key.startsWith('http/node/'))).toEqual([])
    return found
  }, 500)

const told = (text: string): void => console.error(text)
const inMb = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

describe.each(['none', 'memory'] as const)('sessions that nobody ends, stores: %s', (kind) => {
  test(`${SESSIONS} leave nothing behind when they have expired`, async () => {
    const node = await start(kind)
    await abandonSessions(node.url, 200)
    await sleep(2 * IDLE_MS)
    const before = await atRest(node)
    await abandonSessions(node.url, SESSIONS)
    const full = await node.memory()
    await sleep(IDLE_MS)
    const after = await atRest(node)
    told(`${SESSIONS} sessions: heap ${inMb(before.heap)}, ${inMb(full.heap)}, ${inMb(after.heap)}; resident ${inMb(after.rss)}`)
    expect(after.handles).toEqual(before.handles)
    expect(after.heap - before.heap).toBeLessThan(20 * MB)
  })
})

test(`H65 ${CALLS} calls leave the heap as it was`, async () => {
  const node = await start('none')
  await callModern(node.url, 20_000)
  const before = await atRest(node)
  const began = performance.now()
  const heaps: number[] = []
  for (let part = 0; part < 10; part++) {
    await callModern(node.url, CALLS / 10)
    heaps.push((await node.memory()).heap)
  }
  const perSecond = (CALLS / (performance.now() - began)) * 1000
  told(`${CALLS} calls, ${perSecond.toFixed(0)}/s: heap ${[before.heap, ...heaps].map(inMb).join(', ')}`)
  expect((heaps.at(-1) ?? 0) - before.heap).toBeLessThan(SWING + BYTES_A_CALL * CALLS)
  expect((await atRest(node)).handles).toEqual(before.handles)
})
