/** A replica of Redis takes the place of a primary that was killed: with Sentinel, and in a Redis Cluster. */
import { Cluster, Redis } from 'ioredis'
import { type RedisClient, redisStores } from 'portcall/stores/redis'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { findProgram } from '../support/services/programs.mjs'
import { say, untilReplicating, untilSays } from '../support/services/redis.mjs'
import { startRedisCluster } from '../support/services/redis-cluster.mjs'
import { startRedisWithSentinel } from '../support/services/redis-sentinel.mjs'
import { openService } from './support/task-service.ts'

interface RedisNode {
  readonly port: number
  kill(): Promise<unknown>
  start(): Promise<unknown>
}

interface Pair {
  readonly primary: RedisNode
  readonly replica: RedisNode
  /** The replica stays one until `promote`, so that the time without a primary does not depend on the speed of the machine. */
  hold(): Promise<unknown>
  promote(): Promise<unknown>
  open(): RedisClient
  stop(): Promise<unknown>
}

/** A cluster whose first node owns the keys of `PREFIX` and has a replica. */
async function startCluster(): Promise<Pair> {
  const { nodes, replica, stop } = (await startRedisCluster({ hasReplica: true }))!
  const addresses = [...nodes, replica!].map(({ port }) => ({ host: '127.0.0.1', port }))
  const forbid = (answer: 'yes' | 'no') => say(replica!.port, 'CONFIG', 'SET', 'cluster-replica-no-failover', answer)
  return {
    primary: nodes[0]!,
    replica: replica!,
    hold: () => forbid('yes'),
    promote: () => forbid('no'),
    open: () => new Cluster(addresses, { lazyConnect: true }),
    stop,
  }
}

async function startSentinel(): Promise<Pair> {
  const { name, primary, replica, sentinel, stop } = (await startRedisWithSentinel())!
  const open = (): RedisClient => new Redis({ sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name, lazyConnect: true })
  const wait = (ms: string) => say(sentinel.port, 'SENTINEL', 'SET', name, 'down-after-milliseconds', ms)
  return { primary, replica, hold: () => wait('600000'), promote: () => wait('1000'), open, stop }
}

/** Its slot is 3168, which the first node of a cluster owns. */
const PREFIX = '{f}:'
const DONE = [{ type: 'text', text: 'done' }]

let pair: Pair | undefined
afterEach(() => pair?.stop())

describe.skipIf(!findProgram('redis-server'))('the primary is killed', () => {
  test.each([
    ['Sentinel', startSentinel],
    ['Redis Cluster', startCluster],
  ])(
    '%s: the process is out of service until the replica is the primary, and nothing that it had received is lost',
    {
      timeout: 120_000,
    },
    async (_, start) => {
      const { primary, replica, hold, promote, open } = (pair = await start())
      const stores = redisStores(open(), { prefix: PREFIX, timeoutMs: 2000 })
      onTestFinished(stores.close)
      const { ready, work, startWork, resultOf, runs } = await openService(stores)
      const taskId = await startWork()
      expect(await resultOf(taskId)).toEqual(DONE)
      expect(await ready()).toBe(200)
      await untilReplicating(replica.port)
      await hold()
      await primary.kill()
      // Until somebody has noticed, writes fail. A user who starts a task then is told to try again.
      await eventually(async () => expect(await ready()).toBe(503), { intervalMs: 50 })
      const unavailable = expect.stringContaining('The store is unavailable; try again later')
      await expect(work()).rejects.toMatchObject({ code: -32603, message: unavailable })
      expect(runs()).toBe(1)
      await promote()
      await untilSays(replica.port, ['ROLE'], ['master'])
      await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 50 })
      expect(await resultOf(taskId)).toEqual(DONE)
      expect(await work()).toEqual(DONE)
      expect(runs()).toBe(2)
      // The old primary comes back as a replica, which changes nothing.
      await primary.start()
      await untilReplicating(primary.port)
      expect(await ready()).toBe(200)
      expect(await work()).toEqual(DONE)
    },
  )
})
