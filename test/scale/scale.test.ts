/** Three processes behind a round-robin balancer, on real stores. The invariants are checked from what the clients received. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { type Balancer, startBalancer } from './support/balancer.ts'
import { type Fleet, startFleet } from './support/fleet.ts'
import { openWorkers, runCalls, violationsOf, whenBusy } from './support/work.ts'

const services = await startDatabases()
const cleanups: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp()
})

/** By default as many calls as a slow disk can record in a minute. `PORTCALL_SCALE=20` makes the 10,000 calls of a full run. */
const SCALE = Number(process.env.PORTCALL_SCALE ?? 1)
const CALLS = 500 * SCALE
/** One call with steps, one addition, three modern calls, and an elicitation in every fourth round. */
const CALLS_PER_ROUND = 5.25
const roundsFor = (clients: number): number => Math.ceil(CALLS / clients / CALLS_PER_ROUND)

async function start(
  kind: 'redis' | 'postgres',
  env: Record<string, string> = {},
): Promise<{ fleet: Fleet; balancer: Balancer }> {
  const fleet = await startFleet([kind, services[kind]?.url ?? ''], 3, env)
  const balancer = await startBalancer(fleet.nodes)
  cleanups.push(() => balancer.close(), fleet.stop)
  return { fleet, balancer }
}

for (const kind of ['redis', 'postgres'] as const) {
  describe.skipIf(!services[kind])(`three processes on ${kind}`, () => {
    test('serve calls, streams, elicitations, subscriptions and resumptions without an error', async () => {
      const { balancer } = await start(kind)
      const startedAt = performance.now()
      const workers = await openWorkers(balancer.url, 'c', 20)
      const rounds = roundsFor(workers.length)
      await Promise.all(workers.map((worker) => runCalls(worker, rounds)))
      const seconds = (performance.now() - startedAt) / 1000
      console.error(`${kind}: ${workers.length * rounds * CALLS_PER_ROUND} calls in ${seconds.toFixed(1)} s`)
      expect(workers.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, false)))).toEqual([])
      expect(workers.flatMap(({ failed, client }) => [...failed, ...client.misrouted])).toEqual([])
      for (const { client } of workers) {
        const uri = `note://${client.name}`
        await client.call('update', { mark: 't', uri })
        await eventually(() => expect(client.received).toContain(uri))
        expect(client.received.filter((received) => received.startsWith('note://') && received !== uri)).toEqual([])
        await client.close()
      }
    })

    test('E04 continue when one is killed and another started: no call is lost, misrouted or hangs', async () => {
      const { fleet, balancer } = await start(kind)
      const workers = await openWorkers(balancer.url, 'k', 12)
      const running = Promise.all(workers.map((worker) => runCalls(worker, roundsFor(workers.length))))
      await whenBusy(workers)
      fleet.kill(fleet.nodes[0] as Fleet['nodes'][0])
      await sleep(500)
      await fleet.start()
      await running
      const readiness = fleet.nodes.map(async ({ url }) => (await fetch(new URL('/readyz', url))).status)
      expect(await Promise.all(readiness)).toEqual([200, 200, 200])
      expect(workers.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, true)))).toEqual([])
      expect(workers.flatMap(({ client }) => client.misrouted)).toEqual([])
      const failed = workers.flatMap(({ failed }) => failed)
      console.error(`${kind}: ${failed.length} calls had no response when their process was killed`)
      expect(failed.filter((text) => /timed out/.test(text))).toEqual([])
      expect(failed.length).toBeLessThan(60)
      for (const { client } of workers) await client.close()
    })

    test('E03 continue when the store is restarted, with the data that it has saved', async () => {
      const { balancer } = await start(kind)
      const workers = await openWorkers(balancer.url, 'r', 8)
      const running = Promise.all(workers.map((worker) => runCalls(worker, roundsFor(workers.length))))
      await whenBusy(workers)
      await services[kind]?.restart()
      await running
      const failed = workers.flatMap(({ failed }) => failed)
      expect(failed.filter((text) => /timed out/.test(text))).toEqual([])
      expect(workers.flatMap(({ client }) => client.misrouted)).toEqual([])
      expect(workers.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, true)))).toEqual([])
    })
  })
}
