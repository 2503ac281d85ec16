/** Three processes of which one is cut off from the service, or whose clocks differ. Every invariant is checked from what the clients saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { faultyProxy } from 'portcall/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { startBalancer } from './support/balancer.ts'
import { startFleet } from './support/fleet.ts'
import { faultsOf, hire, untilBusy, type Worker, work } from './support/work.ts'

const services = { redis: await startRedis(), postgres: await startPostgres() }
const begun: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const end of begun.reverse()) await end()
  await services.redis?.stop()
  await services.postgres?.stop()
})

const CLIENTS = 8
const ROUNDS = 10
/** Longer than the lease of a process, so that the others take over from it. */
const APART_MS = 5000
const TEN_MINUTES = 600_000
const NOTHING = { dropAfterBytes: 0 }

async function workAll(workers: readonly Worker[]): Promise<void> {
  await Promise.all(workers.map((worker) => work(worker, ROUNDS)))
  for (const { client } of workers) await client.close()
}

/** All that must not have happened. */
function faults(workers: readonly Worker[], mayDie: boolean): string[] {
  const failed = workers.flatMap(({ failed }) => failed).filter((text) => !mayDie || /hangs/.test(text))
  const strays = workers.flatMap(({ client }) => client.strays.map(String))
  return [...workers.flatMap(({ records }) => records.flatMap((record) => faultsOf(record, mayDie))), ...failed, ...strays]
}

describe.each(['redis', 'postgres'] as const)('three processes on %s', (kind) => {
  const service = services[kind]
  const url = service?.url ?? ''

  test.skipIf(!service)(
    'E05 one is cut off from the service and joined again: no stream has two who send, nothing is lost',
    async () => {
      const proxy = await faultyProxy({ target: url })
      const fleet = await startFleet([kind, url], 2)
      await fleet.start({ args: [kind, proxy.url] })
      const balancer = await startBalancer(fleet.nodes)
      begun.push(
        () => proxy.close(),
        () => balancer.close(),
        fleet.stop,
      )
      const workers = await hire(balancer.url, 'p', CLIENTS)
      const working = workAll(workers)
      await untilBusy(workers)
      proxy.set({ toServer: NOTHING, toClient: NOTHING })
      await sleep(APART_MS)
      proxy.set({})
      proxy.cut()
      await working
      expect(faults(workers, true)).toEqual([])
      const others = await hire(balancer.url, 'q', CLIENTS)
      await workAll(others)
      expect(faults(others, false)).toEqual([])
    },
  )

  test.skipIf(!service)('E06 clocks that differ by twenty minutes hurt nobody', async () => {
    const fleet = await startFleet([kind, url], 1)
    for (const skewMs of [TEN_MINUTES, -TEN_MINUTES]) await fleet.start({ env: { SKEW_MS: String(skewMs) } })
    const balancer = await startBalancer(fleet.nodes)
    begun.push(() => balancer.close(), fleet.stop)
    const workers = await hire(balancer.url, 's', CLIENTS)
    await workAll(workers)
    expect(faults(workers, false)).toEqual([])
  })
})
