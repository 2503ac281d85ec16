/** Three gateways on one Redis behind a round-robin balancer, in front of one server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startRedis } from '../support/services/redis.mjs'
import { startBalancer } from './support/balancer.ts'
import { type Fleet, startFleet } from './support/fleet.ts'
import { openWorkers, runCalls, violationsOf, type Worker, whenBusy } from './support/work.ts'

const redis = await startRedis()
const cleanups: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp()
  await redis?.stop()
})

const ROUNDS = 6 * Number(process.env.PORTCALL_SCALE ?? 1)

async function start(): Promise<{ fleet: Fleet; url: string }> {
  const upstream = await startFleet(['none'], 1)
  const fleet = await startFleet(['redis', redis?.url ?? ''], 3, { UPSTREAM: (upstream.nodes[0] as Fleet['nodes'][0]).url })
  const balancer = await startBalancer(fleet.nodes)
  cleanups.push(upstream.stop, fleet.stop, () => balancer.close())
  return { fleet, url: balancer.url }
}

const violations = (workers: Worker[], mayFail: boolean): string[] =>
  workers.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, mayFail)))

/** Changes the note of each client, and waits until that client alone has been notified. */
async function checkSubscriptions(workers: Worker[]): Promise<void> {
  for (const { client } of workers) {
    const uri = `note://${client.name}`
    await client.call('update', { mark: 't', uri })
    await eventually(() => expect(client.received).toContain(uri))
    expect(client.received.filter((received) => received.startsWith('note://') && received !== uri)).toEqual([])
  }
}

describe.skipIf(!redis)('three gateways', () => {
  test('serve calls, elicitations, subscriptions and resumptions without an error', async () => {
    const { url } = await start()
    const workers = await openWorkers(url, 'g', 10)
    await Promise.all(workers.map((worker) => runCalls(worker, ROUNDS)))
    expect(violations(workers, false)).toEqual([])
    expect(workers.flatMap(({ failed, client }) => [...failed, ...client.misrouted])).toEqual([])
    await checkSubscriptions(workers)
    for (const { client } of workers) await client.close()
  })

  test('continue when one is killed: no session is lost, and only calls in flight fail', async () => {
    const { fleet, url } = await start()
    const workers = await openWorkers(url, 'h', 10)
    const running = Promise.all(workers.map((worker) => runCalls(worker, ROUNDS)))
    await whenBusy(workers)
    fleet.kill(fleet.nodes[0] as Fleet['nodes'][0])
    await sleep(500)
    await fleet.start()
    await running
    expect(violations(workers, true)).toEqual([])
    const failed = workers.flatMap(({ failed }) => failed)
    console.error(`${failed.length} calls had no response when their gateway was killed`)
    expect(failed.filter((text) => /timed out/.test(text))).toEqual([])
    expect(failed.length).toBeLessThan(40)
    await checkSubscriptions(workers)
    for (const { client } of workers) await client.close()
  })
})
