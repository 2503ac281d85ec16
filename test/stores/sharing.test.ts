/** Several processes on one Redis or PostgreSQL: what they share, and what is left behind. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { type Open, POSTGRES_DRIVERS, REDIS_DRIVERS, type Wanted } from './support/drivers.ts'

const redisServer = await startRedis()
const postgresServer = await startPostgres()
afterAll(async () => {
  await redisServer?.stop()
  await postgresServer?.stop()
})

let made = 0
const freshPlace = (): string => `sharing_${process.pid}_${made++}`

/** How many things are kept at a place. */
type Census = (place: string) => Promise<number>

async function countInRedis(place: string): Promise<number> {
  const client = new Redis(redisServer?.url ?? '')
  const keys = await client.keys(`{${place}}:*`)
  client.disconnect()
  return keys.length
}

async function countInPostgres(place: string): Promise<number> {
  const client = new pg.Client({ connectionString: postgresServer?.url })
  await client.connect()
  const tables = ['entries', 'logs', 'log_entries'].map((table) => `(select count(*) from ${place}.${table})`)
  const { rows } = await client.query(`select (${tables.join(' + ')})::int as total`)
  await client.end()
  return rows[0].total
}

function sharing(url: string, open: Open, census: Census): void {
  /** Nodes on one place. */
  async function nodes(
    count: number,
    wanted: Omit<Wanted, 'place'>,
    body: (nodes: Stores[], place: string) => Promise<void>,
  ): Promise<void> {
    const place = freshPlace()
    const all = Array.from({ length: count }, () => open(url, { place, timeoutMs: 10_000, ...wanted }))
    try {
      await body(all, place)
    } finally {
      await Promise.all(all.map((stores) => stores.close()))
    }
  }

  test('many begin at once', async () => {
    await nodes(6, {}, async (all) => {
      await Promise.all(all.map(({ store }, at) => store.set(`key ${at}`, 'x')))
      expect(await all[0]?.store.count('key')).toBe(all.length)
    })
  })

  test('several append to one log: everything once, each in its order, and every position is good for what follows', async () => {
    await nodes(3, {}, async (all) => {
      const written = await Promise.all(
        all.map(async ({ log }, node) => {
          const positions: string[] = []
          for (let turn = 0; turn < 20; turn++)
            positions.push(...(await Promise.all([0, 1, 2].map((nth) => log.append('log', `${node}:${3 * turn + nth}`)))))
          return positions
        }),
      )
      const kept = (await all[0]?.log.read('log')) ?? []
      expect(kept.length).toBe(180)
      for (const [node, positions] of written.entries()) {
        const mine = kept.filter(({ data }) => data.startsWith(`${node}:`))
        expect(mine.map(({ data }) => data)).toEqual(positions.map((_, at) => `${node}:${at}`))
        expect(mine.map(({ position }) => position)).toEqual(positions)
      }
      for (const [at, { position }] of kept.entries())
        if (at % 30 === 0) expect(await all[1]?.log.read('log', position)).toEqual(kept.slice(at + 1))
    })
  })

  test('of the swaps of several with one expectation exactly one succeeds', async () => {
    await nodes(3, {}, async (all) => {
      const won = await Promise.all(
        all.flatMap(({ store }, node) =>
          [0, 1, 2].map((nth) => store.swap('lease', { expected: undefined, value: `${node}${nth}`, ttlMs: 5000 })),
        ),
      )
      expect(won.filter(Boolean).length).toBe(1)
    })
  })

  test('what one says the others hear, in order: long texts, equal texts, and any character', async () => {
    await nodes(3, {}, async (all) => {
      const heard: string[][] = all.map(() => [])
      for (const [node, { bus }] of all.entries()) await bus.subscribe('to\0pic', (message) => void heard[node]?.push(message))
      const messages = ['short', 'same', 'same', 'x'.repeat(50_000), 'after', 'ä'.repeat(5000), 'nul \0 and \x01', '', 'last']
      for (const message of messages) void all[0]?.bus.publish('to\0pic', message)
      await eventually(() => expect(heard.every(({ length }) => length >= messages.length)).toBe(true))
      expect(heard).toEqual(all.map(() => messages))
    })
  })

  test('any character is kept, in keys, values and entries', async () => {
    await nodes(1, {}, async ([stores]) => {
      const texts = ['\0', '\x01', '\0\x01\x02', 'a\0', 'a\0b', 'a\x01', 'a']
      for (const text of texts) await stores?.store.set(text, `value ${text}`)
      for (const text of texts) expect(await stores?.store.get(text)).toBe(`value ${text}`)
      expect(await stores?.store.list('a')).toEqual(['a', 'a\0', 'a\0b', 'a\x01'])
      for (const text of texts) await stores?.log.append('log', text)
      expect((await stores?.log.read('log'))?.map(({ data }) => data)).toEqual(texts)
    })
  })

  test('a log keeps its bytes, a store its entries; those that expire first make room', async () => {
    await nodes(1, { log: { maxBytes: 10_000 }, store: { maxEntries: 50 } }, async ([stores], place) => {
      for (let at = 0; at < 40; at++) await stores?.log.append('log', 'x'.repeat(900))
      expect((await stores?.log.read('log'))?.length).toBe(10)
      await Promise.all(
        Array.from({ length: 120 }, (_, at) =>
          stores?.store.set(`key ${String(at).padStart(3, '0')}`, 'x', { ttlMs: 60_000 + at * 1000 }),
        ),
      )
      const later = open(url, { place, store: { maxEntries: 50 } })
      await eventually(async () => {
        await later.store.set('key 999', 'x')
        expect(await later.store.count('')).toBeLessThanOrEqual(51)
      })
      expect(await later.store.get('key 000')).toBe(undefined)
      expect(await later.store.get('key 119')).toBe('x')
      await later.close()
    })
  })

  test('nothing is left of what has expired', async () => {
    const log = { maxAgeMs: 200 }
    await nodes(1, { log }, async ([stores], place) => {
      await Promise.all(Array.from({ length: 100 }, (_, at) => stores?.store.set(`key ${at}`, 'x', { ttlMs: 100 })))
      await Promise.all(Array.from({ length: 100 }, (_, at) => stores?.log.append(`log ${at}`, 'x')))
      expect(await census(place)).toBeGreaterThan(200)
      await sleep(300)
      expect(await stores?.log.read('log 1')).toEqual([])
      const turn = async (): Promise<void> => {
        const later = open(url, { place, log })
        await later.store.set('one', 'x')
        await later.log.append('one', 'x')
        await later.close()
      }
      for (let turns = 0; turns < 20; turns++) await turn()
      const swept = async (): Promise<void> => {
        await turn()
        // One entry, one log, and what Redis keeps beside them.
        expect(await census(place)).toBeLessThanOrEqual(6)
      }
      await eventually(swept, 600)
    })
  })
}

describe.skipIf(!redisServer).each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) =>
  sharing(redisServer?.url ?? '', open, countInRedis),
)

describe.skipIf(!postgresServer).each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) =>
  sharing(postgresServer?.url ?? '', open, countInPostgres),
)
