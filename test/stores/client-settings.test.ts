/** Clients that are passed in with unusual settings: they are honored, or refused when they are passed. */
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { Redis as Redis5 } from 'ioredis-5'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { type PostgresSource, postgresStores } from 'portcall/stores/postgres'
import { type RedisClient, redisStores } from 'portcall/stores/redis'
import postgresJs from 'postgres'
import { createClient, createClientPool, createSentinel } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { startRedis } from '../support/services/redis.mjs'
import { administerPostgres, commandRedis } from './support/administer.ts'

const { redis, postgres } = await startDatabases({ args: ['-c', 'fsync=off'] })
const redisUrl = redis?.url ?? 'redis://127.0.0.1:1'
const postgresUrl = postgres?.url ?? 'postgres://127.0.0.1:1'

let created = 0
const uniqueName = (): string => `settings_${process.pid}_${created++}`

const LAZY: RedisOptions = { lazyConnect: true }
const ioredis = (options: RedisOptions = {}): RedisClient => new Redis(redisUrl, { ...LAZY, ...options } as never)

/** Uses all parts of stores, and expects that they return what was stored. */
async function expectToWork({ store, log, bus }: Stores): Promise<void> {
  const received: string[] = []
  const unsubscribe = await bus.subscribe('topic', (message) => void received.push(message))
  expect(await store.compareAndSet('key', { expected: undefined, value: '1' })).toBe(true)
  expect(await store.compareAndSet('key', { expected: undefined, value: '2' })).toBe(false)
  expect([await store.get('key'), await store.get('none'), await store.list(''), await store.count('k')]).toEqual([
    '1',
    undefined,
    ['key'],
    1,
  ])
  const position = await log.append('log', 'a')
  await log.append('log', 'b')
  expect((await log.read('log', position)).map(({ data }) => data)).toEqual(['b'])
  await bus.publish('topic', 'hello')
  await eventually(() => expect(received).toEqual(['hello']))
  unsubscribe()
}

async function withRedis(client: RedisClient, body: (stores: Stores, prefix: string) => Promise<void>): Promise<void> {
  const prefix = `{${uniqueName()}}:`
  const stores = redisStores(client, { prefix, store: { maxEntries: 5 }, timeoutMs: 10_000 })
  await body(stores, prefix).finally(() => stores.close())
}

/** Settings that would change results, or lose what was sent. */
const REDIS_CLIENTS: Record<string, () => RedisClient> = {
  'ioredis 5': () => new Redis5(redisUrl, { lazyConnect: true }),
  'ioredis, stringNumbers': () => ioredis({ stringNumbers: true }),
  'ioredis, RESP3 with replies of its own': () => ioredis({ protocol: 3, replyMapping: 'resp3' }),
  'ioredis, RESP2': () => ioredis({ protocol: 2 }),
  'ioredis, enableAutoPipelining': () => ioredis({ enableAutoPipelining: true }),
  'ioredis, readOnly': () => ioredis({ readOnly: true }),
  'ioredis, reconnectOnError': () => ioredis({ reconnectOnError: () => 2 }),
  'ioredis, another database': () => ioredis({ db: 3 }),
  'redis, RESP 2': () => createClient({ url: redisUrl, RESP: 2 }),
  'redis, RESP 3': () => createClient({ url: redisUrl, RESP: 3 }) as never,
  'redis, typeMapping': () =>
    createClient({ url: redisUrl, commandOptions: { typeMapping: { 36: Buffer, 58: String } } }) as never,
  'redis, readonly': () => createClient({ url: redisUrl, readonly: true }),
  'redis, commandsQueueMaxLength': () => createClient({ url: redisUrl, commandsQueueMaxLength: 1 }),
  'redis, socketTimeout': () => createClient({ url: redisUrl, socket: { socketTimeout: 200 } }),
}
const PREFIXED: Record<string, (options?: { username: string; password: string }) => RedisClient> = {
  ioredis: (user) => ioredis({ keyPrefix: 'app:', ...user }),
  redis: (user) => createClient({ url: redisUrl, keyPrefix: 'app:', ...user }) as never,
}

const WITH_PASSWORD: Record<string, (url: string, password: string) => RedisClient> = {
  ioredis: (url, password) => new Redis(url, { ...LAZY, password } as never),
  redis: (url, password) => createClient({ url, password }),
}

describe.skipIf(!redis)('redis', () => {
  test.each(Object.entries(REDIS_CLIENTS))('%s: works as without', (_, create) => withRedis(create(), expectToWork))

  test.each(Object.entries(PREFIXED))('%s with keyPrefix: all keys have it, and are evicted and expire', (_, create) =>
    withRedis(create(), async (stores, prefix) => {
      await expectToWork(stores)
      for (let at = 0; at < 13; at++) await stores.store.set(`k${at}`, 'x')
      await eventually(() => stores.store.set('short', 'x', { ttlMs: 1 }))
      for (let at = 0; at < 5; at++) await stores.store.set('again', String(at))
      const keys = (await commandRedis(redisUrl, 'KEYS', '*')) as string[]
      const own = keys.filter((key) => key.includes(prefix))
      expect(own.every((key) => key.startsWith(`app:${prefix}`))).toBe(true)
      expect(own.filter((key) => key.startsWith(`app:${prefix}v:`)).length).toBeLessThanOrEqual(5)
      expect(await stores.store.count('')).toBeLessThanOrEqual(5)
    }),
  )

  test.each(Object.entries(PREFIXED))('%s with keyPrefix: a user who may use only this prefix can use all', async (_, create) => {
    const user = { username: uniqueName(), password: 'secret' }
    await commandRedis(redisUrl, 'ACL', 'SETUSER', user.username, 'on', '>secret', '~app:*', '&app:*', '+@all')
    await withRedis(create(user), async (stores) => {
      await expectToWork(stores)
      for (let at = 0; at < 13; at++) await stores.store.set(`k${at}`, 'x', { ttlMs: at % 2 === 0 ? 1 : 60_000 })
      expect(await stores.store.list('k')).not.toContain('k0')
    })
  })

  test.each(Object.entries(WITH_PASSWORD))('%s with a wrong password: every operation says so at once', async (_, create) => {
    const server = await startRedis()
    onTestFinished(async () => void (await server?.stop()))
    const url = server?.url ?? ''
    await commandRedis(url, 'CONFIG', 'SET', 'requirepass', 'right')
    const stores = redisStores(create(url, 'wrong'), { timeoutMs: 60_000 })
    onTestFinished(stores.close)
    const operations = [() => stores.store.get('a'), () => stores.store.set('a', '1'), () => stores.bus.subscribe('a', () => {})]
    for (const run of operations)
      await expect(run()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('WRONGPASS') })
  })

  test('a warning says once that Redis may delete entries', async () => {
    const warnings: string[] = []
    const use = async (): Promise<void> => {
      const stores = redisStores(ioredis(), { prefix: `{${uniqueName()}}:`, onWarning: (message) => warnings.push(message) })
      await stores.store.set('a', '1')
      await stores.store.get('a')
      await stores.close()
    }
    await use()
    expect(warnings).toEqual([])
    onTestFinished(
      async () => void (await commandRedis(redisUrl, 'CONFIG', 'SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction')),
    )
    await commandRedis(redisUrl, 'CONFIG', 'SET', 'maxmemory', '1gb', 'maxmemory-policy', 'allkeys-lru')
    await eventually(async () => {
      await use()
      expect(warnings[0]).toMatch(/maxmemory-policy allkeys-lru.*noeviction/)
    })
    const count = warnings.length
    await use()
    expect(warnings.length).toBeLessThanOrEqual(count + 1)
  })
})

const REFUSED_BY_REDIS: Record<string, [client: () => unknown, message: RegExp]> = {
  'a client of replicas': [
    () => ioredis({ sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'm', role: 'slave' }),
    /role: 'slave'/,
  ],
  'the Sentinel client of redis': [
    () => createSentinel({ name: 'm', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] }),
    /Sentinel client.*ioredis/,
  ],
  'a pool of redis': [() => createClientPool({ url: redisUrl }), /pool of the package redis/],
  'a cluster whose keyPrefix has another hash tag': [
    () => new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true, redisOptions: { keyPrefix: '{}:' } }),
    /hash tag/,
  ],
  nothing: [() => undefined, /needs a client/],
}

test.each(Object.entries(REFUSED_BY_REDIS))('redisStores refuses %s', (_, [create, message]) => {
  expect(() => redisStores(create() as RedisClient, { prefix: 'p:' })).toThrow(TypeError)
  expect(() => redisStores(create() as RedisClient, { prefix: 'p:' })).toThrow(message)
})

test('the keyPrefix of a cluster may contain the hash tag', async () => {
  const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true, keyPrefix: '{app}:' })
  await redisStores(cluster, { prefix: 'p:' }).close()
})

const REFUSED_BY_POSTGRES: Record<string, [source: () => unknown, message: RegExp]> = {
  'a pool of one connection': [() => new pg.Pool({ connectionString: postgresUrl, max: 1 }), /max: 1.*LISTEN.*2 or more/],
  'a client of pg': [() => new pg.Client({ connectionString: postgresUrl }), /not a Client/],
  'a transaction of postgres': [
    () => Object.assign(() => {}, { unsafe() {}, savepoint() {} }),
    /transaction or a reserved connection/,
  ],
  'a URL': [() => postgresUrl, /needs a Pool of pg/],
}

test.each(Object.entries(REFUSED_BY_POSTGRES))('postgresStores refuses %s', (_, [create, message]) => {
  expect(() => postgresStores(create() as PostgresSource)).toThrow(TypeError)
  expect(() => postgresStores(create() as PostgresSource)).toThrow(message)
})

const POSTGRES_SOURCES: Record<string, () => { source: PostgresSource; end(): Promise<unknown> }> = {
  'pg, a pool of two': () => {
    const source = new pg.Pool({ connectionString: postgresUrl, max: 2 })
    return { source, end: () => source.end() }
  },
  'postgres, one connection': () => {
    const source = postgresJs(postgresUrl, { max: 1 })
    return { source, end: () => source.end({ timeout: 1 }) }
  },
  'postgres, names of columns in Pascal case': () => {
    const source = postgresJs(postgresUrl, { max: 2, transform: postgresJs.pascal })
    return { source, end: () => source.end({ timeout: 1 }) }
  },
  'postgres, without prepared statements': () => {
    const source = postgresJs(postgresUrl, { max: 2, prepare: false })
    return { source, end: () => source.end({ timeout: 1 }) }
  },
}

describe.skipIf(!postgres)('postgres', () => {
  test.each(Object.entries(POSTGRES_SOURCES))('%s: works', async (_, create) => {
    const { source, end } = create()
    const stores = postgresStores(source, { schema: uniqueName(), timeoutMs: 10_000 })
    await expectToWork(stores).finally(() => stores.close())
    await end()
  })

  test('a pool without a free connection is named in the error', async () => {
    const pool = new pg.Pool({ connectionString: postgresUrl, max: 2 })
    const stores = postgresStores(pool, { schema: uniqueName(), timeoutMs: 1000 })
    await stores.store.set('a', '1')
    const taken = await Promise.all([pool.connect(), pool.connect()])
    await expect(stores.store.get('a')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('no free connection in the pool (max 2) within 1000 ms'),
    })
    for (const connection of taken) connection.release()
    await eventually(async () => expect(await stores.store.get('a')).toBe('1'), { intervalMs: 50 })
    await stores.close()
    await pool.end()
  })

  test('a pool that loses its connections after the stores were closed does not end the process', async () => {
    const user = uniqueName()
    await administerPostgres(postgresUrl, `create role ${user} login superuser`)
    const pool = new pg.Pool({ connectionString: postgresUrl.replace('portcall@', `${user}@`) })
    const stores = postgresStores(pool, { schema: uniqueName(), timeoutMs: 10_000 })
    await Promise.all(['a', 'b', 'c'].map((key) => stores.store.set(key, '1')))
    await stores.close()
    expect(pool.totalCount).toBeGreaterThan(0)
    await administerPostgres(postgresUrl, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${user}'`)
    await eventually(() => expect(pool.totalCount).toBe(0))
    await pool.end()
  })

  test('idle_session_timeout does not end the connection of the bus', async () => {
    const user = uniqueName()
    await administerPostgres(
      postgresUrl,
      `create role ${user} login superuser`,
      `alter role ${user} set idle_session_timeout = 500`,
    )
    const pool = new pg.Pool({ connectionString: postgresUrl.replace('portcall@', `${user}@`) })
    const stores = postgresStores(pool, { schema: uniqueName(), timeoutMs: 10_000 })
    const received: string[] = []
    await stores.bus.subscribe('topic', (message) => void received.push(message))
    const sent = Array.from({ length: 15 }, (_, at) => String(at))
    for (const message of sent) {
      await stores.bus.publish('topic', message)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await eventually(() => expect(received).toEqual(sent))
    await stores.close()
    await pool.end()
  })
})
