import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../unavailable.ts'
import { findDriver, type SqliteDatabase } from './driver.ts'
import { unavailable } from './failure.ts'
import { useFolder } from './sqlite.test-kit.ts'
import { sqlite } from './sqlite.ts'

const folder = useFolder()
const openDatabase = (file: string): SqliteDatabase => findDriver()(file)

describe('a file that cannot grow', () => {
  const limit = (database: SqliteDatabase, pages: number): void => void database.exec(`PRAGMA max_page_count = ${pages}`)

  test('refuses writes, answers reads, and takes writes again when there is room', async () => {
    const database = openDatabase(folder.newFile())
    const { store, log, bus, close } = sqlite(database)
    await store.set('before', 'x')
    const position = await log.append('log', 'x')
    limit(database, 1)
    const large = 'x'.repeat(100_000)
    for (const write of [store.set('key', large), log.append('log', large), bus.publish('topic', large)]) {
      await expect(write).rejects.toThrow(StoreUnavailable)
      await expect(write).rejects.toThrow('The database cannot grow: the disk is full')
    }
    expect([await store.get('before'), await store.get('key'), await log.read('log', position)]).toEqual(['x', undefined, []])
    limit(database, 1_000_000)
    await store.set('key', large)
    expect([await store.get('key'), (await log.read('log')).length]).toEqual([large, 1])
    await close()
    database.close()
  })

  test('of what is written together takes what there is room for', async () => {
    const database = openDatabase(folder.newFile())
    const { store, close } = sqlite(database)
    await store.set('small', 'x')
    limit(database, 1)
    const found = await Promise.allSettled([
      store.set('small', 'y'),
      store.set('large', 'x'.repeat(100_000)),
      store.swap('small', { expected: 'y', value: 'z' }),
    ])
    expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await store.get('small')).toBe('z')
    await close()
    database.close()
  })
})

test('a file that may only be read is read', async () => {
  const database = openDatabase(folder.newFile())
  const { store, close } = sqlite(database)
  await store.set('key', 'x')
  database.exec('PRAGMA query_only = 1')
  await expect(store.set('key', 'y')).rejects.toThrow('may not be written')
  expect(await store.get('key')).toBe('x')
  database.exec('PRAGMA query_only = 0')
  await store.set('key', 'y')
  await close()
  database.close()
})

describe('a file that cannot be used', () => {
  test('is refused at once: no folder', () => {
    const file = join(folder.path, 'none', 'x.db')
    expect(() => sqlite(file)).toThrow(`${file} cannot be opened: see whether its folder exists`)
  })

  test('is refused at once: something else', async () => {
    const file = folder.newFile()
    await writeFile(file, 'this is no database, and it is longer than the head of one would be'.repeat(100))
    expect(() => sqlite(file)).toThrow(StoreUnavailable)
    expect(() => sqlite(file)).toThrow(`${file} is damaged, or no SQLite database: restore it`)
    expect((await stat(file)).size).toBeGreaterThan(5000)
  })

  test('is refused at once: a folder', async () => {
    const file = folder.newFile()
    await mkdir(file)
    expect(() => sqlite(file)).toThrow(`${file} cannot be opened`)
  })

  test('is refused at once: a later version', async () => {
    const file = folder.newFile()
    await sqlite(file).close()
    const database = openDatabase(file)
    database.exec('UPDATE portcall_schema SET version = 1000')
    database.close()
    expect(() => sqlite(file)).toThrow('update portcall')
  })

  test('fails when it is damaged under way, and is used again when it is restored', async () => {
    const file = folder.newFile()
    const { store, close } = sqlite(file)
    await store.set('key', 'x'.repeat(100_000))
    const other = openDatabase(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
    const damaged = await open(file, 'r+')
    const { size } = await damaged.stat()
    await damaged.write(Buffer.alloc(size, 'x'), 0, size, 0)
    await damaged.close()
    const failure = await store.set('key', 'y').then(
      () => store.list('').then(() => undefined),
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(StoreUnavailable)
    await expect(store.set('key', 'y')).rejects.toThrow(`${file} is damaged`)
    for (const path of [file, `${file}-wal`, `${file}-shm`]) await rm(path, { force: true })
    await store.set('key', 'new')
    expect(await store.get('key')).toBe('new')
    await close()
  })
})

test('stores that are closed have finished what was asked of them, and do nothing more', async () => {
  const file = folder.newFile()
  const { store, bus, close } = sqlite(file)
  const heard: string[] = []
  await bus.subscribe('topic', (message) => heard.push(message))
  const writing = store.set('key', 'x')
  await close()
  await writing
  await close()
  await expect(store.get('key')).rejects.toThrow('This store is closed')
  await expect(store.set('key', 'x')).rejects.toThrow('This store is closed')
  const again = sqlite(file)
  await again.bus.publish('topic', 'late')
  expect([await again.store.get('key'), heard]).toEqual(['x', []])
  await again.close()
})

test('without a driver it is said what to install', () => {
  const load = (): never => {
    throw new Error('not found')
  }
  expect(() => findDriver(load)).toThrow('install libsql, use Node 22.13 or newer, or pass an open database')
})

test.each([
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 778 }, 'cannot be read or written'],
  ['better-sqlite3', { code: 'SQLITE_READONLY_DBMOVED' }, 'may not be written'],
  ['bun:sqlite', { code: 'SQLITE_FULL', errno: 13 }, 'cannot grow'],
  ['another', {}, 'does not work: it broke'],
])('a failure of %s is understood', (_driver, fields, message) => {
  const cause = Object.assign(new Error('it broke'), fields)
  expect(unavailable(cause, 'x.db')).toMatchObject({ cause, message: expect.stringContaining(`x.db ${message}`) })
})
