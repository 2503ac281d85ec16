/** Sessions shared by several nodes, on each of the backends. */
import { join } from 'node:path'
import Database from 'libsql'
import { sqliteStores } from 'portcall/stores/sqlite'
import { afterAll, describe } from 'vitest'
import { clusterSessionTests } from '../../packages/portcall/test-kit/cluster-backend.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'

const folder = temporaryFolder(afterAll)
const { redis: redisServer, postgres: postgresServer } = await startDatabases()

/** Longer than with stores in memory, because a disk may be busy. */
const FAILURE_TIMEOUTS = { nodeLeaseTtlMs: 3000, storeTimeoutMs: 2000 }
let created = 0
const uniqueName = (): string => `sessions_${process.pid}_${created++}`

describe('on SQLite', () => {
  clusterSessionTests(() => sqliteStores(new Database(join(folder, `${uniqueName()}.db`))), FAILURE_TIMEOUTS)
})

describe.skipIf(!redisServer)('on Redis', () => {
  clusterSessionTests(() => REDIS_DRIVERS.ioredis!(redisServer?.url ?? '', { namespace: uniqueName() }), FAILURE_TIMEOUTS)
})

describe.skipIf(!postgresServer)('on PostgreSQL', () => {
  clusterSessionTests(() => POSTGRES_DRIVERS.pg!(postgresServer?.url ?? '', { namespace: uniqueName() }), FAILURE_TIMEOUTS)
})
