/**
 * Three processes, one of which is disconnected from the store, or whose clocks differ. The invariants are checked from what the clients
 * received.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { faultyProxy } from 'portcall/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { startDatabases } from '../support/services/databases.ts'
import { startBalancer } from './support/balancer.ts'
import { startFleet } from './support/fleet.ts'
import { openWorkers, runCalls, violationsOf, type Worker, whenBusy } from './support/work.ts'

const services = await startDatabases()
const cleanups: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp()
})

const CLIENTS = 8
const ROUNDS = 10
/** Longer than the lease of a process, so that the others take over its streams. */
const PARTITION_MS = 5000
const TEN_MINUTES = 600_000
const BLOCKED = { dropAfterBytes: 0 }

async function runAll(workers: readonly Worker[]): Promise<void> {
  await Promise.all(workers.map((worker) => runCalls(worker, ROUNDS)))
  for (const { client } of workers) await client.close()
}

/** Returns everything that must not happen. With `mayFail`, calls of a failed process may end with an error. */
function findViolations(workers: readonly Worker[], mayFail: boolean): string[] {
  const failed = workers.flatMap(({ failed }) => failed).filter((text) => !mayFail || /timed out/.test(text))
  const misrouted = workers.flatMap(({ client }) => client.misrouted.map(String))
  return [
    ...workers.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, mayFail))),
    ...failed,
    ...misrouted,
  ]
}

describe.each(['redis', 'postgres'] as const)('three processes on %s', (kind) => {
  const service = services[kind]
  const url = service?.url ?? ''

  // A client of a cluster or of Sentinel asks for the address of the primary, which is not that of the proxy.
  test.skipIf(!service || /^redis-/.test(url))(
    'E05 one is disconnected from the store and rejoins: no stream has two senders, nothing is lost',
    async () => {
      const proxy = await faultyProxy({ target: url })
      const fleet = await startFleet([kind, url], 2)
      await fleet.start({ args: [kind, proxy.url] })
      const balancer = await startBalancer(fleet.nodes)
      cleanups.push(
        () => proxy.close(),
        () => balancer.close(),
        fleet.stop,
      )
      const workers = await openWorkers(balancer.url, 'p', CLIENTS)
      const running = runAll(workers)
      await whenBusy(workers)
      proxy.setFaults({ toServer: BLOCKED, toClient: BLOCKED })
      await sleep(PARTITION_MS)
      proxy.setFaults({})
      proxy.resetConnections()
      await running
      expect(findViolations(workers, true)).toEqual([])
      const others = await openWorkers(balancer.url, 'q', CLIENTS)
      await runAll(others)
      expect(findViolations(others, false)).toEqual([])
    },
  )

  test.skipIf(!service)('E06 clocks that differ by twenty minutes do no harm', async () => {
    const fleet = await startFleet([kind, url], 1)
    for (const skewMs of [TEN_MINUTES, -TEN_MINUTES]) await fleet.start({ env: { SKEW_MS: String(skewMs) } })
    const balancer = await startBalancer(fleet.nodes)
    cleanups.push(() => balancer.close(), fleet.stop)
    const workers = await openWorkers(balancer.url, 's', CLIENTS)
    await runAll(workers)
    expect(findViolations(workers, false)).toEqual([])
  })
})
