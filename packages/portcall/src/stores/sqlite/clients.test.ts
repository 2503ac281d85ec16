import { renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { useFolder } from '../../../test-kit/sqlite/sqlite.ts'
import { isProcessLocal } from '../process-local.ts'
import { findDriver, type SqliteDatabase } from './driver.ts'
import { type SqliteStoresOptions, sqliteStores } from './sqlite.ts'

const folder = useFolder()
const require = createRequire(import.meta.url)
const Libsql = require('libsql') as new (
  file: string,
  options?: object,
) => SqliteDatabase & {
  defaultSafeIntegers(isSafe: boolean): void
}

function openWith(file: string, options: object): SqliteDatabase {
  const database = new Libsql(file, options)
  onTestFinished(() => void database.close())
  return database
}

/** A database whose statements return something else for a row. */
function databaseReturning(row: unknown): SqliteDatabase {
  const statement = { get: () => row, all: () => [row], run: () => ({ changes: 0 }) }
  return { prepare: () => statement, exec: () => {}, close: () => {} } as SqliteDatabase
}

describe('a database that is passed in', () => {
  test.each([
    ['promises', Promise.resolve({ one: 1 }), /promises/],
    ['BigInt', { one: 1n }, /readBigInts, safeIntegers/],
    ['arrays', [1], /returnArrays/],
    ['nothing', undefined, /node:sqlite, bun:sqlite/],
    ['the statement, as the package sqlite3', { run() {} }, /node:sqlite, bun:sqlite/],
    ['text', { one: '1' }, /node:sqlite, bun:sqlite/],
  ])('is refused if its statements return %s', (_title, row, message) => {
    expect(() => sqliteStores(databaseReturning(row))).toThrow(TypeError)
    expect(() => sqliteStores(databaseReturning(row))).toThrow(message)
  })

  test('is refused if a real one returns BigInt', () => {
    const database = openWith(folder.newFile(), {}) as InstanceType<typeof Libsql>
    database.defaultSafeIntegers(true)
    expect(() => sqliteStores(database)).toThrow(/BigInt/)
  })

  test('is refused if it can only be read', async () => {
    const file = folder.newFile()
    await sqliteStores(file).close()
    const database = openWith(file, {})
    database.exec('PRAGMA query_only = 1')
    expect(() => sqliteStores(database)).toThrow(/read-only/)
  })

  test('and one in memory, is known to be visible to this process only', async () => {
    const stores = [sqliteStores(openWith(':memory:', {})), sqliteStores(':memory:'), sqliteStores(folder.newFile())]
    expect(stores.map(isProcessLocal)).toEqual([true, true, false])
    for (const { close } of stores) await close()
  })
})

describe('a file that is removed or replaced while it is open', () => {
  const open = (file: string, options?: SqliteStoresOptions) => {
    const stores = sqliteStores(file, options)
    onTestFinished(stores.close)
    return stores
  }

  test.each([
    ['removed', (file: string) => rmSync(file)],
    [
      'replaced',
      (file: string) => {
        const other = folder.newFile()
        findDriver()(other).close()
        renameSync(other, file)
      },
    ],
  ])('%s: operations fail with the reason, then all processes use the file that is there', async (_title, change) => {
    const file = folder.newFile()
    const warnings: string[] = []
    const received: string[] = []
    const [first, second] = [open(file, { onWarning: (message) => warnings.push(message) }), open(file, { onWarning() {} })]
    for (let at = 0; at < 5; at++) await first.bus.publish('topic', 'before')
    await first.bus.subscribe('topic', (message) => void received.push(message))
    await first.store.set('key', 'old')
    change(file)
    await eventually(() => expect(first.store.get('key')).rejects.toThrow('was removed or replaced'), { intervalMs: 50 })
    await eventually(() => first.store.set('key', 'new'), { intervalMs: 50 })
    await eventually(async () => expect(await second.store.get('key')).toBe('new'), { intervalMs: 50 })
    await second.bus.publish('topic', 'after')
    await eventually(() => expect(received).toEqual(['after']))
    expect(warnings).toEqual([expect.stringContaining('was removed or replaced')])
  })
})
