/** Three processes behind a round-robin balancer, on real services. Every invariant is checked from what the clients saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { type Balancer, startBalancer } from './support/balancer.ts'
import { type Fleet, startFleet } from './support/fleet.ts'
import { faultsOf, hire, untilBusy, work } from './support/work.ts'

const services = { redis: await startRedis(), postgres: await startPostgres() }
const begun: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const end of begun.reverse()) await end()
  await services.redis?.stop()
  await services.postgres?.stop()
})

/** How many calls: by default as many as a slow disk takes in a minute; `PORTCALL_SCALE=20` makes it the ten thousand of a whole run. */
const SCALE = Number(process.env.PORTCALL_SCALE ?? 1)
const CALLS = 500 * SCALE
/** What one client does in a round: one call with steps, one that adds, three modern ones, and a question now and then. */
const CALLS_A_ROUND = 5.25
const roundsFor = (clients: number): number => Math.ceil(CALLS / clients / CALLS_A_ROUND)

async function start(
  kind: 'redis' | 'postgres',
  env: Record<string, string> = {},
): Promise<{ fleet: Fleet; balancer: Balancer }> {
  const fleet = await startFleet([kind, services[kind]?.url ?? ''], 3, env)
  const balancer = await startBalancer(fleet.nodes)
  begun.push(() => balancer.close(), fleet.stop)
  return { fleet, balancer }
}

for (const kind of ['redis', 'postgres'] as const) {
  describe.skipIf(!services[kind])(`three processes on ${kind}`, () => {
    test('serve calls, streams, questions, subscriptions and resumptions without an error', async () => {
      const { balancer } = await start(kind)
      const began = performance.now()
      const workers = await hire(balancer.url, 'c', 20)
      const rounds = roundsFor(workers.length)
      await Promise.all(workers.map((worker) => work(worker, rounds)))
      const seconds = (performance.now() - began) / 1000
      console.error(`${kind}: ${workers.length * rounds * CALLS_A_ROUND} calls in ${seconds.toFixed(1)} s`)
      expect(workers.flatMap(({ records }) => records.flatMap((record) => faultsOf(record, false)))).toEqual([])
      expect(workers.flatMap(({ failed, client }) => [...failed, ...client.strays])).toEqual([])
      for (const { client } of workers) {
        const uri = `note://${client.name}`
        await client.call('touch', { mark: 't', uri })
        await eventually(() => expect(client.heard).toContain(uri))
        expect(client.heard.filter((heard) => heard.startsWith('note://') && heard !== uri)).toEqual([])
        await client.close()
      }
    })

    test('E04 go on when one is killed and another started: nothing is lost, misrouted or hangs', async () => {
      const { fleet, balancer } = await start(kind)
      const workers = await hire(balancer.url, 'k', 12)
      const working = Promise.all(workers.map((worker) => work(worker, roundsFor(workers.length))))
      await untilBusy(workers)
      fleet.kill(fleet.nodes[0] as Fleet['nodes'][0])
      await sleep(500)
      await fleet.start()
      await working
      expect(workers.flatMap(({ records }) => records.flatMap((record) => faultsOf(record, true)))).toEqual([])
      expect(workers.flatMap(({ client }) => client.strays)).toEqual([])
      const failed = workers.flatMap(({ failed }) => failed)
      console.error(`${kind}: ${failed.length} calls had no answer when their process was killed`)
      expect(failed.filter((text) => /hangs/.test(text))).toEqual([])
      expect(failed.length).toBeLessThan(60)
      for (const { client } of workers) await client.close()
    })

    test('E03 go on when the service is restarted: what it keeps is there again', async () => {
      const { balancer } = await start(kind)
      const workers = await hire(balancer.url, 'r', 8)
      const working = Promise.all(workers.map((worker) => work(worker, roundsFor(workers.length))))
      await untilBusy(workers)
      await services[kind]?.restart()
      await working
      const failed = workers.flatMap(({ failed }) => failed)
      expect(failed.filter((text) => /hangs/.test(text))).toEqual([])
      expect(workers.flatMap(({ client }) => client.strays)).toEqual([])
      expect(workers.flatMap(({ records }) => records.flatMap((record) => faultsOf(record, true)))).toEqual([])
    })
  })
}
