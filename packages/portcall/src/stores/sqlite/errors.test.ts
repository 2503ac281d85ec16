import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useFolder } from '../../../test-kit/sqlite/sqlite.ts'
import { StoreUnavailableError } from '../errors.ts'
import { findDriver, type SqliteDatabase } from './driver.ts'
import { toSqliteUnavailableError } from './errors.ts'
import { sqliteStores } from './sqlite.ts'

const folder = useFolder()
const openDatabase = (file: string): SqliteDatabase => findDriver()(file)

describe('a full disk', () => {
  const limit = (database: SqliteDatabase, pages: number): void => void database.exec(`PRAGMA max_page_count = ${pages}`)

  test('rejects writes, serves reads, and accepts writes again when there is space', async () => {
    const database = openDatabase(folder.newFile())
    const { store, log, bus, close } = sqliteStores(database)
    await store.set('before', 'x')
    const position = await log.append('log', 'x')
    limit(database, 1)
    const large = 'x'.repeat(100_000)
    for (const write of [store.set('key', large), log.append('log', large), bus.publish('topic', large)]) {
      await expect(write).rejects.toThrow(StoreUnavailableError)
      await expect(write).rejects.toThrow('The database cannot grow: the disk is full')
    }
    expect([await store.get('before'), await store.get('key'), await log.read('log', position)]).toEqual(['x', undefined, []])
    limit(database, 1_000_000)
    await store.set('key', large)
    expect([await store.get('key'), (await log.read('log')).length]).toEqual([large, 1])
    await close()
    database.close()
  })

  test('writes those entries of a transaction that fit', async () => {
    const database = openDatabase(folder.newFile())
    const { store, close } = sqliteStores(database)
    await store.set('small', 'x')
    limit(database, 1)
    const results = await Promise.allSettled([
      store.set('small', 'y'),
      store.set('large', 'x'.repeat(100_000)),
      store.compareAndSet('small', { expected: 'y', value: 'z' }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await store.get('small')).toBe('z')
    await close()
    database.close()
  })
})

test('a read-only database serves reads', async () => {
  const database = openDatabase(folder.newFile())
  const { store, close } = sqliteStores(database)
  await store.set('key', 'x')
  database.exec('PRAGMA query_only = 1')
  await expect(store.set('key', 'y')).rejects.toThrow('cannot be written')
  expect(await store.get('key')).toBe('x')
  database.exec('PRAGMA query_only = 0')
  await store.set('key', 'y')
  await close()
  database.close()
})

describe('a file that cannot be opened', () => {
  test('is rejected immediately: its folder does not exist', () => {
    const file = join(folder.path, 'none', 'x.db')
    expect(() => sqliteStores(file)).toThrow(`${file} cannot be opened: check that its folder exists`)
  })

  test('is rejected immediately: it is another kind of file', async () => {
    const file = folder.newFile()
    await writeFile(file, 'this is not a database, and it is longer than the header of one'.repeat(100))
    expect(() => sqliteStores(file)).toThrow(StoreUnavailableError)
    expect(() => sqliteStores(file)).toThrow(`${file} is damaged or not an SQLite database: restore it`)
    expect((await stat(file)).size).toBeGreaterThan(5000)
  })

  test('is rejected immediately: it is a folder', async () => {
    const file = folder.newFile()
    await mkdir(file)
    expect(() => sqliteStores(file)).toThrow(`${file} cannot be opened`)
  })

  test('is rejected immediately: its schema version is too new', async () => {
    const file = folder.newFile()
    await sqliteStores(file).close()
    const database = openDatabase(file)
    database.exec('UPDATE portcall_schema SET version = 1000')
    database.close()
    expect(() => sqliteStores(file)).toThrow('update portcall')
  })

  test('fails when it is damaged while open, and recovers when it is replaced', async () => {
    const file = folder.newFile()
    const { store, close } = sqliteStores(file)
    await store.set('key', 'x'.repeat(100_000))
    const other = openDatabase(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    other.close()
    const handle = await open(file, 'r+')
    const { size } = await handle.stat()
    await handle.write(Buffer.alloc(size, 'x'), 0, size, 0)
    await handle.close()
    const failure = await store.set('key', 'y').then(
      () => store.list('').then(() => undefined),
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(StoreUnavailableError)
    await expect(store.set('key', 'y')).rejects.toThrow(`${file} is damaged`)
    for (const path of [file, `${file}-wal`, `${file}-shm`]) await rm(path, { force: true })
    await store.set('key', 'new')
    expect(await store.get('key')).toBe('new')
    await close()
  })
})

test('closing stores completes pending writes and rejects further operations', async () => {
  const file = folder.newFile()
  const { store, bus, close } = sqliteStores(file)
  const received: string[] = []
  await bus.subscribe('topic', (message) => received.push(message))
  const writing = store.set('key', 'x')
  await close()
  await writing
  await close()
  await expect(store.get('key')).rejects.toThrow('This store is closed')
  await expect(store.set('key', 'x')).rejects.toThrow('This store is closed')
  const again = sqliteStores(file)
  await again.bus.publish('topic', 'late')
  expect([await again.store.get('key'), received]).toEqual(['x', []])
  await again.close()
})

test('without a driver, the error says what to install', () => {
  const load = (): never => {
    throw new Error('not found')
  }
  expect(() => findDriver(load)).toThrow('install libsql, use Node 22.13 or newer, or pass an open database')
})

test.each([
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 778 }, 'cannot be read or written'],
  ['better-sqlite3', { code: 'SQLITE_READONLY_DBMOVED' }, 'cannot be written'],
  ['bun:sqlite', { code: 'SQLITE_FULL', errno: 13 }, 'cannot grow'],
  ['another', {}, 'failed: it broke'],
])('an error of %s is recognized', (_driver, fields, message) => {
  const cause = Object.assign(new Error('it broke'), fields)
  expect(toSqliteUnavailableError(cause, 'x.db')).toMatchObject({ cause, message: expect.stringContaining(`x.db ${message}`) })
})
