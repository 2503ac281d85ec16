/** Stores that are away when a process starts, that are full, and that lose what they hold. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { type Stores, StoreUnavailableError } from 'portcall/stores'
import { sqliteStores } from 'portcall/stores/sqlite'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createStoredKeyRing } from '../../packages/portcall/src/stores/sealing/key-ring.ts'
import { createSealer } from '../../packages/portcall/src/stores/sealing/seal.ts'
import { createStoreQueue } from '../../packages/portcall/src/tasks/queues/store-queue.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { commandRedis } from '../stores/support/administer.ts'
import { type OpenStores, POSTGRES_DRIVERS, REDIS_DRIVERS } from '../stores/support/drivers.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { createHome, hasDisks } from '../support/services/service.mjs'
import { serveHealth } from './support/serve-health.ts'

const HOUR_MS = 3_600_000
const redis = await startRedis()
const postgres = await startPostgres({ args: ['-c', 'fsync=off'] })
afterAll(() => Promise.all([redis?.stop(), postgres?.stop()]))

let created = 0
const uniqueName = (): string => `trouble_${process.pid}_${created++}`

type Database = NonNullable<typeof redis | typeof postgres>

function testStart(database: Database, open: OpenStores): void {
  test('a process that starts while the store is away gets tasks at once when it is there', async () => {
    const namespace = uniqueName()
    const openHere = (): Stores => {
      const stores = open(database.url, { namespace, timeoutMs: 1000 })
      onTestFinished(stores.close)
      return stores
    }
    const first = openHere()
    await first.store.set('a', '1')
    await database.kill()
    const second = openHere()
    const processed: string[] = []
    const errors: unknown[] = []
    // Without messages, nothing is found: the queue is polled once an hour.
    const queue = createStoreQueue({ ...second, pollIntervalMs: HOUR_MS })
    onTestFinished(() => queue.close())
    await queue.process(
      async (ref) => {
        processed.push(ref)
        return 'done'
      },
      { concurrency: 1, onError: (error) => errors.push(error) },
    )
    expect(errors[0]).toBeInstanceOf(StoreUnavailableError)
    const ready = await serveHealth(second)
    expect(await ready()).toBe(503)
    await database.start()
    await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
    const sender = createStoreQueue(first)
    await eventually(
      async () => {
        if (processed.length === 0) await sender.enqueue(`task-${Date.now()}`, { ttlMs: 60_000 })
        expect(processed.length).toBeGreaterThan(0)
      },
      { intervalMs: 200 },
    )
    // Each further one arrives by its message.
    for (let at = 0; at < 3; at++) {
      await sender.enqueue(`later-${at}`, { ttlMs: 60_000 })
      await eventually(() => expect(processed).toContain(`later-${at}`))
    }
  })
}

describe.skipIf(!redis).each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) => testStart(redis as Database, open))
describe.skipIf(!postgres).each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) =>
  testStart(postgres as Database, open),
)

const openRedis = (namespace = uniqueName()): Stores => {
  const stores = (REDIS_DRIVERS['ioredis'] as OpenStores)(redis?.url ?? '', { namespace })
  onTestFinished(stores.close)
  return stores
}

describe.skipIf(!redis)('redis', () => {
  test('full memory: health says so, and that it is over', async () => {
    const ready = await serveHealth(openRedis())
    expect(await ready()).toBe(200)
    onTestFinished(async () => void (await commandRedis(redis?.url ?? '', 'CONFIG', 'SET', 'maxmemory', '0')))
    await commandRedis(redis?.url ?? '', 'CONFIG', 'SET', 'maxmemory', '1')
    await eventually(async () => expect(await ready()).toBe(503), { intervalMs: 100 })
    await commandRedis(redis?.url ?? '', 'CONFIG', 'SET', 'maxmemory', '0')
    await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
  })

  test('all data lost, and one process restarted: what each has sealed opens in both', async () => {
    const namespace = uniqueName()
    const start = () => createSealer({ keys: createStoredKeyRing(openRedis(namespace).store) })
    const first = start()
    const ready = await serveHealth(openRedis(namespace))
    const before = await first.seal('test', 'before', { ttlMs: HOUR_MS })
    await commandRedis(redis?.url ?? '', 'FLUSHALL')
    // An empty store can be used.
    expect(await ready()).toBe(200)
    const restarted = start()
    const after = await restarted.seal('test', 'after', { ttlMs: HOUR_MS })
    for (const sealer of [first, restarted])
      await eventually(
        async () => expect([await sealer.open('test', before), await sealer.open('test', after)]).toEqual(['before', 'after']),
        { intervalMs: 100 },
      )
  })

  test('all data lost while a question is open: the answer is accepted by a process that starts later', async () => {
    const namespace = uniqueName()
    const serveOne = async (): Promise<string> => {
      const server = createServer({ name: 'asking', version: '1.0.0' }, { stores: openRedis(namespace), onEvent: () => {} })
      server.tool('ask', {}, async (_args, call) => {
        const { name } = await call.elicit('Name?', { type: 'object', properties: { name: { type: 'string' } } })
        return `Hello, ${name}`
      })
      const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
      onTestFinished(close)
      return url
    }
    const urls = [await serveOne()]
    // The client is moved to a process that starts after the loss.
    const client = await connect(urls[0] ?? '', {
      fetch: (input: RequestInfo | URL, init?: RequestInit) =>
        fetch(String(input).replace(urls[0] ?? '', urls.at(-1) ?? ''), init),
      async elicit() {
        await commandRedis(redis?.url ?? '', 'FLUSHALL')
        const { store } = openRedis(namespace)
        await eventually(async () => expect(await store.get('seal/ring')).not.toBe(undefined), { intervalMs: 100 })
        urls.push(await serveOne())
        return { name: 'Ada' }
      },
    } as never)
    onTestFinished(() => client.close())
    const { content } = await client.callTool('ask', {})
    expect(content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
    expect(urls).toHaveLength(2)
  })
})

describe('sqlite', () => {
  test.skipIf(!hasDisks)('full disk: health says so, reads go on, and it is over when there is space', async () => {
    const home = createHome('sqlite', 4)
    onTestFinished(() => home.leave())
    const stores = sqliteStores(join(home.folder, 'state.db'))
    onTestFinished(stores.close)
    const ready = await serveHealth(stores)
    await stores.store.set('a', '1')
    expect(await ready()).toBe(200)
    const filler = join(home.folder, 'filler')
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { stdio: 'ignore' })
    await eventually(async () => expect(await ready()).toBe(503), { intervalMs: 100 })
    await expect(stores.store.set('b', 'x'.repeat(50_000))).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(await stores.store.get('a')).toBe('1')
    rmSync(filler)
    await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
  })

  test('file removed: health says so, and the server goes on with a new file', async () => {
    const home = createHome('sqlite')
    onTestFinished(() => home.leave())
    const file = join(home.folder, 'state.db')
    const warnings: string[] = []
    const stores = sqliteStores(file, { onWarning: (message) => warnings.push(message) })
    onTestFinished(stores.close)
    const ready = await serveHealth(stores)
    expect(await ready()).toBe(200)
    rmSync(file)
    await eventually(async () => expect(await ready()).toBe(503), { intervalMs: 100 })
    await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
    expect(warnings).toEqual([expect.stringContaining('removed or replaced')])
  })
})
