/**
 * The contracts of stores over the SQLite of this runtime: `sqlite.js MODULE CLASS`. Once over files that the library opens, once over
 * databases that this program opens. Prints the failures as JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Stores } from 'portcall/stores'
import { type SqliteDatabase, type SqliteStoresOptions, sqliteStores } from 'portcall/stores/sqlite'
import { busContract, createFakeClock, logContract, storeContract } from 'portcall/testing'

const [module = '', name = ''] = process.argv.slice(2)
const Database = createRequire(import.meta.url)(module)[name] as new (file: string) => SqliteDatabase
const folder = mkdtempSync(join(tmpdir(), 'portcall-runtimes-'))

let files = 0
const newFile = (): string => join(folder, `${++files}.db`)

/** Opens a database as an application would. */
function openDatabase(options: SqliteStoresOptions): Stores {
  const database = new Database(newFile())
  database.exec('PRAGMA journal_mode = WAL')
  const stores = sqliteStores(database, options)
  return { ...stores, close: () => stores.close().then(() => void database.close()) }
}

const VARIANTS: Record<string, (options: SqliteStoresOptions) => Stores> = {
  'a file': (options) => sqliteStores(newFile(), options),
  'a database': openDatabase,
}
const tests: { readonly name: string; readonly body: () => Promise<void> }[] = []

for (const [variant, open] of Object.entries(VARIANTS)) {
  const test = (name: string, body: () => Promise<void>): void => void tests.push({ name: `${variant}: ${name}`, body })
  const create = <T>(pick: (stores: Stores) => T, options: SqliteStoresOptions = {}) => {
    const { now, advance } = createFakeClock()
    const stores = open({ now, ...options })
    return { subject: pick(stores), advance, close: () => stores.close() }
  }
  storeContract({ test, create: () => create(({ store }) => store) })
  logContract({ test, create: ({ maxEntries }) => create(({ log }) => log, { log: { maxEntries } }) })
  busContract({ test, create: () => create(({ bus }) => bus) })
}

const failures: string[] = []
for (const { name, body } of tests)
  await body().catch((error: unknown) => failures.push(`${name}: ${error instanceof Error ? error.message : error}`))
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify({ tests: tests.length, failures }))
