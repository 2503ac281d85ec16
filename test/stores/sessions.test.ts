/** Sessions that several nodes share, on each of the stores. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { sqlite } from 'portcall/stores/sqlite'
import { afterAll, describe } from 'vitest'
import { sharedSessionTests } from '../../packages/portcall/src/transports/http/shared/sessions.test-kit.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'

const redisServer = await startRedis()
const postgresServer = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'portcall-sessions-'))
afterAll(async () => {
  await redisServer?.stop()
  await postgresServer?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Longer than with stores in memory: a disk may be busy. */
const MORTALITY = { nodeLeaseMs: 3000, storeTimeoutMs: 2000 }
let made = 0
const place = (): string => `sessions_${process.pid}_${made++}`

describe('on SQLite', () => {
  sharedSessionTests(() => sqlite(new Database(join(folder, `${place()}.db`))), MORTALITY)
})

describe.skipIf(!redisServer)('on Redis', () => {
  sharedSessionTests(() => REDIS_DRIVERS.ioredis!(redisServer?.url ?? '', { place: place() }), MORTALITY)
})

describe.skipIf(!postgresServer)('on PostgreSQL', () => {
  sharedSessionTests(() => POSTGRES_DRIVERS.pg!(postgresServer?.url ?? '', { place: place() }), MORTALITY)
})
