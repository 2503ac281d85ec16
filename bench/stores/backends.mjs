import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryStores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { sqliteStores } from 'portcall/stores/sqlite'
import { startPostgres } from '../../test/support/services/postgres.mjs'
import { startRedis } from '../../test/support/services/redis.mjs'
import { install } from '../../tools/lib/install.mjs'

const TESTS = fileURLToPath(new URL('../../test/stores/', import.meta.url))

/** Loads a driver as the tests of the stores do. */
function load(name) {
  install(TESTS)
  return createRequire(TESTS)(name)
}

/** Opens stores on a server of their own. */
async function openOn(service, storesOf) {
  if (!service) throw new Error('there is no such server on this machine')
  const { stores, end } = storesOf(service.url)
  return {
    ...stores,
    async close() {
      await stores.close()
      await end()
      await service.stop()
    },
  }
}

/** The storage backends, each with a function that opens it. The servers run on this machine and write to its disk with their defaults. */
export const BACKENDS = {
  memory: { title: 'memory', open: async () => memoryStores() },
  sqlite: {
    title: 'SQLite',
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'portcall-bench-'))
      const stores = sqliteStores(join(folder, 'portcall.db'))
      const close = () => stores.close().then(() => rmSync(folder, { recursive: true, force: true }))
      return { ...stores, close }
    },
  },
  redis: {
    title: 'Redis (ioredis)',
    open: async () =>
      openOn(await startRedis({ args: ['--appendfsync', 'everysec'] }), (url) => ({
        stores: redisStores(new (load('ioredis').Redis)(url, { lazyConnect: true })),
        end: async () => {},
      })),
  },
  postgres: {
    title: 'PostgreSQL (pg)',
    open: async () =>
      openOn(await startPostgres(), (url) => {
        const pool = new (load('pg').Pool)({ connectionString: url })
        return { stores: postgresStores(pool), end: () => pool.end() }
      }),
  },
}
