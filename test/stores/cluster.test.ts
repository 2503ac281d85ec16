/** The stores on a Redis Cluster. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5 } from 'ioredis-5'
import { type Stores, StoreUnavailableError } from 'portcall/stores'
import { type RedisClient, redisStores } from 'portcall/stores/redis'
import { busContract, type LogBounds, logContract, storeContract } from 'portcall/testing'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { EVENTUALLY_TIMEOUT_MS, eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startRedisCluster } from '../support/services/redis-cluster.mjs'

const cluster = await startRedisCluster()
afterAll(() => cluster?.stop())

let created = 0
const uniquePrefix = (): string => `{cluster-${created++}}:`

interface NodeOptions {
  readonly password?: string
}

const addresses = () => (cluster?.nodes ?? []).map(({ port }) => ({ host: '127.0.0.1', port }))
const createTemplate = (redisOptions: NodeOptions = {}): Cluster => new Cluster(addresses(), { lazyConnect: true, redisOptions })

/** The clients of both supported versions of the package. They differ in the options that a copy keeps. */
const CLUSTERS: Record<string, (redisOptions: NodeOptions) => RedisClient> = {
  'ioredis 6': createTemplate,
  'ioredis 5': (redisOptions) => new Cluster5(addresses(), { lazyConnect: true, redisOptions }),
}

/** Sets the password of all nodes; the empty one removes it. */
async function setPassword(password: string): Promise<void> {
  for (const { host, port } of addresses()) {
    const node = new Redis(port, host, password ? {} : { password: 'right' })
    await node.config('SET', 'requirepass', password)
    node.disconnect()
  }
}

const openStores = (prefix: string): Stores => redisStores(createTemplate(), { prefix, timeoutMs: EVENTUALLY_TIMEOUT_MS })

describe.skipIf(!cluster)('redis cluster', () => {
  const subjectOf = <T>(pick: (stores: Stores) => T, log: LogBounds = { maxEntries: 1000 }) => {
    const stores = redisStores(createTemplate(), { prefix: uniquePrefix(), log, timeoutMs: EVENTUALLY_TIMEOUT_MS })
    return { subject: pick(stores), close: () => stores.close() }
  }
  storeContract({ test, create: () => subjectOf(({ store }) => store) })
  logContract({ test, create: (bounds) => subjectOf(({ log }) => log, bounds) })
  busContract({ test, create: () => subjectOf(({ bus }) => bus) })

  test('a message of one process arrives in another one', async () => {
    const prefix = uniquePrefix()
    const [publisher, subscriber] = [openStores(prefix), openStores(prefix)]
    const received: string[] = []
    await subscriber.bus.subscribe('topic', (message) => void received.push(message))
    for (const message of ['a', 'b', 'c']) await publisher.bus.publish('topic', message)
    await eventually(() => expect(received).toEqual(['a', 'b', 'c']))
    await Promise.all([publisher.close(), subscriber.close()])
  })

  test('messages that are published immediately after the start arrive in order', async () => {
    const messages = Array.from({ length: 30 }, (_, at) => `message ${at}`)
    for (let round = 0; round < 5; round++) {
      const prefix = uniquePrefix()
      const [publisher, subscriber] = [openStores(prefix), openStores(prefix)]
      const received: string[] = []
      await subscriber.bus.subscribe('topic', (message) => void received.push(message))
      await Promise.all(messages.map((message) => publisher.bus.publish('topic', message)))
      await eventually(() => expect(received).toHaveLength(messages.length))
      expect(received).toEqual(messages)
      await Promise.all([publisher.close(), subscriber.close()])
    }
  })

  test('after the node of the keys is killed and restarted, nothing acknowledged is lost, and the stores recover', async () => {
    const prefix = uniquePrefix()
    const stores = redisStores(createTemplate(), { prefix, timeoutMs: 2000 })
    const received: string[] = []
    await stores.bus.subscribe('topic', (message) => void received.push(message))
    await stores.store.set('key', 'value')
    const owner = await cluster?.ownerOf(prefix)
    await owner?.kill()
    await expect(stores.store.get('key')).rejects.toBeInstanceOf(StoreUnavailableError)
    await sleep(1000)
    await owner?.start()
    await eventually(async () => expect(await stores.store.get('key')).toBe('value'), { intervalMs: 50 })
    await eventually(
      async () => {
        await stores.bus.publish('topic', 'again').catch(() => {})
        expect(received).toContain('again')
      },
      { intervalMs: 50 },
    )
    await stores.close()
  })

  describe.each(Object.entries(CLUSTERS))('with a password, %s', (_version, open) => {
    beforeAll(() => setPassword('right'))
    afterAll(() => setPassword(''))

    test('the one in redisOptions is used for commands and for messages', async () => {
      const stores = redisStores(open({ password: 'right' }), { prefix: uniquePrefix(), timeoutMs: EVENTUALLY_TIMEOUT_MS })
      onTestFinished(stores.close)
      const received: string[] = []
      await stores.bus.subscribe('topic', (message) => void received.push(message))
      await stores.store.set('key', 'value')
      await stores.bus.publish('topic', 'message')
      await eventually(() => expect(received).toEqual(['message']))
      expect(await stores.store.get('key')).toBe('value')
    })

    test('a wrong one is named at once', async () => {
      const stores = redisStores(open({ password: 'wrong' }), { prefix: uniquePrefix(), timeoutMs: 300_000 })
      onTestFinished(stores.close)
      await expect(stores.store.get('key')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('WRONGPASS'),
      })
    })
  })

  test('a prefix without a hash tag is rejected, and so is a cluster of the other driver', () => {
    const untagged = /hash tag/
    expect(() => redisStores(createTemplate(), { prefix: 'portcall:' })).toThrow(untagged)
    expect(() => redisStores(createTemplate(), { prefix: '{}:' })).toThrow(untagged)
    const other = createCluster({ rootNodes: [{ url: cluster?.nodes[0]?.url ?? '' }] })
    expect(() => redisStores(other as never)).toThrow(/Cluster of ioredis/)
  })
})
