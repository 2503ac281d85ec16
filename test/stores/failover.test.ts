/** The stores while a replica of Redis takes the place of its primary: in a Redis Cluster, and with Sentinel. */
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5'
import { type RedisClient, redisStores } from 'portcall/stores/redis'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { findProgram } from '../support/services/programs.mjs'
import { say } from '../support/services/redis.mjs'
import { startRedisCluster } from '../support/services/redis-cluster.mjs'
import { startRedisWithSentinel } from '../support/services/redis-sentinel.mjs'

interface Pair {
  readonly primary: { readonly port: number; kill(): Promise<unknown> }
  readonly replica: { readonly port: number }
  /** Creates a client of each supported version of ioredis. */
  readonly clients: readonly (() => RedisClient)[]
  stop(): Promise<unknown>
}

/** A cluster whose first node owns the keys of `PREFIX` and has a replica. */
async function startCluster(): Promise<Pair> {
  const cluster = (await startRedisCluster({ hasReplica: true }))!
  const nodes = [...cluster.nodes, cluster.replica!].map(({ port }) => ({ host: '127.0.0.1', port }))
  const clients = [() => new Cluster(nodes, { lazyConnect: true }), () => new Cluster5(nodes, { lazyConnect: true })]
  return { primary: cluster.nodes[0]!, replica: cluster.replica!, clients, stop: cluster.stop }
}

async function startSentinel(): Promise<Pair> {
  const { name, primary, replica, sentinel, stop } = (await startRedisWithSentinel())!
  const options = { sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name, lazyConnect: true }
  return { primary, replica, clients: [() => new Redis(options), () => new Redis5(options)], stop }
}

/** Its slot is 3168, which the first node of a cluster owns. */
const PREFIX = '{f}:'

let pair: Pair | undefined
afterEach(() => pair?.stop())

const offsetOf = async (port: number) => /master_repl_offset:(\d+)/.exec(await say(port, 'INFO', 'replication'))?.[1]

describe.skipIf(!findProgram('redis-server'))('a replica takes the place of its primary', () => {
  test.each([
    ['in a cluster', startCluster],
    ['with Sentinel', startSentinel],
  ])('%s: what it had received is kept, and operations and messages go on', async (_, start) => {
    const { primary, replica, clients } = (pair = await start())
    const all = clients.map((open) => redisStores(open(), { prefix: PREFIX, timeoutMs: 2000 }))
    const received = await Promise.all(
      all.map(async ({ bus }) => {
        const messages: string[] = []
        await bus.subscribe('topic', (message) => void messages.push(message))
        return messages
      }),
    )
    await all[0]!.store.set('key', 'value')
    await eventually(async () => expect(await offsetOf(replica.port)).toBe(await offsetOf(primary.port)))
    await primary.kill()
    for (const [at, { store, bus }] of all.entries()) {
      await eventually(async () => expect(await store.get('key')).toBe('value'), { intervalMs: 50 })
      await eventually(async () => store.set('later', 'value'), { intervalMs: 50 })
      await eventually(
        async () => {
          await bus.publish('topic', `from ${at}`).catch(() => {})
          for (const messages of received) expect(messages).toContain(`from ${at}`)
        },
        { intervalMs: 50 },
      )
    }
    await Promise.all(all.map((stores) => stores.close()))
  })
})
