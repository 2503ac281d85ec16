import { expect, test } from 'vitest'
import { useFolder } from '../../../test-kit/sqlite/sqlite.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import type { Stores } from '../stores.ts'
import { findDriver } from './driver.ts'
import { type SqliteStoresOptions, sqliteStores } from './sqlite.ts'

const { newFile } = useFolder()

/** Runs a test with stores, their clock, and a function that counts the rows of a table in the file. */
async function withStores(
  options: SqliteStoresOptions,
  body: (stores: Stores & { advance(ms: number): void | Promise<void>; rows(table: string): unknown }) => Promise<void>,
): Promise<void> {
  const { now, advance } = createFakeClock()
  const file = newFile()
  const stores = sqliteStores(file, { now, ...options })
  const database = findDriver()(file)
  const rows = (table: string): unknown =>
    Object.values(database.prepare(`SELECT count(*) FROM portcall_${table}`).get() as object)[0]
  try {
    await body({ ...stores, advance, rows })
  } finally {
    database.close()
    await stores.close()
  }
}

const dataOf = async ({ log }: Stores, key: string): Promise<string[]> => (await log.read(key)).map(({ data }) => data)

test('the least recently written entries are evicted', () =>
  withStores({ store: { maxEntries: 3 } }, async ({ store, rows }) => {
    for (const key of ['a', 'b', 'c']) await store.set(key, 'x')
    await store.set('a', 'y')
    await store.set('d', 'x')
    expect(await store.list('')).toEqual(['a', 'c', 'd'])
    await store.compareAndSet('c', { expected: 'x', value: 'z' })
    await store.set('e', 'x')
    expect(await store.list('')).toEqual(['c', 'd', 'e'])
    await Promise.all(Array.from({ length: 500 }, (_, at) => store.set(`many ${at}`, 'x')))
    expect([await store.list(''), rows('entries')]).toEqual([['many 497', 'many 498', 'many 499'], 3])
  }))

test('the bytes of entries are limited; an entry above the limit is rejected, and others of the same transaction are not', () =>
  withStores({ store: { maxBytes: 100 } }, async ({ store }) => {
    await store.set('a', 'x'.repeat(59))
    await store.set('b', 'x'.repeat(39))
    expect(await store.list('')).toEqual(['a', 'b'])
    await store.set('c', 'ä')
    expect(await store.list('')).toEqual(['b', 'c'])
    const [set, compareAndSet, smallSet] = await Promise.allSettled([
      store.set('d', 'ä'.repeat(50)),
      store.compareAndSet('d', { expected: undefined, value: 'ä'.repeat(50) }),
      store.set('e', 'x'),
    ])
    expect([set.status, compareAndSet.status, smallSet.status]).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(await store.list('')).toEqual(['b', 'c', 'e'])
  }))

test('entries expire after maxTtlMs at the latest, and are deleted by the next write', () =>
  withStores({ store: { maxTtlMs: 1000 } }, async ({ store, advance, rows }) => {
    await store.set('a', 'x', { ttlMs: 60_000 })
    await store.set('b', 'x')
    await store.set('c', 'x', { ttlMs: 10 })
    await advance(1000)
    expect([await store.get('a'), await store.get('b'), rows('entries')]).toEqual([undefined, undefined, 3])
    await store.set('d', 'x')
    expect(rows('entries')).toBe(1)
  }))

test('expired entries are deleted before others are evicted', () =>
  withStores({ store: { maxEntries: 100 } }, async ({ store, advance }) => {
    await store.set('old', 'x')
    for (let at = 0; at < 99; at++) await store.set(`short ${at}`, 'x', { ttlMs: 10 })
    await advance(10)
    await store.set('new', 'x')
    expect(await store.list('')).toEqual(['new', 'old'])
  }))

test('entries of logs expire', () =>
  withStores({ log: { entryTtlMs: 1000 } }, async (stores) => {
    const { log, advance, rows } = stores
    const first = await log.append('key', 'a')
    await advance(600)
    const second = await log.append('key', 'b')
    await advance(600)
    expect(await dataOf(stores, 'key')).toEqual(['b'])
    expect((await log.read('key', first)).map(({ data }) => data)).toEqual(['b'])
    await advance(600)
    expect(await dataOf(stores, 'key')).toEqual([])
    await expect(log.read('key', first)).rejects.toMatchObject({ code: 'UNKNOWN_POSITION' })
    const third = await log.append('key', 'c')
    await expect(log.read('key', first)).rejects.toMatchObject({ code: 'UNKNOWN_POSITION' })
    expect((await log.read('key', second)).map(({ position }) => position)).toEqual([third])
    expect(rows('lines')).toBe(1)
  }))

test('the bytes of one log and of all logs are limited', () =>
  withStores({ log: { maxBytes: 1000, maxTotalBytes: 2500 } }, async (stores) => {
    const { log, rows } = stores
    for (const key of ['a', 'b', 'c']) for (let at = 0; at < 10; at++) await log.append(key, 'x'.repeat(100))
    expect((await Promise.all(['a', 'b', 'c'].map((key) => dataOf(stores, key)))).map(({ length }) => length)).toEqual([0, 5, 5])
    expect(rows('lines')).toBe(10)
    const position = await log.append('b', 'x'.repeat(5000))
    expect([await dataOf(stores, 'b'), await log.read('b', position)]).toEqual([[], []])
    await log.append('b', 'small')
    expect((await log.read('b', position)).map(({ data }) => data)).toEqual(['small'])
  }))

test('the number of logs is limited: the least recently written one is deleted, and expired ones', () =>
  withStores({ log: { maxLogs: 2, entryTtlMs: 1000 } }, async (stores) => {
    const { log, advance, rows } = stores
    for (const key of ['a', 'b', 'a', 'c']) await log.append(key, key)
    expect(await Promise.all(['a', 'b', 'c'].map((key) => dataOf(stores, key)))).toEqual([['a', 'a'], [], ['c']])
    await advance(1001)
    await log.append('d', 'd')
    expect([rows('logs'), rows('lines')]).toEqual([1, 1])
  }))

test('messages are limited by number, bytes and age', () =>
  withStores({ bus: { maxMessages: 5, maxBytes: 100, messageTtlMs: 1000 } }, async ({ bus, advance, rows }) => {
    await Promise.all(Array.from({ length: 20 }, () => bus.publish('t', 'x')))
    expect(rows('messages')).toBe(5)
    await bus.publish('t', 'x'.repeat(98))
    expect(rows('messages')).toBe(1)
    await expect(bus.publish('t', 'x'.repeat(100))).rejects.toThrow(RangeError)
    await advance(1000)
    await bus.publish('t', 'x')
    expect(rows('messages')).toBe(1)
  }))

test('data survives reopening the file, also with smaller limits', async () => {
  const file = newFile()
  const before = sqliteStores(file)
  const positions = await Promise.all(['a', 'b', 'c'].map((data) => before.log.append('key', data)))
  await Promise.all(Array.from({ length: 1000 }, (_, at) => before.store.set(`key ${at + 1000}`, 'x')))
  await before.close()
  const { store, log, close } = sqliteStores(file, { store: { maxEntries: 10 } })
  expect((await log.read('key', positions[0])).map(({ data }) => data)).toEqual(['b', 'c'])
  expect(await store.count('')).toBe(1000)
  await store.set('new', 'x')
  expect(await store.count('')).toBe(10)
  await close()
})
