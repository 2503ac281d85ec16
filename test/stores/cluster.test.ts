/** The stores on a Redis Cluster. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from 'ioredis'
import { type Stores, StoreUnavailable } from 'portcall/stores'
import { redis } from 'portcall/stores/redis'
import { busContract, type LogBounds, logContract, storeContract } from 'portcall/testing'
import { createCluster } from 'redis'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, PATIENCE_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startRedisCluster } from '../support/services/redis-cluster.mjs'

const cluster = await startRedisCluster()
afterAll(() => cluster?.stop())

let made = 0
const freshPrefix = (): string => `{cluster-${made++}}:`

function pattern(): Cluster {
  const places = (cluster?.nodes ?? []).map(({ port }) => ({ host: '127.0.0.1', port }))
  return new Cluster(places, { lazyConnect: true })
}

describe.skipIf(!cluster)('redis cluster', () => {
  const subjectOf = <T>(pick: (stores: Stores) => T, log: LogBounds = { maxEntries: 1000 }) => {
    const stores = redis(pattern(), { prefix: freshPrefix(), log, timeoutMs: PATIENCE_MS })
    return { subject: pick(stores), close: () => stores.close() }
  }
  storeContract({ test, create: () => subjectOf(({ store }) => store) })
  logContract({ test, create: (bounds) => subjectOf(({ log }) => log, bounds) })
  busContract({ test, create: () => subjectOf(({ bus }) => bus) })

  test('what one process says another one hears', async () => {
    const prefix = freshPrefix()
    const [near, far] = [redis(pattern(), { prefix }), redis(pattern(), { prefix })]
    const heard: string[] = []
    await far.bus.subscribe('topic', (message) => void heard.push(message))
    for (const message of ['a', 'b', 'c']) await near.bus.publish('topic', message)
    await eventually(() => expect(heard).toEqual(['a', 'b', 'c']))
    await Promise.all([near.close(), far.close()])
  })

  test('what is said at once by processes that have only just begun keeps its order', async () => {
    const messages = Array.from({ length: 30 }, (_, at) => `message ${at}`)
    for (let round = 0; round < 5; round++) {
      const prefix = freshPrefix()
      const [near, far] = [redis(pattern(), { prefix }), redis(pattern(), { prefix })]
      const heard: string[] = []
      await far.bus.subscribe('topic', (message) => void heard.push(message))
      await Promise.all(messages.map((message) => near.bus.publish('topic', message)))
      await eventually(() => expect(heard).toHaveLength(messages.length))
      expect(heard).toEqual(messages)
      await Promise.all([near.close(), far.close()])
    }
  })

  test('the node of the keys is killed and started again: nothing acknowledged is lost, and all goes on by itself', async () => {
    const prefix = freshPrefix()
    const stores = redis(pattern(), { prefix, timeoutMs: 2000 })
    const heard: string[] = []
    await stores.bus.subscribe('topic', (message) => void heard.push(message))
    await stores.store.set('key', 'value')
    const owner = await cluster?.ownerOf(prefix)
    await owner?.kill()
    await expect(stores.store.get('key')).rejects.toBeInstanceOf(StoreUnavailable)
    await sleep(1000)
    await owner?.start()
    await eventually(async () => expect(await stores.store.get('key')).toBe('value'), 50)
    await eventually(async () => {
      await stores.bus.publish('topic', 'again').catch(() => {})
      expect(heard).toContain('again')
    }, 50)
    await stores.close()
  })

  test('a prefix without a hash tag is refused, and so is a cluster of the other driver', () => {
    const untagged = /hash tag/
    expect(() => redis(pattern(), { prefix: 'portcall:' })).toThrow(untagged)
    expect(() => redis(pattern(), { prefix: '{}:' })).toThrow(untagged)
    const other = createCluster({ rootNodes: [{ url: cluster?.nodes[0]?.url ?? '' }] })
    expect(() => redis(other as never)).toThrow(/Cluster of ioredis/)
  })
})
