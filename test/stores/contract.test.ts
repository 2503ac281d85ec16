/** The contracts of stores, on every backend with every driver. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory, type Stores } from 'portcall/stores'
import { sqlite } from 'portcall/stores/sqlite'
import { busContract, type LogBounds, logContract, storeContract } from 'portcall/testing'
import { afterAll, describe, test } from 'vitest'
import { PATIENCE_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { POSTGRES_DRIVERS, REDIS_DRIVERS, type Wanted } from './support/drivers.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcall-contract-'))
const redisServer = await startRedis()
const postgresServer = await startPostgres({ args: ['-c', 'fsync=off'] })
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await redisServer?.stop()
  await postgresServer?.stop()
})

let made = 0
const freshName = (): string => `test_${process.pid}_${made++}`

/** All contracts, on stores that are made for each test. */
function contracts(open: (wanted: Wanted) => Stores): void {
  const subjectOf = <T>(pick: (stores: Stores) => T, log: LogBounds = { maxEntries: 1000 }) => {
    const stores = open({ place: freshName(), log, timeoutMs: PATIENCE_MS })
    return { subject: pick(stores), close: () => stores.close() }
  }
  storeContract({ test, create: () => subjectOf(({ store }) => store) })
  logContract({ test, create: (bounds) => subjectOf(({ log }) => log, bounds) })
  busContract({ test, create: () => subjectOf(({ bus }) => bus) })
}

describe('memory', () => contracts(({ log = {} }) => memory({ log })))

describe('sqlite', () => contracts(({ place, log = {} }) => sqlite(join(folder, `${place}.db`), { log })))

describe.skipIf(!redisServer).each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) =>
  contracts((wanted) => open(redisServer?.url ?? '', wanted)),
)

describe.skipIf(!postgresServer).each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) =>
  contracts((wanted) => open(postgresServer?.url ?? '', wanted)),
)
