/** A primary that is demoted and goes on: old connections reach a server that can be read and not written. */
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import type { Stores } from 'portcall/stores'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { administerPostgres, commandRedis } from '../stores/support/administer.ts'
import { type OpenStores, openPostgresJs, POSTGRES_DRIVERS, REDIS_DRIVERS } from '../stores/support/drivers.ts'
import { createLossyProxy, type LossyProxy } from '../stores/support/lossy-proxy.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'

/** Two servers, the first of which is the primary. */
interface Pair {
  readonly urls: readonly [string, string]
  /** Demotes the first server. Its connections stay open. */
  demote(): Promise<unknown>
  /** Promotes the first server again. */
  promote(): Promise<unknown>
}

const postgresServers = await Promise.all([
  startPostgres({ args: ['-c', 'fsync=off'] }),
  startPostgres({ args: ['-c', 'fsync=off'] }),
])
const redisServers = await Promise.all([startRedis(), startRedis()])
afterAll(() => Promise.all([...postgresServers, ...redisServers].map((server) => server?.stop())))

const [firstPostgres, secondPostgres] = postgresServers
const postgresPair: Pair | undefined = firstPostgres &&
  secondPostgres && {
    urls: [firstPostgres.url, secondPostgres.url],
    demote: () =>
      administerPostgres(firstPostgres.url, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()'),
    promote: () =>
      administerPostgres(
        firstPostgres.url,
        'set default_transaction_read_only = off',
        'alter system reset default_transaction_read_only',
        'select pg_reload_conf()',
      ),
  }
const [firstRedis, secondRedis] = redisServers
const redisPair: Pair | undefined = firstRedis &&
  secondRedis && {
    urls: [firstRedis.url, secondRedis.url],
    demote: () => commandRedis(firstRedis.url, 'REPLICAOF', '127.0.0.1', String(secondRedis.port)),
    promote: () => commandRedis(firstRedis.url, 'REPLICAOF', 'NO', 'ONE'),
  }

const portOf = (url: string): number => Number(new URL(url).port)
let created = 0

interface Failover {
  readonly stores: Stores
  readonly proxy: LossyProxy
  readonly ready: () => Promise<number>
}

/** Opens stores that reach the first server through a proxy, and a server whose health can be asked for. */
async function openThroughProxy({ urls: [first] }: Pair, open: OpenStores): Promise<Failover> {
  const proxy = await createLossyProxy(portOf(first))
  const stores = open(first.replace(String(portOf(first)), String(proxy.port)), {
    namespace: `failover_${process.pid}_${created++}`,
    timeoutMs: 10_000,
  })
  const server = createServer({ name: 'failover', version: '1.0.0' }, { stores, onEvent: () => {} })
  const { port, close } = await serve(server, { port: 0, handleProcessSignals: false, health: { checkTimeoutMs: 20_000 } })
  onTestFinished(async () => {
    await close()
    await stores.close()
    await proxy.close()
  })
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  return { stores, proxy, ready }
}

function testFailover(pair: Pair, open: OpenStores): void {
  test.skipIf(open === POSTGRES_DRIVERS['postgres'])(
    'writes and messages go to the new primary: nothing fails, nothing is lost',
    async () => {
      const { stores, proxy, ready } = await openThroughProxy(pair, open)
      const received: string[] = []
      await stores.bus.subscribe('topic', (message) => void received.push(message))
      // Several connections, as under load.
      await Promise.all([stores.store.set('a', '1'), stores.log.append('log', 'x'), stores.store.get('a'), stores.store.list('')])
      expect(await ready()).toBe(200)
      proxy.forwardTo(portOf(pair.urls[1]))
      await pair.demote()
      onTestFinished(async () => void (await pair.promote()))
      await eventually(() => expect(writeDirectly(pair)).rejects.toThrow())
      const written = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => stores.store.set(`key ${at}`, 'new')))
      expect(written.filter(({ status }) => status === 'rejected')).toEqual([])
      const read = await Promise.all(Array.from({ length: 20 }, (_, at) => stores.store.get(`key ${at}`)))
      expect(read).toEqual(new Array(20).fill('new'))
      expect(await ready()).toBe(200)
      await eventually(
        async () => {
          await stores.bus.publish('topic', 'again').catch(() => {})
          expect(received).toContain('again')
        },
        { intervalMs: 50 },
      )
    },
  )

  test('without a new primary, health says that the server cannot be written to, reads go on, and it recovers', async () => {
    const { stores, ready } = await openThroughProxy(pair, open)
    await stores.store.set('a', '1')
    expect(await ready()).toBe(200)
    await pair.demote()
    await eventually(async () => expect(await ready()).toBe(503), { intervalMs: 100 })
    await expect(stores.store.set('b', '1')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/read[- ]only/i),
    })
    await pair.promote()
    await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
    await stores.store.set('b', '2')
    expect(await stores.store.get('b')).toBe('2')
  })
}

/** Writes to the first server of a pair on a connection of its own. */
function writeDirectly({ urls: [url] }: Pair): Promise<unknown> {
  if (url.startsWith('redis')) return commandRedis(url, 'SET', 'direct', '1')
  return administerPostgres(url, 'create table direct (id int)', 'drop table direct')
}

describe.each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) => {
  if (postgresPair) testFailover(postgresPair, open)
  else test.skip('PostgreSQL is not installed', () => {})
})

test.skipIf(!postgresPair)(
  'the package postgres cannot close a connection: writes go to the new primary after max_lifetime',
  async () => {
    const pair = postgresPair as Pair
    const open: OpenStores = (url, options) => openPostgresJs(url, options, { max_lifetime: 1 })
    const { stores, proxy, ready } = await openThroughProxy(pair, open)
    await stores.store.set('a', '1')
    proxy.forwardTo(portOf(pair.urls[1]))
    await pair.demote()
    onTestFinished(async () => void (await pair.promote()))
    await eventually(async () => stores.store.set('a', '2'), { intervalMs: 100 })
    expect(await stores.store.get('a')).toBe('2')
    await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
  },
)

describe.each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) => {
  if (redisPair) testFailover(redisPair, open)
  else test.skip('Redis is not installed', () => {})
})
