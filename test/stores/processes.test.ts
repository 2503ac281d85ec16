/** Several processes on one Redis or PostgreSQL: shared data, limits and expiry. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { type OpenOptions, type OpenStores, POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'

const { redis: redisServer, postgres: postgresServer } = await startDatabases()

let created = 0
const uniqueName = (): string => `processes_${process.pid}_${created++}`

/** Counts what is stored in a namespace. */
type Count = (namespace: string) => Promise<number>

async function countInRedis(namespace: string): Promise<number> {
  const client = new Redis(redisServer?.url ?? '')
  const keys = await client.keys(`{${namespace}}:*`)
  client.disconnect()
  return keys.length
}

async function countInPostgres(namespace: string): Promise<number> {
  const client = new pg.Client({ connectionString: postgresServer?.url })
  await client.connect()
  const tables = ['entries', 'logs', 'log_entries'].map((table) => `(select count(*) from ${namespace}.${table})`)
  const { rows } = await client.query(`select (${tables.join(' + ')})::int as total`)
  await client.end()
  return rows[0].total
}

function testProcesses(url: string, open: OpenStores, countStored: Count): void {
  /** Runs a test with several stores in one namespace, each standing for one process. */
  async function withProcesses(
    count: number,
    options: Omit<OpenOptions, 'namespace'>,
    body: (all: Stores[], namespace: string) => Promise<void>,
  ): Promise<void> {
    const namespace = uniqueName()
    const all = Array.from({ length: count }, () => open(url, { namespace, timeoutMs: 10_000, ...options }))
    try {
      await body(all, namespace)
    } finally {
      await Promise.all(all.map((stores) => stores.close()))
    }
  }

  test('several processes start at the same time', async () => {
    await withProcesses(6, {}, async (all) => {
      await Promise.all(all.map(({ store }, at) => store.set(`key ${at}`, 'x')))
      expect(await all[0]?.store.count('key')).toBe(all.length)
    })
  })

  test('several processes append to one log: each entry once, in order per process, and every position can be resumed from', async () => {
    await withProcesses(3, {}, async (all) => {
      const written = await Promise.all(
        all.map(async ({ log }, node) => {
          const positions: string[] = []
          for (let turn = 0; turn < 20; turn++)
            positions.push(...(await Promise.all([0, 1, 2].map((nth) => log.append('log', `${node}:${3 * turn + nth}`)))))
          return positions
        }),
      )
      const entries = (await all[0]?.log.read('log')) ?? []
      expect(entries.length).toBe(180)
      for (const [node, positions] of written.entries()) {
        const own = entries.filter(({ data }) => data.startsWith(`${node}:`))
        expect(own.map(({ data }) => data)).toEqual(positions.map((_, at) => `${node}:${at}`))
        expect(own.map(({ position }) => position)).toEqual(positions)
      }
      for (const [at, { position }] of entries.entries())
        if (at % 30 === 0) expect(await all[1]?.log.read('log', position)).toEqual(entries.slice(at + 1))
    })
  })

  test('of several compareAndSet calls with the same expectation exactly one succeeds', async () => {
    await withProcesses(3, {}, async (all) => {
      const results = await Promise.all(
        all.flatMap(({ store }, node) =>
          [0, 1, 2].map((nth) => store.compareAndSet('lease', { expected: undefined, value: `${node}${nth}`, ttlMs: 5000 })),
        ),
      )
      expect(results.filter(Boolean).length).toBe(1)
    })
  })

  test('messages of one process arrive in all others, in order: long ones, equal ones, and with any character', async () => {
    await withProcesses(3, {}, async (all) => {
      const received: string[][] = all.map(() => [])
      for (const [node, { bus }] of all.entries()) await bus.subscribe('to\0pic', (message) => void received[node]?.push(message))
      const messages = ['short', 'same', 'same', 'x'.repeat(50_000), 'after', 'ä'.repeat(5000), 'nul \0 and \x01', '', 'last']
      for (const message of messages) void all[0]?.bus.publish('to\0pic', message)
      await eventually(() => expect(received.every(({ length }) => length >= messages.length)).toBe(true))
      expect(received).toEqual(all.map(() => messages))
    })
  })

  test('keys, values and entries can contain any character', async () => {
    await withProcesses(1, {}, async ([stores]) => {
      const texts = ['\0', '\x01', '\0\x01\x02', 'a\0', 'a\0b', 'a\x01', 'a']
      for (const text of texts) await stores?.store.set(text, `value ${text}`)
      for (const text of texts) expect(await stores?.store.get(text)).toBe(`value ${text}`)
      expect(await stores?.store.list('a')).toEqual(['a', 'a\0', 'a\0b', 'a\x01'])
      for (const text of texts) await stores?.log.append('log', text)
      expect((await stores?.log.read('log'))?.map(({ data }) => data)).toEqual(texts)
    })
  })

  test('the bytes of a log and the entries of a store are limited; the entries that expire first are evicted', async () => {
    await withProcesses(1, { log: { maxBytes: 10_000 }, store: { maxEntries: 50 } }, async ([stores], namespace) => {
      for (let at = 0; at < 40; at++) await stores?.log.append('log', 'x'.repeat(900))
      expect((await stores?.log.read('log'))?.length).toBe(10)
      await Promise.all(
        Array.from({ length: 120 }, (_, at) =>
          stores?.store.set(`key ${String(at).padStart(3, '0')}`, 'x', { ttlMs: 60_000 + at * 1000 }),
        ),
      )
      const later = open(url, { namespace, store: { maxEntries: 50 } })
      await eventually(async () => {
        await later.store.set('key 999', 'x')
        expect(await later.store.count('')).toBeLessThanOrEqual(51)
      })
      expect(await later.store.get('key 000')).toBe(undefined)
      expect(await later.store.get('key 119')).toBe('x')
      await later.close()
    })
  })

  test('expired data is removed', async () => {
    const log = { entryTtlMs: 200 }
    await withProcesses(1, { log }, async ([stores], namespace) => {
      await Promise.all(Array.from({ length: 100 }, (_, at) => stores?.store.set(`key ${at}`, 'x', { ttlMs: 100 })))
      await Promise.all(Array.from({ length: 100 }, (_, at) => stores?.log.append(`log ${at}`, 'x')))
      await sleep(300)
      expect(await stores?.log.read('log 1')).toEqual([])
      const write = async (): Promise<void> => {
        const later = open(url, { namespace, log })
        await later.store.set('one', 'x')
        await later.log.append('one', 'x')
        await later.close()
      }
      for (let round = 0; round < 20; round++) await write()
      const expectRemoved = async (): Promise<void> => {
        await write()
        const count = await countStored(namespace)
        expect(count).toBeGreaterThan(0)
        // One entry, one log, and the sorted sets and hashes of Redis.
        expect(count).toBeLessThanOrEqual(6)
      }
      await eventually(expectRemoved, { intervalMs: 600 })
    })
  })
}

describe.skipIf(!redisServer).each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) =>
  testProcesses(redisServer?.url ?? '', open, countInRedis),
)

describe.skipIf(!postgresServer).each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) =>
  testProcesses(postgresServer?.url ?? '', open, countInPostgres),
)
