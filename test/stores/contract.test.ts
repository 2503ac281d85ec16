/** The contracts of stores, for every backend with every driver. */
import { join } from 'node:path'
import { memoryStores, type Stores } from 'portcall/stores'
import { sqliteStores } from 'portcall/stores/sqlite'
import { busContract, type LogBounds, logContract, storeContract } from 'portcall/testing'
import { afterAll, describe, test } from 'vitest'
import { EVENTUALLY_TIMEOUT_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type OpenOptions, POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'

const folder = temporaryFolder(afterAll)
const { redis: redisServer, postgres: postgresServer } = await startDatabases({ args: ['-c', 'fsync=off'] })

let created = 0
const uniqueName = (): string => `test_${process.pid}_${created++}`

/** Tests all contracts. Each test has stores of its own. */
function testContracts(open: (options: OpenOptions) => Stores): void {
  const subjectOf = <T>(pick: (stores: Stores) => T, log: LogBounds = { maxEntries: 1000 }) => {
    const stores = open({ namespace: uniqueName(), log, timeoutMs: EVENTUALLY_TIMEOUT_MS })
    return { subject: pick(stores), close: () => stores.close() }
  }
  storeContract({ test, create: () => subjectOf(({ store }) => store) })
  logContract({ test, create: (bounds) => subjectOf(({ log }) => log, bounds) })
  busContract({ test, create: () => subjectOf(({ bus }) => bus) })
}

describe('memory', () => testContracts(({ log = {} }) => memoryStores({ log })))

describe('sqlite', () => testContracts(({ namespace, log = {} }) => sqliteStores(join(folder, `${namespace}.db`), { log })))

describe.skipIf(!redisServer).each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) =>
  testContracts((options) => open(redisServer?.url ?? '', options)),
)

describe.skipIf(!postgresServer).each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) =>
  testContracts((options) => open(postgresServer?.url ?? '', options)),
)
